// SPDX-License-Identifier: Apache-2.0

package arena

import (
	"errors"
	"fmt"
	"strings"
)

// Sentinels for errors.Is. Every error of this package is an [*Error] that matches one of them.
var (
	ErrLimit       = errors.New("byte bound of the arena reached")           // BytesMax
	ErrMemory      = errors.New("the system gives no more memory")           // reserve, commit
	ErrSize        = errors.New("size is negative or too large")             // Allocate
	ErrClosed      = errors.New("arena is closed")                           // allocation after Close
	ErrLive        = errors.New("arena has live allocations")                // Close
	ErrForeign     = errors.New("memory is not an allocation of this arena") // Free, Reallocate
	ErrDoubleFree  = errors.New("memory is freed already")                   // Free, Reallocate
	ErrOverwritten = errors.New("freed memory was written to")               // debug builds, at reuse
	ErrUnsupported = errors.New("no memory outside the Go heap here")        // New
)

// Error is a failed operation of an arena. Objects, Bytes and ID are 0 where they do not apply.
type Error struct {
	Operation string
	Err       error
	Objects   int64
	Bytes     int64
	ID        ID
	Cause     error  // what the system said, or nil
	Stacks    string // debug builds: where the memory was freed before
}

// Error gives static text first and numbers last.
func (e *Error) Error() string {
	var text strings.Builder
	text.WriteString("arena " + e.Operation + ": " + e.Err.Error())
	if e.Cause != nil {
		text.WriteString(": " + e.Cause.Error())
	}
	if e.Objects != 0 {
		fmt.Fprintf(&text, ", %d allocations", e.Objects)
	}
	if e.Bytes != 0 {
		fmt.Fprintf(&text, ", %d bytes", e.Bytes)
	}
	if e.ID != 0 {
		fmt.Fprintf(&text, ", allocation %#x", uint64(e.ID))
	}
	if e.Stacks != "" {
		text.WriteString("\n" + e.Stacks)
	}
	return text.String()
}

// Is matches the sentinel.
func (e *Error) Is(target error) bool { return e.Err == target }

// Unwrap returns what the system said, or nil.
func (e *Error) Unwrap() error { return e.Cause }

// Recover turns a panic of an arena into an error, and passes any other panic on. Defer it around
// arrow-go code that allocates:
//
//	func build(mem *arena.Arena) (batch arrow.RecordBatch, err error) {
//		defer arena.Recover(&err)
//		...
//	}
func Recover(err *error) {
	switch failure := recover().(type) {
	case nil:
	case *Error:
		*err = failure
	default:
		panic(failure)
	}
}
