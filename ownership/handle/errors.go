// SPDX-License-Identifier: Apache-2.0

package handle

import (
	"errors"
	"strconv"
	"strings"

	"github.com/tombolo-arrow/tombolo/ownership/buildtag"
)

// Sentinels for errors.Is. Every error of this package is an [*Error] that matches one of them.
var (
	ErrDoubleRelease        = errors.New("released already")              // Release
	ErrUseAfterRelease      = errors.New("used after release")            // Use, Retain, View.Check
	ErrReleaseWhileBorrowed = errors.New("given up while borrowed")       // Release, Move
	ErrMoved                = errors.New("moved to another owner")        // everything but Own
	ErrBorrowed             = errors.New("borrowed, not owned")           // Release, Move by a borrower
	ErrNotBorrowed          = errors.New("not borrowed")                  // GiveBack
	ErrShared               = errors.New("held by several owners")        // Move
	ErrOwned                = errors.New("holds a live struct already")   // Own; the target of Move
	ErrEmpty                = errors.New("holds nothing yet")             // everything but Own
	ErrLimit                = errors.New("too many holders or borrowers") // Retain, Borrow
)

// Kind is what a C struct is.
type Kind uint8

// The kinds.
const (
	Array Kind = iota
	Child
	Dictionary
	Schema
	SchemaChild
	Stream
	Batch       // an arrow-go batch that views look into
	Object      // a prepared object
	BoundKernel // a kernel bound to schemas
	KernelState // a state or an emitter
)

var kindNames = [...]string{
	"array", "child", "dictionary", "schema", "schema child", "stream", "batch", "prepared object",
	"bound kernel", "kernel state",
}

// String returns the noun.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "struct"
}

// Error is a wrong change of ownership. The handle is as it was before.
type Error struct {
	Operation string
	Err       error
	Subject   Subject
	State     State
	Stacks    string // debug builds: where this happened, and where the struct changed hands before
}

// Error gives static text first and the struct last.
func (e *Error) Error() string {
	var text strings.Builder
	text.WriteString(e.Operation + ": " + e.Err.Error() + ", " + e.Subject.Kind.String())
	if e.Subject.Position > 0 {
		text.WriteString(" " + strconv.Itoa(e.Subject.Position))
	}
	if e.Subject.Name != "" {
		text.WriteString(" of " + e.Subject.Name)
	}
	text.WriteString(" is " + e.State.String())
	if e.Stacks != "" {
		text.WriteString("\n" + e.Stacks)
	}
	return text.String()
}

// Is matches the sentinel.
func (e *Error) Is(target error) bool { return e.Err == target }

func (h *Handle) fail(op operation, w word, sentinel error) error {
	return h.failure(op, w, h.subject.Load(), sentinel)
}

func (h *Handle) failure(op operation, w word, subject *Subject, sentinel error) error {
	failure := &Error{Operation: operationNames[op], Err: sentinel, State: w.state()}
	if subject != nil {
		failure.Subject = *subject
	}
	if buildtag.Debug {
		failure.Stacks = h.history.Load().report()
	}
	return failure
}
