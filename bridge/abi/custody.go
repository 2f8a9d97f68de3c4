// SPDX-License-Identifier: Apache-2.0

package abi

import (
	"sync/atomic"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/ownership/handle"
)

// Every struct that outlives a call has a handle: imported and foreign arrays, foreign schemas, exports that were
// handed out, bound kernels, objects, states. The export of a call has none: a frame has it alone, it is back when
// the call returns, and a callee that keeps it makes it an export that was handed out. Children and dictionaries go
// with their root: this package never moves one out, and one that came released is an error of its kind.

// What the handles of this package say they hold.
var (
	arraySubject       = &handle.Subject{Kind: handle.Array}
	schemaSubject      = &handle.Subject{Kind: handle.Schema}
	objectSubject      = &handle.Subject{Kind: handle.Object}
	boundKernelSubject = &handle.Subject{Kind: handle.BoundKernel}
	stateSubject       = &handle.Subject{Kind: handle.KernelState}
)

// ownFresh makes a fresh handle owned, which a handle in use alone would refuse.
func ownFresh(h *handle.Handle, subject *handle.Subject) {
	if err := h.Own(subject); err != nil {
		panic("abi: " + err.Error())
	}
}

// gone makes the error of a struct that its handle does not let go on: it matches bridge.ErrReleased and the
// handle's sentinel, and errors.As finds the [*handle.Error].
func gone(kernel, text string, cause error) error {
	failure := bridge.NewError(bridge.CodeReleased, kernel, text)
	failure.Cause = cause
	return failure
}

// goneInC is gone for a struct of somebody else whose release is NULL. C does not tell released from moved.
func goneInC(kind handle.Kind, text string) error { return gone("", text, releasedInC(kind)) }

func releasedInC(kind handle.Kind) error {
	return &handle.Error{
		Operation: "import", Err: handle.ErrUseAfterRelease, State: handle.Released,
		Subject: handle.Subject{Kind: kind},
	}
}

// faults keeps the first wrong change of ownership by somebody who cannot be told: C code, a buffer's free. What
// it concerned was left alone.
type faults struct{ first atomic.Pointer[error] }

func (f *faults) add(err error) { f.first.CompareAndSwap(nil, &err) }

func (f *faults) err() error {
	if first := f.first.Load(); first != nil {
		return *first
	}
	return nil
}
