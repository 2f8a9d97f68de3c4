// SPDX-License-Identifier: Apache-2.0

package arena

import (
	"sync"
	"unsafe"
)

// shard holds a part of the arena's slabs under a lock of its own. A block always returns to the
// shard of its slab, whoever frees it, so memory does not pile up in the shard of a consumer.
type shard struct {
	mu      sync.Mutex
	arena   *Arena
	partial [classCount]*slab // slabs with memory and a free block, last used first
	cold    [classCount]*slab // wholly free slabs without memory
	live    int64
	bytes   int64 // lengths of live blocks
	kept    int64 // bytes of wholly free slabs with memory
	keepMax int64
	closed  bool
	_       [64]byte
}

// shardFor picks a shard by the caller's stack, which is as good as a processor number: goroutines
// that run at once have different stacks.
func (a *Arena) shardFor(size uintptr) *shard {
	if size > largeBlock {
		return &a.shards[len(a.shards)-1]
	}
	var local byte
	// The address is only hashed; it is never turned back into a pointer.
	stack := uint64(uintptr(unsafe.Pointer(&local))) >> 15
	return &a.shards[stack*0x9E3779B97F4A7C15>>(64-a.shardBits)&(1<<a.shardBits-1)]
}

// take hands out a block of a class with the given length, or nil when no slab with memory has one.
// The shard is locked.
func (s *shard) take(class int, length int64) (*slab, uint32, int64) {
	from := s.partial[class]
	if from == nil || s.closed {
		return nil, 0, 0
	}
	if from.used == 0 {
		s.kept -= int64(from.bytes)
	}
	index := from.pop()
	if from.used == from.count {
		s.unlink(&s.partial[class], from)
	}
	taken := &from.blocks[index]
	dirty := taken.dirty()
	taken.length = length
	taken.generation = (taken.generation + 1) & (1<<generationBits - 1)
	s.live++
	s.bytes += length
	return from, index, dirty
}

// give takes back a block that is handed out. The shard is locked.
func (s *shard) give(from *slab, index uint32) {
	taken := &from.blocks[index]
	s.live--
	s.bytes -= taken.length
	// Writers may fill up to a whole number of lines, so the whole of the last line counts as
	// written.
	taken.length = ^((taken.length + alignment - 1) &^ (alignment - 1))
	if from.used == from.count {
		s.link(&s.partial[from.class], from)
	}
	from.push(index)
	if from.used > 0 {
		return
	}
	s.kept += int64(from.bytes)
	if s.kept > s.keepMax {
		s.chill(from)
	}
}

// chill gives the memory of a wholly free slab back to the system. The shard is locked.
func (s *shard) chill(from *slab) {
	if decommit(from.base, from.bytes) != nil {
		return // it stays warm
	}
	for i := range from.blocks {
		from.blocks[i].length = ^0
	}
	from.cold = true
	s.unlink(&s.partial[from.class], from)
	s.link(&s.cold[from.class], from)
	s.kept -= int64(from.bytes)
	s.arena.footprint.Add(-int64(from.bytes))
}

// warm makes a cold slab of the class usable again; the caller has claimed its bytes. The shard is
// locked.
func (s *shard) warm(class int) bool {
	from := s.cold[class]
	if from == nil {
		return false
	}
	s.unlink(&s.cold[class], from)
	from.cold = false
	s.link(&s.partial[class], from)
	s.kept += int64(from.bytes)
	return true
}

// trim gives back the memory of every wholly free slab. The shard is locked.
func (s *shard) trim() {
	for class := range s.partial {
		for from := s.partial[class]; from != nil; {
			next := from.next
			if from.used == 0 {
				s.chill(from)
			}
			from = next
		}
	}
}

// forget drops all slabs.
func (s *shard) forget() {
	clear(s.partial[:])
	clear(s.cold[:])
	s.kept = 0
}

func (s *shard) link(list **slab, item *slab) {
	item.previous, item.next = nil, *list
	if item.next != nil {
		item.next.previous = item
	}
	*list = item
}

func (s *shard) unlink(list **slab, item *slab) {
	if item.previous != nil {
		item.previous.next = item.next
	} else {
		*list = item.next
	}
	if item.next != nil {
		item.next.previous = item.previous
	}
	item.previous, item.next = nil, nil
}
