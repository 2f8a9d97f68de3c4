// SPDX-License-Identifier: Apache-2.0

package arena

import "github.com/tombolo-arrow/tombolo/ownership/ledger"

// slab is a run of addresses cut into blocks of one size. Its home shard's lock guards all but the
// fields that never change.
type slab struct {
	base   uintptr
	block  uintptr // bytes of a block
	bytes  uintptr // of the slab
	home   *shard
	number uint32
	count  uint32 // blocks
	class  int

	used   uint32 // blocks handed out
	carved uint32 // blocks handed out at least once; the others wait behind them
	head   uint32 // first free block, counted from 1; 0 = none
	cold   bool   // wholly free and without memory
	blocks []block

	previous, next *slab // neighbours in the list of the shard

	marks []mark // debug builds
}

// block tells of one block. Length is the length asked for while the block is handed out; in a free
// block it is the complement of how many bytes from its start may not be zero.
type block struct {
	length     int64
	generation uint32 // how many times it was handed out, modulo the bits of an ID
	next       uint32 // next free block, counted from 1
}

// mark is what a debug build keeps of a block.
type mark struct {
	ticket ledger.Ticket
	freed  []uintptr // where it was freed last
}

func (b *block) free() bool                  { return b.length < 0 }
func (b *block) dirty() int64                { return ^b.length }
func (s *slab) address(index uint32) uintptr { return s.base + uintptr(index)*s.block }

// pop hands out a free block; there is one.
func (s *slab) pop() uint32 {
	s.used++
	if s.head == 0 {
		s.carved++
		return s.carved - 1
	}
	index := s.head - 1
	s.head = s.blocks[index].next
	return index
}

// push takes a block back.
func (s *slab) push(index uint32) {
	s.blocks[index].next = s.head
	s.head = index + 1
	s.used--
}

// find returns the block that address lies in; exact says whether it is the block's first byte.
func (s *slab) find(address uintptr) (index uint32, exact bool) {
	offset := address - s.base
	if s.count == 1 {
		return 0, offset == 0
	}
	quotient := uint32(offset) / uint32(s.block) // slabs of many blocks are small
	return quotient, uint32(offset) == quotient*uint32(s.block)
}

func newSlab(base uintptr, class int, home *shard, number uint32) *slab {
	size := classBytes(class)
	s := &slab{base: base, block: size, bytes: slabBytes(size), home: home, number: number}
	s.class = class
	s.count = uint32(s.bytes / size)
	if size > mediumSlab/4 {
		s.count = 1
	}
	s.blocks = make([]block, s.count)
	for i := range s.blocks {
		s.blocks[i].length = ^0
	}
	return s
}
