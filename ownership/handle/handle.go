// SPDX-License-Identifier: Apache-2.0

// Package handle is the state of a C struct that has one owner at a time.
//
// A [Handle] stands beside each struct that crosses: the root of an array, each child, a
// dictionary, a schema, a stream. Every change of ownership is a method, and a wrong one is an
// [*Error]: release builds return it, debug builds add where the struct changed hands before. A
// handle frees nothing itself: [Handle.Release] tells the caller when to. The package may import
// ownership/buildtag.
//
//	         Own                 Retain
//	empty ---------> owned <---------------> shared (counted)
//	                  |  \       Release        |
//	             Move |   \ Release             | Release of the last holder
//	                  v    v                    v
//	                moved  released <-----------+
//
// Moved and released structs may be owned again: the handle then has a new generation, and a [View]
// of an older one fails. A borrower has a handle of its own, in the state borrowed, whose owner
// cannot release or move the struct until [Handle.GiveBack].
package handle

import "sync/atomic"

// State is who holds a struct.
type State uint8

// The states.
const (
	Empty    State = iota // nothing was put here yet
	Owned                 // the holder releases it
	Borrowed              // valid until the owner takes it back; not the holder's to release
	Shared                // several holders; the last one releases
	Moved                 // another handle owns it now
	Released              // its memory is gone
)

var stateNames = [...]string{"empty", "owned", "borrowed", "shared", "moved", "released"}

// String returns the adjective.
func (s State) String() string {
	if int(s) < len(stateNames) {
		return stateNames[s]
	}
	return "unknown"
}

// Handle is the ownership of one C struct. The zero value is empty and ready to use; it must not be
// copied. Its methods are safe for concurrent use and allocate only when they fail or in debug
// builds.
type Handle struct {
	word    atomic.Uint64
	subject atomic.Pointer[Subject]
	lender  atomic.Pointer[Handle] // of a borrowed handle
	history atomic.Pointer[history]
}

// Subject says what a struct is, for errors. Name is given by the program and holds no data values.
// Handles keep the pointer that they are given, so a subject does not change once it is in use.
type Subject struct {
	Kind     Kind
	Name     string // of the batch or schema it belongs to
	Position int    // among the structs of its kind
}

// Own takes a struct that nobody holds here: the handle becomes owned, with a new generation.
// Owning a live struct again fails with [ErrOwned]. subject may be nil.
func (h *Handle) Own(subject *Subject) error {
	if err := h.change(opOwn); err != nil {
		return err
	}
	if h.subject.Load() != subject {
		h.subject.Store(subject)
	}
	return nil
}

// Retain adds a holder; each calls Release once.
func (h *Handle) Retain() error { return h.change(opRetain) }

// Release gives up one hold. When last is true it was the last one, and the caller now frees the
// struct. It fails with [ErrDoubleRelease], [ErrMoved], [ErrReleaseWhileBorrowed], or [ErrBorrowed]
// on a borrowed handle; the struct must then not be freed.
func (h *Handle) Release() (last bool, err error) {
	word, err := h.changed(opRelease)
	return err == nil && word.state() == Released, err
}

// Move makes to the owner of the struct, and leaves this handle moved. It fails with
// [ErrReleaseWhileBorrowed] while somebody borrows, with [ErrShared] while several hold it, with
// [ErrOwned] when to holds another struct.
func (h *Handle) Move(to *Handle) error {
	if err := h.change(opMove); err != nil {
		return err
	}
	if err := to.Own(h.subject.Load()); err != nil {
		h.undo(opMove)
		return err
	}
	return nil
}

// Borrow lends the struct to another handle, which must be given back before this one is released
// or moved.
func (h *Handle) Borrow(to *Handle) error {
	if err := h.change(opLend); err != nil {
		return err
	}
	if err := to.change(opBorrow); err != nil {
		h.undo(opLend)
		return err
	}
	to.subject.Store(h.subject.Load())
	to.lender.Store(h)
	return nil
}

// GiveBack ends a loan: this handle, a borrowed one, is released, and its owner is free to release
// or move. It fails with [ErrNotBorrowed] on any other handle.
func (h *Handle) GiveBack() error {
	if err := h.change(opGiveBack); err != nil {
		return err
	}
	h.lender.Load().undo(opLend)
	return nil
}

// Use says whether the struct may be read now: nil, or an error that matches [ErrUseAfterRelease],
// [ErrMoved] or [ErrEmpty].
func (h *Handle) Use() error { return h.change(opUse) }

// State returns the state.
func (h *Handle) State() State { return word(h.word.Load()).state() }

// Holders returns how many hold the struct: 0 for none, more than 1 when shared.
func (h *Handle) Holders() int { return int(word(h.word.Load()).holders()) }

// Releases returns how often Release was called since the struct was owned, wrong calls included. A
// struct that was released in C counts as the caller tells it, by Release. The count stops at 127.
func (h *Handle) Releases() int { return int(word(h.word.Load()).releases()) }

// Generation returns how often the handle was owned. Numbers return after 64 million.
func (h *Handle) Generation() uint32 { return word(h.word.Load()).generation() }

// View is a look at what a handle holds now. It is a value to copy freely.
type View struct {
	handle     *Handle
	subject    *Subject
	generation uint32
}

// View returns a look at the present generation.
func (h *Handle) View() View { return View{h, h.subject.Load(), h.Generation()} }

// Check is nil as long as the struct that the view was made of is held; after its release, move or
// reuse it fails, for certain, with an error that matches [ErrUseAfterRelease] and names the
// struct. The zero View always fails.
func (v View) Check() error {
	if v.handle == nil {
		return &Error{Operation: "read", Err: ErrUseAfterRelease}
	}
	current := word(v.handle.word.Load())
	if current.generation() == v.generation && current.live() {
		return nil
	}
	return v.handle.failure(opView, current, v.subject, ErrUseAfterRelease)
}
