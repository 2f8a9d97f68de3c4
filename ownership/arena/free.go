// SPDX-License-Identifier: Apache-2.0

package arena

import (
	"unsafe"

	"github.com/tombolo-arrow/tombolo/ownership/buildtag"
)

// Free takes back what Allocate or Reallocate returned; b may be shorter than it was, as long as it
// starts at the same byte. What [Arena.TryFree] refuses goes to Config.Misuse; without that, debug
// builds panic and release builds count it and leave the memory alone. It is safe for concurrent
// use.
func (a *Arena) Free(b []byte) {
	if err := a.TryFree(b); err != nil {
		a.report(err)
	}
}

// TryFree takes back what Allocate or Reallocate returned. Errors are [*Error]s that match
// [ErrForeign] or [ErrDoubleFree], and change nothing. A second free is detected until the block is
// handed out again; after that it would free the new holder's memory, as with any allocator. It is
// safe for concurrent use.
func (a *Arena) TryFree(b []byte) error {
	address := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	if cap(b) == 0 && (address == 0 || address == a.base) {
		return nil
	}
	from := a.slabAt(address)
	if from == nil {
		return &Error{Operation: "free", Err: ErrForeign}
	}
	home := from.home
	home.mu.Lock()
	index, err := from.check("free", address)
	if err != nil {
		home.mu.Unlock()
		return err
	}
	if buildtag.Debug || buildtag.ASan {
		a.takeBack(from, index)
	}
	home.give(from, index)
	closed := home.closed
	home.mu.Unlock()
	if closed {
		a.unmapIfEmpty()
	}
	return nil
}

// Reallocate returns size bytes that begin with the content of b and are zero from there on; b is
// consumed. It grows and shrinks in place where the block allows. It panics with an [*Error] where
// Allocate would, and then b is still the caller's; misuse of b is treated as by Free, and a new
// allocation is returned. It is safe for concurrent use.
func (a *Arena) Reallocate(size int, b []byte) []byte {
	if cap(b) == 0 {
		return a.Allocate(size)
	}
	if size == 0 {
		a.Free(b)
		return a.Allocate(0)
	}
	grown, ok := a.resize(size, b)
	if ok {
		return grown
	}
	grown = a.Allocate(size)
	copy(grown, b)
	a.Free(b)
	return grown
}

// resize changes the length of a block in place; false when it cannot, or b is not a live
// allocation.
func (a *Arena) resize(size int, b []byte) ([]byte, bool) {
	address := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	from := a.slabAt(address)
	if from == nil || size < 0 || uintptr(size) > from.block {
		return nil, false
	}
	if uintptr(size) < from.block/2 && from.block > alignment*linearClasses {
		return nil, false // a much smaller block will do
	}
	home := from.home
	home.mu.Lock()
	index, err := from.check("reallocate", address)
	if err != nil {
		home.mu.Unlock()
		return nil, false
	}
	before := from.blocks[index].length
	from.blocks[index].length = int64(size)
	home.bytes += int64(size) - before
	home.mu.Unlock()
	if buildtag.ASan {
		unpoison(address, from.block)
	}
	whole := unsafe.Slice((*byte)(pointer(address)), from.block)
	if int64(size) < before {
		clear(whole[size:before]) // slack stays zero, so that growing needs no care
	}
	if buildtag.ASan {
		poisonSlack(address, uintptr(size), from.block)
	}
	return whole[:size:size], true
}

// check finds the live block that starts at address. The home shard is locked.
func (s *slab) check(operation string, address uintptr) (uint32, error) {
	index, exact := s.find(address)
	if !exact || index >= s.count || s.blocks[index].generation == 0 {
		return 0, &Error{Operation: operation, Err: ErrForeign}
	}
	if s.blocks[index].free() {
		return 0, &Error{Operation: operation, Err: ErrDoubleFree, ID: s.id(index),
			Stacks: s.freedStack(index)}
	}
	return index, nil
}

// slabAt finds the slab of an address without a lock, or nil.
func (a *Arena) slabAt(address uintptr) *slab {
	if offset := address - a.base; offset < a.span {
		return a.first.find(offset)
	}
	more := a.more.Load()
	if more == nil {
		return nil
	}
	for _, r := range *more {
		if offset := address - r.base; offset < r.span {
			return r.find(offset)
		}
	}
	return nil
}

func (a *Arena) report(err error) {
	a.misuses.Add(1)
	switch {
	case a.misuse != nil:
		a.misuse(err)
	case buildtag.Debug:
		panic(err)
	}
}
