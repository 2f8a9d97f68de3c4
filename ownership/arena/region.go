// SPDX-License-Identifier: Apache-2.0

package arena

import (
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/tombolo-arrow/tombolo/ownership/buildtag"
)

const (
	commitBytes     = 4 << 20  // committed at a time
	reserveBytesMin = 16 << 20 // below this a reservation is not worth it
	chunkSlabs      = 4096     // table entries in a chunk
	spareMax        = 16       // reservations kept for the next arena of the process
)

// region is one reserved span of addresses. Its table finds the slab of an address; readers need no
// lock.
type region struct {
	base, span uintptr
	frontier   uintptr // offset of the first byte that no slab has; guarded by Arena.mu
	committed  uintptr // offset up to which memory may be touched; guarded by Arena.mu
	table      []atomic.Pointer[chunk]
}

type chunk [chunkSlabs]atomic.Pointer[slab]

// spares are spans of closed arenas. An address range that once belonged to an arena is not given
// to other code, as long as there is room here: a stale Contains stays harmless.
var spares struct {
	sync.Mutex
	regions []*region
}

func reserveBytes(wanted int64) uintptr {
	if wanted <= 0 {
		wanted = ReserveBytesDefault
	}
	limit := int64(1) << min(46, bits.UintSize-3) // 512 MiB on 32-bit systems
	rounded := (uintptr(min(wanted, limit)) + granule - 1) / granule * granule
	return max(rounded, 4*granule)
}

// reserveRegion reserves wanted bytes, or less where the system refuses, but never less than
// needed.
func reserveRegion(wanted, needed uintptr) (*region, error) {
	if r := spareRegion(wanted); r != nil {
		return r, nil
	}
	var cause error
	for span := max(wanted, needed); ; span /= 2 {
		span = max(span, needed) / granule * granule
		base, err := reserve(span)
		if err == nil {
			r := &region{base: base, span: span}
			r.table = make([]atomic.Pointer[chunk], span/granule/chunkSlabs+1)
			return r, nil
		}
		cause = err
		if span == needed || span/2 < max(needed, reserveBytesMin) {
			break
		}
	}
	if cause == ErrUnsupported {
		return nil, &Error{Operation: "open", Err: ErrUnsupported}
	}
	return nil, &Error{Operation: "reserve", Err: ErrMemory, Bytes: int64(needed), Cause: cause}
}

func spareRegion(span uintptr) *region {
	spares.Lock()
	defer spares.Unlock()

	for i, r := range spares.regions {
		if r.span == span {
			spares.regions = append(spares.regions[:i], spares.regions[i+1:]...)
			return r
		}
	}
	return nil
}

// giveBack returns the memory, and the addresses if enough of them wait already.
func (r *region) giveBack() {
	spare := &region{base: r.base, span: r.span}
	if buildtag.ASan {
		unpoison(r.base, r.committed) // the addresses may serve other code next
	}
	if r.committed > 0 && protect(r.base, r.committed) != nil {
		unreserve(r.base, r.span)
		return
	}
	spares.Lock()
	defer spares.Unlock()

	if len(spares.regions) == spareMax {
		unreserve(r.base, r.span)
		return
	}
	spare.table = make([]atomic.Pointer[chunk], len(r.table))
	spares.regions = append(spares.regions, spare)
}

// cut takes bytes from the front of what is left; false when it does not fit. Arena.mu is held.
func (r *region) cut(bytes uintptr) (base uintptr, fits bool, err error) {
	start := r.frontier
	if bytes > r.span-start {
		return 0, false, nil
	}
	if end := start + bytes; end > r.committed {
		grown := min((end+commitBytes-1)/commitBytes*commitBytes, r.span)
		if err := commit(r.base+r.committed, grown-r.committed); err != nil {
			return 0, true, &Error{Operation: "allocate", Err: ErrMemory, Bytes: int64(bytes), Cause: err}
		}
		r.committed = grown
	}
	r.frontier = start + bytes
	return r.base + start, true, nil
}

// enter makes the slab findable by every address of it. Arena.mu is held.
func (r *region) enter(s *slab) {
	first := (s.base - r.base) / granule
	for i := first; i < first+s.bytes/granule; i++ {
		part := r.table[i/chunkSlabs].Load()
		if part == nil {
			part = new(chunk)
			r.table[i/chunkSlabs].Store(part)
		}
		part[i%chunkSlabs].Store(s)
	}
}

// find returns the slab of an offset into the region, or nil.
func (r *region) find(offset uintptr) *slab {
	i := offset >> (granuleShift & 63)
	part := r.table[i/chunkSlabs].Load()
	if part == nil {
		return nil
	}
	return part[i%chunkSlabs].Load()
}
