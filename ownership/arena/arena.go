// SPDX-License-Identifier: Apache-2.0

// Package arena is an arrow-go allocator over memory outside the Go heap.
//
// Batches built with an [Arena] cross to native code with no pin and no copy, because the collector
// knows nothing of their memory. Memory is zeroed, 64-byte aligned and has equal length and
// capacity. Each allocation has an identity that later holders can name it by. The package may
// import ownership/ledger and ownership/buildtag; it needs no cgo.
//
// # Why Allocate panics
//
// The allocator interface of arrow-go has no error result, and a short slice would make arrow-go
// index past it. So [Arena.Allocate] and [Arena.Reallocate] panic with an [*Error] when the bound
// is reached or the system has no memory, as every arrow-go allocator does. Code that wants an
// error calls [Arena.TryAllocate], or runs the arrow-go code under a deferred [Recover].
//
// # How memory is held
//
// An arena reserves one large span of addresses and commits it from the front, so that asking
// whether an address belongs to it is two comparisons. The span is cut into slabs, a slab into
// blocks of one size; free blocks wait in their slab. A slab that is wholly free keeps its memory
// up to a bound and otherwise gives it back to the system, address kept.
package arena

import (
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/tombolo-arrow/tombolo/ownership/ledger"
)

// Defaults and bounds of [Config].
const (
	KeepBytesMaxDefault = 128 << 20 // memory kept for reuse
	ReserveBytesDefault = 64 << 30  // addresses reserved at a time on 64-bit systems
	shardsMax           = 16
)

// Config bounds an arena. The zero value is sensible.
type Config struct {
	// Ledger counts the live allocations; nil makes a ledger of the arena's own.
	Ledger *ledger.Ledger

	// BytesMax bounds the memory that the arena holds, live and kept for reuse together; 0 = no
	// bound.
	BytesMax int64

	// KeepBytesMax bounds the free memory that is kept for reuse; 0 = KeepBytesMaxDefault, negative
	// = none.
	KeepBytesMax int64

	// ReserveBytes is how many addresses to reserve at a time; 0 = ReserveBytesDefault. Where the
	// system refuses, less is reserved. Addresses cost no memory.
	ReserveBytes int64

	// Misuse hears of frees that Free refused. Nil: debug builds panic, release builds only count
	// them.
	Misuse func(error)
}

// Arena is a memory.Allocator of arrow-go over memory outside the Go heap. It is safe for
// concurrent use.
type Arena struct {
	// The first region, never changed after New: Contains reads it without a lock.
	base, span uintptr
	first      *region
	more       atomic.Pointer[[]*region] // regions after the first; nil as a rule

	shards    []shard // the last one serves large blocks
	shardBits uint

	ledger    *ledger.Ledger
	bytesMax  int64
	misuse    func(error)
	misuses   atomic.Int64
	footprint atomic.Int64 // bytes of slabs that hold memory
	peak      atomic.Int64

	mu           sync.Mutex // guards what follows
	regions      []*region
	slabs        atomic.Pointer[[]*slab] // by number; written under mu
	reserveBytes uintptr
	closed       bool
	unmapped     bool
	stopObserve  func()
}

// New opens an arena. The caller closes it. Errors match [ErrMemory] when the system gives no
// addresses, or [ErrUnsupported] on systems without virtual memory.
func New(config Config) (*Arena, error) {
	a := &Arena{ledger: config.Ledger, bytesMax: config.BytesMax, misuse: config.Misuse}
	if a.ledger == nil {
		a.ledger = ledger.New()
	}
	a.reserveBytes = reserveBytes(config.ReserveBytes)
	first, err := reserveRegion(a.reserveBytes, granule)
	if err != nil {
		return nil, err
	}
	first.frontier = granule // the first granule is never cut: empty slices point at it
	a.first, a.base, a.span = first, first.base, first.span
	a.regions = []*region{first}

	count := min(runtime.GOMAXPROCS(0), shardsMax)
	a.shardBits = uint(bits.Len(uint(count - 1)))
	a.shards = make([]shard, 1<<a.shardBits+1)
	keep := config.KeepBytesMax
	if keep == 0 {
		keep = KeepBytesMaxDefault
	}
	for i := range a.shards {
		a.shards[i].arena = a
		a.shards[i].keepMax = max(0, keep/4) >> a.shardBits
	}
	a.shards[len(a.shards)-1].keepMax = max(0, keep-keep/4)
	a.stopObserve = a.ledger.Observe(ledger.ArenaAllocations, a.live)
	return a, nil
}

// Ledger returns the ledger that counts the allocations.
func (a *Arena) Ledger() *ledger.Ledger { return a.ledger }

// Contains says whether length bytes from address lie inside memory of the arena, allocated or not.
// It takes two comparisons, so that an exporter can ask for every buffer. It is safe for concurrent
// use.
func (a *Arena) Contains(address uintptr, length int) bool {
	offset := address - a.base
	if offset < a.span && uintptr(length) <= a.span-offset {
		return true
	}
	return a.containsMore(address, length)
}

// Span returns the address range of the arena's first and as a rule only region. It does not change, so a caller
// may keep it and ask Contains only about addresses outside.
func (a *Arena) Span() (base, bytes uintptr) { return a.base, a.span }

func (a *Arena) containsMore(address uintptr, length int) bool {
	more := a.more.Load()
	if more == nil {
		return false
	}
	for _, r := range *more {
		if offset := address - r.base; offset < r.span && uintptr(length) <= r.span-offset {
			return true
		}
	}
	return false
}

// Close gives the memory back to the system and ends allocation. While allocations are live it
// returns an error that matches [ErrLive], and the memory goes with the last of them: memory in use
// is never unmapped. A second call does nothing more and says the same.
func (a *Arena) Close() error {
	a.lockShards()
	defer a.unlockShards()

	for i := range a.shards {
		a.shards[i].closed = true
	}
	objects, bytes := a.sumLive()
	if objects != 0 {
		return &Error{Operation: "close", Err: ErrLive, Objects: objects, Bytes: bytes}
	}
	a.unmap()
	return nil
}

// unmapIfEmpty runs after a free on a closed arena.
func (a *Arena) unmapIfEmpty() {
	a.lockShards()
	defer a.unlockShards()

	if objects, _ := a.sumLive(); objects == 0 {
		a.unmap()
	}
}

// unmap gives all regions back. Every shard is locked, closed and without live blocks.
func (a *Arena) unmap() {
	a.mu.Lock()
	defer a.mu.Unlock()

	if a.unmapped {
		return
	}
	a.unmapped = true
	a.stopObserve()
	for i := range a.shards {
		a.shards[i].forget()
	}
	for _, r := range a.regions {
		r.giveBack()
	}
	a.regions = nil
	a.footprint.Store(0)
}

func (a *Arena) lockShards() {
	for i := range a.shards {
		a.shards[i].mu.Lock()
	}
}

func (a *Arena) unlockShards() {
	for i := range a.shards {
		a.shards[i].mu.Unlock()
	}
}
