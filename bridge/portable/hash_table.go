// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"context"
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
)

// hashSeeds keeps the keys of one table apart from those of any other: an input that makes one table slow says
// nothing about the next. Seeds move keys about inside a table and never show in a result.
type hashSeeds [4]uint64

func randomSeeds() hashSeeds {
	return hashSeeds{rand.Uint64(), rand.Uint64() | 1, rand.Uint64(), rand.Uint64()}
}

// fold multiplies to 128 bits and folds the halves, so that every input bit reaches the high output bits.
func fold(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return high ^ low
}

// longTag hashes a text of 8 bytes or more to 63 bits under a set top bit.
func (s *hashSeeds) longTag(text []byte) uint64 {
	hash := s[2] ^ uint64(len(text))
	rest := text
	for len(rest) > 16 {
		hash = fold(binary.LittleEndian.Uint64(rest)^s[3], binary.LittleEndian.Uint64(rest[8:])^hash)
		rest = rest[16:]
	}
	// The last two words may overlap: the tail of the text always fills them.
	first := binary.LittleEndian.Uint64(text[max(0, len(text)-16):])
	last := binary.LittleEndian.Uint64(text[len(text)-8:])
	return fold(first^s[3], last^hash) | textLong
}

// hashTable maps 64-bit keys to int32 references by open addressing. It keeps at least half of its slots free.
type hashTable struct {
	slots []hashSlot
	shift int
	count int
	seeds hashSeeds
	ctx   context.Context // of the call that fills the table; nil where none may end it
}

// hashSlot is free when reference is 0; it holds the reference plus one.
type hashSlot struct {
	key       uint64
	reference uint32
}

const hashSlotsMin = 16

func newHashTable(capacity int) hashTable {
	table := hashTable{seeds: randomSeeds()}
	table.reserve(capacity)
	return table
}

// pollSlots is how many slots are laid out anew between two looks at the context.
const pollSlots = pollBytes / 16

// reserve makes room for capacity keys in all. Where the context has ended it may leave the table as it is, if that can
// do without: a block of keys, before the next of which the caller looks at the context itself, fills an eighth of it
// at most, and three are free.
func (t *hashTable) reserve(capacity int) {
	ctx := t.ctx
	if len(t.slots) < 8*keyBlockRows || 8*t.count >= 5*len(t.slots) || ctx == nil {
		ctx = context.Background()
	}
	t.reserveWithin(ctx, capacity)
}

// reserveWithin leaves the table as it is where the context ends first.
func (t *hashTable) reserveWithin(ctx context.Context, capacity int) {
	size := max(hashSlotsMin, len(t.slots))
	for size < 2*capacity {
		size *= 2
	}
	if size == len(t.slots) || ctx.Err() != nil {
		return
	}
	larger := hashTable{
		slots: makeWithin[hashSlot](ctx, size), shift: 64 - bits.TrailingZeros(uint(size)), seeds: t.seeds,
	}
	if larger.slots == nil {
		return
	}
	mask := size - 1
	for i, slot := range t.slots {
		if i%pollSlots == 0 && ctx.Err() != nil {
			return
		}
		if slot.reference == 0 {
			continue
		}
		at := larger.start(slot.key)
		for larger.slots[at].reference != 0 {
			at = (at + 1) & mask
		}
		larger.slots[at] = slot
	}
	t.slots, t.shift = larger.slots, larger.shift
}

// besideMin is how many elements are made beside the call: about a millisecond of clearing.
const besideMin = 1 << 18

// makeWithin makes a slice, or gives nil where the context ends first. Clearing much memory cannot be ended, but it
// need not be waited for: what nobody waits for is the collector's.
func makeWithin[T any](ctx context.Context, size int) []T {
	if size < besideMin || ctx.Done() == nil {
		return make([]T, size)
	}
	made := make(chan []T, 1)
	go func() { made <- make([]T, size) }()
	select {
	case slice := <-made:
		return slice
	case <-ctx.Done():
		return nil
	}
}

func (t *hashTable) start(key uint64) int {
	return int(fold(key^t.seeds[0], t.seeds[1]) >> t.shift)
}

// find returns the reference of a key, or -1.
func (t *hashTable) find(key uint64) int32 {
	mask := len(t.slots) - 1
	for at := t.start(key) & mask; ; at = (at + 1) & mask {
		slot := &t.slots[at]
		if slot.key == key || slot.reference == 0 {
			return int32(slot.reference) - 1
		}
	}
}

// next continues a search that stopped at a slot whose key is equal but whose text is not.
func (t *hashTable) findText(tag uint64, text []byte, keys *textHeap) int32 {
	mask := len(t.slots) - 1
	for at := t.start(tag) & mask; ; at = (at + 1) & mask {
		slot := &t.slots[at]
		if slot.reference == 0 {
			return -1
		}
		if slot.key == tag && string(keys.at(int32(slot.reference)-1)) == string(text) {
			return int32(slot.reference) - 1
		}
	}
}

// insert adds a key that is not in the table, or a text whose tag may be.
func (t *hashTable) insert(key uint64, reference int32) {
	if 2*(t.count+1) > len(t.slots) {
		t.reserve(t.count + 1)
	}
	mask := len(t.slots) - 1
	at := t.start(key) & mask
	for t.slots[at].reference != 0 {
		at = (at + 1) & mask
	}
	t.slots[at] = hashSlot{key: key, reference: uint32(reference) + 1}
	t.count++
}
