// SPDX-License-Identifier: Apache-2.0

package abi

import (
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	arrowmemory "github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tombolo-arrow/tombolo/ownership/arena"
	"github.com/tombolo-arrow/tombolo/ownership/buildtag"
	"github.com/tombolo-arrow/tombolo/ownership/handle"
	"github.com/tombolo-arrow/tombolo/ownership/ledger"
	"github.com/tombolo-arrow/tombolo/ownership/pin"
)

// foreignMemory says what becomes of buffers outside the arena.
type foreignMemory uint8

const (
	pinForeign  foreignMemory = iota // pinned until the block comes back
	copyForeign                      // copied into the arena
)

// retained is what keeps the memory of an export alive.
type retained interface{ Release() }

// slot is the Go side of one export block. Whoever took it from the free list owns it.
type slot struct {
	// What an export reads, together.
	block    uintptr
	low      uintptr // start of the arena's span
	reach    uintptr // its length
	child    uintptr // the release callback of everything below the root
	nodes    []node
	layout   *layout
	exporter *Exporter
	arena    *arena.Arena
	foreign  foreignMemory
	number   uint32

	held   retained      // set while the block is out
	away   handle.Handle // the receiver's ownership of a block that outlives a call
	ticket ledger.Ticket
	pins   *pin.Set
	pinned int64 // buffers pinned since the last recycle
	copies [][]byte
	failed error   // why a copy could not be made
	spills []spill // by view column
}

type spill struct {
	address uintptr
	bytes   int
}

// root is the address of the top ArrowArray.
func (s *slot) root() uintptr { return s.block + ExportBlockBytes }

// word is a list head of the block's own: a block that comes back within its call needs no shared one.
func (s *slot) word() uintptr { return s.block + unsafe.Offsetof(ExportBlock{}.Reserved) }

// writeStatic writes what is the same for every export of the layout.
func (s *slot) writeStatic() {
	for i := range s.nodes {
		n := &s.nodes[i]
		a := at[ArrowArray](s.block + n.arrayAt)
		*a = ArrowArray{
			NBuffers: int64(classBuffers[n.class]), NChildren: int64(len(n.children)), PrivateData: s.block,
		}
		if a.NBuffers > 0 {
			a.Buffers = s.block + n.buffersAt
		}
		if len(n.children) > 0 {
			a.Children = s.block + n.pointersAt
			for k, child := range n.children {
				*at[uintptr](a.Children + uintptr(8*k)) = s.block + s.nodes[child].arrayAt
			}
		}
		if n.values >= 0 {
			a.Dictionary = s.block + s.nodes[n.values].arrayAt
		}
	}
	*at[uintptr](s.block + s.nodes[0].buffersAt) = 0 // the validity of a batch
}

// newSlot makes a block and writes its static parts.
func (e *Exporter) newSlot() *slot {
	s := &slot{
		exporter: e, layout: e.layout, nodes: e.layout.nodes, arena: e.arena, child: e.releases.Child,
		block: e.memory.allocate(e.layout.bytes),
	}
	s.low, s.reach = e.arena.Span()
	s.spills = make([]spill, e.layout.views)
	s.writeStatic()
	e.mu.Lock()
	defer e.mu.Unlock()

	s.number = uint32(len(e.slots))
	at[ExportBlock](s.block).Slot = s.number
	e.slots = append(e.slots, s)
	return s
}

// foreignAddress makes a buffer outside the arena's first span fit to cross; 0 when there is no memory for a copy.
func (s *slot) foreignAddress(buffer *arrowmemory.Buffer) uintptr {
	content := buffer.Bytes()
	if s.arena.Contains(addressOf(unsafe.SliceData(content)), len(content)) {
		return addressOf(unsafe.SliceData(content))
	}
	if s.foreign == pinForeign {
		if s.pins == nil {
			s.pins = s.exporter.pins.Set()
		}
		s.pinned++
		return s.pins.Pin(content)
	}
	fresh, err := s.arena.TryAllocate(len(content))
	if err != nil {
		s.failed = err
		return 0
	}
	copy(fresh, content)
	s.copies = append(s.copies, fresh)
	s.exporter.copied.Add(int64(len(content)))
	return addressOf(unsafe.SliceData(fresh))
}

// spill returns memory for the buffer table of a view column; the slot keeps it for the next batch.
func (s *slot) spill(view, bytes int) uintptr {
	place := &s.spills[view]
	if place.bytes < bytes {
		if place.address != 0 {
			s.exporter.memory.release(place.address, place.bytes)
		}
		place.address, place.bytes = s.exporter.memory.allocate(2*bytes), 2*bytes
	}
	return place.address
}

// let lets go of what the export held.
func (s *slot) let() {
	if buildtag.Debug {
		s.poison()
	}
	if s.pinned > 0 {
		s.pins.Unpin()
		s.pinned = 0
	}
	for i, content := range s.copies {
		s.arena.Free(content)
		s.copies[i] = nil
	}
	s.copies, s.failed = s.copies[:0], nil
	if s.held != nil {
		s.held.Release()
		s.held = nil
	}
}

// recycle makes the block free for the next export.
func (s *slot) recycle() {
	s.let()
	s.exporter.free.give(s)
}

// returned tells whether a block that was armed with its own word has come back.
func (s *slot) returned() bool {
	word := at[uint64](s.word())
	if atomic.LoadUint64(word) == 0 {
		return false
	}
	*word = 0 // nobody else writes it until the block is armed again
	return true
}

// stray keeps a block that a callee did not release within its call, against its contract, until it does.
func (e *Exporter) stray(s *slot, batch arrow.RecordBatch) {
	batch.Retain()
	s.held = batch
	e.mu.Lock()
	e.strays = append(e.strays, s)
	e.mu.Unlock()
	if err := e.sent(s); err != nil {
		e.faults.add(err)
	}
}

// dispose frees the block.
func (s *slot) dispose() {
	if s.pins != nil {
		s.pins.Release()
	}
	for _, place := range s.spills {
		if place.address != 0 {
			s.exporter.memory.release(place.address, place.bytes)
		}
	}
	s.exporter.memory.release(s.block, s.layout.bytes)
}

// reclaim drains when something waits: one load when idle.
func (e *Exporter) reclaim() {
	if atomic.LoadUint64(at[uint64](e.queue)) != 0 {
		e.Drain()
	}
}

// Drain takes in every block that was released before the call. It is safe for concurrent use.
func (e *Exporter) Drain() {
	e.drains.Lock()
	defer e.drains.Unlock()

	e.takeIn()
}

// takeIn settles what has come back, and frees a closed exporter with its last block. The drains are locked.
func (e *Exporter) takeIn() {
	if e.freed {
		return
	}
	if e.out.Load() > 0 {
		for _, s := range e.released() {
			e.settle(s)
		}
	}
	if e.closed.Load() && e.out.Load() == 0 {
		e.freeAll()
	}
}

// released collects the slots whose blocks have come back.
func (e *Exporter) released() []*slot {
	block := atomic.SwapUint64(at[uint64](e.queue), 0)
	e.mu.Lock()
	defer e.mu.Unlock()

	// Every block of the list is in slots by now, since it was entered when it was made.
	back := e.back[:0]
	for block != 0 {
		head := at[ExportBlock](uintptr(block))
		block = head.Next
		back = append(back, e.slots[head.Slot])
	}
	strays := e.strays[:0]
	for _, s := range e.strays {
		if s.returned() {
			back = append(back, s)
		} else {
			strays = append(strays, s)
		}
	}
	e.strays, e.back = strays, back
	return back
}

// settle ends the export of a block that was out.
func (e *Exporter) settle(s *slot) {
	if _, err := s.away.Release(); err != nil {
		e.faults.add(err)
		return
	}
	e.ledger.Remove(ledger.ExportBlocks, int64(e.layout.bytes), s.ticket)
	s.recycle()
	e.out.Add(-1)
}

// Pauses of the goroutine that drains while exports are out.
const (
	watchPauseMin = 200 * time.Microsecond
	watchPauseMax = 50 * time.Millisecond
)

// watch starts a goroutine that drains while exports are out, so that memory goes back even when nobody exports
// or looks at the ledger any more.
func (e *Exporter) watch() {
	e.mu.Lock()
	defer e.mu.Unlock()

	if e.waits {
		return
	}
	e.waits = true
	go func() {
		for pause := watchPauseMin; ; pause = min(2*pause, watchPauseMax) {
			time.Sleep(pause)
			e.Drain()
			e.mu.Lock()
			if e.out.Load() == 0 {
				e.waits = false
				e.mu.Unlock()
				return
			}
			e.mu.Unlock()
		}
	}()
}

// take returns a free block or makes one.
func (e *Exporter) take() *slot {
	if s := e.free.take(); s != nil {
		return s
	}
	return e.newSlot()
}
