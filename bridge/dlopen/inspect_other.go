// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package dlopen

import (
	"errors"
	"io/fs"
	"os"
)

// inspect makes sure that there is a file; the loader of the system says the rest.
func inspect(path, where string, _ ...string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &LoadError{Where: where, Reason: ErrNotFound}
	case err != nil:
		return &LoadError{Where: where, Reason: ErrRefused, Detail: err.Error()}
	case !info.Mode().IsRegular():
		return &LoadError{Where: where, Reason: ErrNotLibrary, Detail: "not a regular file"}
	}
	return nil
}
