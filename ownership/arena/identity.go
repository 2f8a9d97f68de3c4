// SPDX-License-Identifier: Apache-2.0

package arena

// ID names one allocation of an arena from its allocation to its free. It is never 0, and is not
// given again before its block was handed out half a billion times. Holders that outlive a Go slice
// (leases, reservations across processes) keep the ID and look it up.
type ID uint64

// Allocation tells of a live allocation.
type Allocation struct {
	ID       ID
	Address  uintptr
	Length   int64 // as asked for; views may be shorter, the allocation is this long
	Capacity int64 // bytes that the allocation occupies
}

// At returns the live allocation that address lies in, be it its first byte or one further on;
// false when there is none. The answer holds for as long as somebody keeps the allocation from
// being freed. It is safe for concurrent use.
func (a *Arena) At(address uintptr) (Allocation, bool) {
	from := a.slabAt(address)
	if from == nil {
		return Allocation{}, false
	}
	from.home.mu.Lock()
	defer from.home.mu.Unlock()

	index, _ := from.find(address)
	if index >= from.count || from.blocks[index].free() {
		return Allocation{}, false
	}
	return from.allocation(index), true
}

// Lookup returns the live allocation of an ID; false when it is freed or never was. It is safe for
// concurrent use.
func (a *Arena) Lookup(id ID) (Allocation, bool) {
	number := uint64(id) >> (generationBits + indexBits)
	index := uint32(uint64(id) >> generationBits & (1<<indexBits - 1))
	known := a.slabList()
	if number >= uint64(len(known)) {
		return Allocation{}, false
	}
	from := known[number]
	from.home.mu.Lock()
	defer from.home.mu.Unlock()

	if index >= from.count || from.blocks[index].free() || from.id(index) != id {
		return Allocation{}, false
	}
	return from.allocation(index), true
}

// Live says whether length bytes from address lie inside one live allocation, rounded up to a whole
// 64-byte line. It takes a lock: debug builds ask it of every buffer that crosses.
func (a *Arena) Live(address uintptr, length int) bool {
	found, ok := a.At(address)
	end := (found.Length + alignment - 1) &^ (alignment - 1)
	return ok && length >= 0 && int64(address-found.Address)+int64(length) <= end
}

func (s *slab) id(index uint32) ID {
	return ID(uint64(s.number)<<(generationBits+indexBits) | uint64(index)<<generationBits |
		uint64(s.blocks[index].generation))
}

func (s *slab) allocation(index uint32) Allocation {
	return Allocation{ID: s.id(index), Address: s.address(index), Length: s.blocks[index].length,
		Capacity: int64(s.block)}
}

func (a *Arena) slabList() []*slab {
	if known := a.slabs.Load(); known != nil {
		return *known
	}
	return nil
}
