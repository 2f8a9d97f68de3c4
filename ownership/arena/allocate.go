// SPDX-License-Identifier: Apache-2.0

package arena

import (
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tombolo-arrow/tombolo/ownership/buildtag"
)

var _ memory.Allocator = (*Arena)(nil)

// Allocate returns size zeroed bytes, aligned to 64, with capacity equal to length. The caller
// frees them. It panics with an [*Error] where [Arena.TryAllocate] returns one. It is safe for
// concurrent use.
func (a *Arena) Allocate(size int) []byte {
	b, err := a.TryAllocate(size)
	if err != nil {
		panic(err)
	}
	return b
}

// TryAllocate returns size zeroed bytes, aligned to 64, with capacity equal to length. The caller
// frees them; an allocation of 0 bytes needs no free. Errors are [*Error]s that match [ErrSize],
// [ErrLimit], [ErrMemory] or [ErrClosed], and leave nothing allocated. Before it fails, the arena
// gives back what it keeps for reuse and drains the ledger once. It is safe for concurrent use.
func (a *Arena) TryAllocate(size int) ([]byte, error) {
	if size <= 0 || size > sizeMax {
		if size == 0 {
			return unsafe.Slice((*byte)(pointer(a.base)), 0), nil
		}
		return nil, &Error{Operation: "allocate", Err: ErrSize}
	}
	class := classOf(uintptr(size))
	home := a.shardFor(uintptr(size))
	home.mu.Lock()
	from, index, dirty := home.take(class, int64(size))
	home.mu.Unlock()
	if from == nil {
		var err error
		if from, index, dirty, err = a.takeSlow(home, class, int64(size)); err != nil {
			return nil, err
		}
	}
	start := pointer(from.address(index))
	if buildtag.Debug || buildtag.ASan {
		a.handOut(from, index, dirty)
	}
	if dirty > 0 {
		clear(unsafe.Slice((*byte)(start), dirty))
	}
	if buildtag.ASan {
		poisonSlack(from.address(index), uintptr(size), from.block)
	}
	// Sound: the block is size bytes or more of committed memory, and this call is its only holder.
	return unsafe.Slice((*byte)(start), size), nil
}

// takeSlow looks into the other shards and then makes room in home.
func (a *Arena) takeSlow(home *shard, class int, length int64) (*slab, uint32, int64, error) {
	for i := range a.shards {
		other := &a.shards[i]
		if other == home || !other.mu.TryLock() {
			continue
		}
		from, index, dirty := other.take(class, length)
		other.mu.Unlock()
		if from != nil {
			return from, index, dirty, nil
		}
	}
	bytes := int64(slabBytes(classBytes(class)))
	if err := a.claim(bytes); err != nil {
		return nil, 0, 0, err
	}
	from, index, dirty, err := a.grow(home, class, length)
	if err != nil {
		a.footprint.Add(-bytes)
	}
	return from, index, dirty, err
}

// claim counts bytes against the bound. It makes room by giving back free memory, then by taking in
// releases.
func (a *Arena) claim(bytes int64) error {
	for attempt := 0; ; attempt++ {
		total := a.footprint.Add(bytes)
		if a.bytesMax <= 0 || total <= a.bytesMax {
			for peak := a.peak.Load(); total > peak && !a.peak.CompareAndSwap(peak, total); {
				peak = a.peak.Load()
			}
			return nil
		}
		a.footprint.Add(-bytes)
		switch attempt {
		case 0:
			a.Trim()
		case 1:
			a.ledger.Drain()
			a.Trim()
		default:
			return &Error{Operation: "allocate", Err: ErrLimit, Bytes: bytes}
		}
	}
}

// grow takes a block of a slab that had no memory so far. Its bytes are claimed.
func (a *Arena) grow(home *shard, class int, length int64) (*slab, uint32, int64, error) {
	home.mu.Lock()
	defer home.mu.Unlock()

	if !home.closed && !home.warm(class) {
		home.mu.Unlock()
		fresh, err := a.carve(home, class)
		home.mu.Lock()
		if err != nil {
			return nil, 0, 0, err
		}
		home.link(&home.partial[class], fresh)
		home.kept += int64(fresh.bytes)
	}
	if home.closed {
		return nil, 0, 0, &Error{Operation: "allocate", Err: ErrClosed}
	}
	from, index, dirty := home.take(class, length)
	return from, index, dirty, nil
}

// carve cuts a new slab from the last region, or from a new one.
func (a *Arena) carve(home *shard, class int) (*slab, error) {
	a.mu.Lock()
	defer a.mu.Unlock()

	if a.unmapped {
		return nil, &Error{Operation: "allocate", Err: ErrClosed}
	}
	known := a.slabList()
	if len(known) == 1<<numberBits {
		return nil, &Error{Operation: "allocate", Err: ErrMemory}
	}
	bytes := slabBytes(classBytes(class))
	last := a.regions[len(a.regions)-1]
	base, fits, err := last.cut(bytes)
	if !fits {
		if last, err = a.extend(bytes); err == nil {
			base, _, err = last.cut(bytes)
		}
	}
	if err != nil {
		return nil, err
	}
	fresh := newSlab(base, class, home, uint32(len(known)))
	known = append(known, fresh)
	a.slabs.Store(&known)
	last.enter(fresh)
	return fresh, nil
}

// extend reserves another region with room for bytes. Arena.mu is held.
func (a *Arena) extend(bytes uintptr) (*region, error) {
	r, err := reserveRegion(max(a.reserveBytes, bytes), bytes)
	if err != nil {
		return nil, err
	}
	a.regions = append(a.regions, r)
	more := append([]*region(nil), a.regions[1:]...)
	a.more.Store(&more)
	return r, nil
}

// pointer turns an address of the arena into a pointer. Sound: the memory lies outside the Go heap,
// so the collector neither moves nor frees it, and a pointer to it is never wrong.
func pointer(address uintptr) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Pointer(&address))
}
