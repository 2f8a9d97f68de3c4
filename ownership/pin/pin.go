// SPDX-License-Identifier: Apache-2.0

// Package pin keeps Go-heap buffers in place while native code reads them.
//
// Memory that crosses lies in an arena, or it is pinned for the time of the call. A [Set] pins the
// buffers of one call; a [Table] makes sets, reuses them and, in debug builds, knows every pinned
// span, so that an exporter can assert that no other address crosses. (The cgocheck2 experiment
// cannot: it does not see addresses that are stored as integers.) The package may import
// ownership/ledger and ownership/buildtag.
package pin

import (
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/tombolo-arrow/tombolo/ownership/buildtag"
	"github.com/tombolo-arrow/tombolo/ownership/ledger"
)

// pinnerPins is how many pins a runtime.Pinner holds without allocating. Found by its benchmark: a
// longer list is dropped on every Unpin.
const pinnerPins = 5

// freeMax bounds the sets that wait for reuse.
const freeMax = 64

// Table makes sets of pins for one engine. It is safe for concurrent use.
type Table struct {
	ledger  *ledger.Ledger
	buffers atomic.Int64
	bytes   atomic.Int64

	mu   sync.Mutex
	free []*Set
	out  map[*Set]struct{} // debug builds: the sets that hold pins
}

// NewTable makes a table whose sets are counted in l while they hold pins.
func NewTable(l *ledger.Ledger) *Table {
	return &Table{ledger: l, out: map[*Set]struct{}{}}
}

// Set is the pinned buffers of one call. It belongs to one goroutine at a time. A set that is
// dropped while it holds pins ends the program at the next collection, as a dropped runtime.Pinner
// does: [Set.Unpin] is not optional.
type Set struct {
	table   *Table
	pinners []runtime.Pinner
	pins    int
	bytes   int64
	ticket  ledger.Ticket
	spans   []span // debug builds
}

type span struct{ address, length uintptr }

// Set returns an empty set. The caller gives it back with [Set.Unpin], or keeps it and uses it
// again after that.
func (t *Table) Set() *Set {
	t.mu.Lock()
	defer t.mu.Unlock()

	if n := len(t.free); n > 0 {
		s := t.free[n-1]
		t.free = t.free[:n-1]
		return s
	}
	return &Set{table: t}
}

// Pin keeps the memory of b in place until Unpin and returns its address, which may be handed to
// native code until then. Memory outside the Go heap needs no pin and gets none. An empty slice of
// a nil array has address 0.
func (s *Set) Pin(b []byte) uintptr {
	first := unsafe.SliceData(b)
	if first == nil {
		return 0
	}
	if s.pins == 0 {
		s.ticket = s.table.ledger.Add(ledger.Pins, 0)
	}
	at := s.pins / pinnerPins
	if at == len(s.pinners) {
		s.pinners = append(s.pinners, runtime.Pinner{})
	}
	s.pinners[at].Pin(first)
	s.pins++
	s.bytes += int64(len(b))
	if buildtag.Debug {
		s.enter(b)
	}
	// Sound: the memory is pinned, so the address stays true until Unpin.
	return uintptr(unsafe.Pointer(first))
}

// Buffers returns how many buffers the set holds.
func (s *Set) Buffers() int { return s.pins }

// Unpin lets go of every buffer; native code must not look at them any more. The set is empty and
// may be used again.
func (s *Set) Unpin() {
	if s.pins == 0 {
		return
	}
	if buildtag.Debug {
		s.leave()
	}
	for i := range (s.pins + pinnerPins - 1) / pinnerPins {
		s.pinners[i].Unpin()
	}
	s.table.buffers.Add(int64(s.pins))
	s.table.bytes.Add(s.bytes)
	s.table.ledger.Remove(ledger.Pins, 0, s.ticket)
	s.pins, s.bytes = 0, 0
}

// Release unpins and gives the set back to its table. The caller does not use it again.
func (s *Set) Release() {
	s.Unpin()
	t := s.table
	t.mu.Lock()
	defer t.mu.Unlock()

	if len(t.free) < freeMax {
		t.free = append(t.free, s)
	}
}

// Totals returns how many buffers and bytes were pinned by sets that are unpinned by now.
func (t *Table) Totals() (buffers, bytes int64) { return t.buffers.Load(), t.bytes.Load() }
