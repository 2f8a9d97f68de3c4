// SPDX-License-Identifier: Apache-2.0

package dlopen

import "errors"

// What can be wrong with a library; [LoadError] wraps one of them.
var (
	ErrNotFound   = errors.New("no such file")
	ErrRelative   = errors.New("the path is not absolute")
	ErrNotLibrary = errors.New("not a shared library")
	ErrTruncated  = errors.New("cut short: the file ends before its segments do")
	ErrMachine    = errors.New("built for another machine")
	ErrSymbol     = errors.New("lacks an entry point of a tombolo library")
	ErrDamaged    = errors.New("the image does not have the digest that its package names")
	ErrNoPlace    = errors.New("nowhere to load the image from")
	ErrRefused    = errors.New("refused by the loader of the system")
)

// LoadError says that a library could not be loaded, from where, and why. Where is a path, or the name of the package
// that provides the image.
type LoadError struct {
	Where  string
	Reason error  // one of the errors above
	Detail string // what the system said; may be empty
}

func (e *LoadError) Error() string {
	text := e.Where + ": " + e.Reason.Error()
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	return text
}

func (e *LoadError) Unwrap() error { return e.Reason }
