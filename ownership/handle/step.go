// SPDX-License-Identifier: Apache-2.0

package handle

import "github.com/tombolo-arrow/tombolo/ownership/buildtag"

// word packs all that a transition changes, so that it is one compare-and-swap: the state in 3
// bits, how many borrow in 14, how many hold in 14, calls of Release in 7, the generation in 26.
type word uint64

const (
	stateBits      = 3
	countBits      = 14
	releaseBits    = 7
	borrowShift    = stateBits
	holderShift    = borrowShift + countBits
	releaseShift   = holderShift + countBits
	generationFrom = releaseShift + releaseBits
	countMax       = 1<<countBits - 1 // borrowers, and holders, of one struct
	releasesMax    = 1<<releaseBits - 1

	oneBorrow     word = 1 << borrowShift
	oneHolder     word = 1 << holderShift
	oneRelease    word = 1 << releaseShift
	oneGeneration word = 1 << generationFrom
)

func (w word) state() State       { return State(w & (1<<stateBits - 1)) }
func (w word) borrows() uint64    { return uint64(w>>borrowShift) & countMax }
func (w word) holders() uint64    { return uint64(w>>holderShift) & countMax }
func (w word) releases() uint64   { return uint64(w>>releaseShift) & releasesMax }
func (w word) generation() uint32 { return uint32(w >> generationFrom) }
func (w word) with(s State) word  { return w&^(1<<stateBits-1) | word(s) }
func (w word) live() bool         { return w.state() >= Owned && w.state() <= Shared }

// nobody is a word without holders and borrowers; alone has one holder.
func (w word) nobody(s State) word { return w>>releaseShift<<releaseShift | word(s) }
func (w word) alone(s State) word  { return w.nobody(s) | oneHolder }

// renewed is the word of the next generation.
func (w word) renewed() word { return w>>generationFrom<<generationFrom + oneGeneration }

// counted adds a call of Release, as far as the count goes.
func (w word) counted() word {
	if w.releases() == releasesMax {
		return w
	}
	return w + oneRelease
}

type operation uint8

const (
	opOwn operation = iota
	opRetain
	opRelease
	opMove
	opLend
	opBorrow
	opGiveBack
	opUse
	opView
)

var operationNames = [...]string{
	"own", "retain", "release", "move", "lend", "borrow", "give back", "use", "read",
}

// step is the state machine: what an operation makes of a word, or why it is wrong.
func step(op operation, w word) (word, error) {
	switch op {
	case opOwn, opBorrow:
		return stepTake(op, w)
	case opGiveBack:
		if w.state() != Borrowed {
			return w, ErrNotBorrowed
		}
		return w.nobody(Released), nil
	}
	switch w.state() {
	case Empty:
		return w, ErrEmpty
	case Moved:
		return w, ErrMoved
	case Released:
		if op == opRelease {
			return w, ErrDoubleRelease
		}
		return w, ErrUseAfterRelease
	case Borrowed:
		if op != opUse {
			return w, ErrBorrowed
		}
	}
	switch op {
	case opRetain:
		if w.holders() == countMax {
			return w, ErrLimit
		}
		return (w + oneHolder).with(Shared), nil
	case opLend:
		if w.borrows() == countMax {
			return w, ErrLimit
		}
		return w + oneBorrow, nil
	case opRelease:
		return stepRelease(w)
	case opMove:
		if w.state() == Shared {
			return w, ErrShared
		}
		if w.borrows() > 0 {
			return w, ErrReleaseWhileBorrowed
		}
		return w.nobody(Moved), nil
	}
	return w, nil // use
}

func stepTake(op operation, w word) (word, error) {
	if w.live() {
		return w, ErrOwned
	}
	if op == opBorrow {
		return w.renewed().alone(Borrowed), nil
	}
	return w.renewed().alone(Owned), nil
}

func stepRelease(w word) (word, error) {
	switch {
	case w.holders() > 2:
		return w - oneHolder, nil
	case w.holders() == 2:
		return (w - oneHolder).with(Owned), nil
	case w.borrows() > 0:
		return w, ErrReleaseWhileBorrowed
	}
	return w.nobody(Released), nil
}

func (h *Handle) change(op operation) error {
	_, err := h.changed(op)
	return err
}

// changed carries an operation out, or leaves the handle as it is and says why.
func (h *Handle) changed(op operation) (word, error) {
	for {
		before := word(h.word.Load())
		after, err := step(op, before)
		if op == opRelease {
			after = after.counted() // wrong calls too
		}
		if err != nil {
			h.word.CompareAndSwap(uint64(before), uint64(after))
			return before, h.fail(op, before, err)
		}
		if after == before || h.word.CompareAndSwap(uint64(before), uint64(after)) {
			if buildtag.Debug && op != opUse {
				h.record(op)
			}
			return after, nil
		}
	}
}

// undo takes back an operation of which the other half failed, or ends a loan.
func (h *Handle) undo(op operation) {
	if op == opLend {
		h.word.Add(^uint64(oneBorrow) + 1)
		return
	}
	for {
		before := word(h.word.Load())
		if before.state() != Moved ||
			h.word.CompareAndSwap(uint64(before), uint64(before.alone(Owned))) {
			return
		}
	}
}
