// SPDX-License-Identifier: Apache-2.0

package abi

import (
	"sync"
	"sync/atomic"
	"unsafe"
)

// freeShards is the number of single places in front of a free list.
const freeShards = 8

// freeList keeps free items. A goroutine first tries a place of its own, with one exchange; what does not fit
// there goes to a list behind a mutex. It is safe for concurrent use.
type freeList[T any] struct {
	places [freeShards]struct {
		item atomic.Pointer[T]
		_    [120]byte
	}
	mu   sync.Mutex
	rest []*T
}

// shard picks a place by the goroutine's stack: goroutines that run at once have different ones.
func shard() int {
	var here byte
	// The address is only hashed; it is never turned back into a pointer.
	return int(uintptr(unsafe.Pointer(&here)) >> 11 % freeShards)
}

// take returns a free item, or nil.
func (f *freeList[T]) take() *T {
	place := &f.places[shard()].item
	if place.Load() != nil {
		if item := place.Swap(nil); item != nil {
			return item
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()

	if len(f.rest) == 0 {
		return nil
	}
	item := f.rest[len(f.rest)-1]
	f.rest = f.rest[:len(f.rest)-1]
	return item
}

// give takes an item back.
func (f *freeList[T]) give(item *T) {
	if place := &f.places[shard()].item; place.Load() == nil && place.CompareAndSwap(nil, item) {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()

	f.rest = append(f.rest, item)
}

// empty takes every item out.
func (f *freeList[T]) empty() []*T {
	f.mu.Lock()
	defer f.mu.Unlock()

	items := f.rest
	f.rest = nil
	for i := range f.places {
		if item := f.places[i].item.Swap(nil); item != nil {
			items = append(items, item)
		}
	}
	return items
}
