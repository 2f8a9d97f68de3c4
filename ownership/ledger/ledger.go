// SPDX-License-Identifier: Apache-2.0

// Package ledger counts what an engine has out: live objects and bytes by kind.
//
// Whoever makes an object that must be released later adds it here and removes it when it is
// released, so that one look tells whether anything is left. A ledger frees nothing and decides
// nothing. The package imports only ownership/buildtag.
package ledger

import (
	"sync"
	"sync/atomic"
)

// Ledger counts live objects and bytes by kind for one engine. Make one with [New]. It is safe for
// concurrent use; adding or removing is two uncontended atomic additions and never blocks.
type Ledger struct {
	base  [kindCount]Cell
	leaks [kindCount]leakCount

	mu     sync.Mutex // guards writers of the two lists below
	cells  atomic.Pointer[[]*Cell]
	gauges atomic.Pointer[[]*gauge]
	hooks  atomic.Pointer[[]*hook]

	trace  trace
	onLeak atomic.Pointer[func(Leak)]
}

// Ticket names one addition, so that a debug build can say where a forgotten object was made. It is
// 0 in release builds. Whoever adds keeps the ticket beside the object and hands it back on
// removal.
type Ticket uint64

// New returns an empty ledger. It holds no memory outside the Go heap and needs no close.
func New() *Ledger {
	l := &Ledger{}
	for kind := range l.base {
		l.base[kind].ledger, l.base[kind].kind = l, Kind(kind)
	}
	return l
}

// Add counts one more object of a kind, with the bytes that it keeps alive. It is safe for
// concurrent use.
func (l *Ledger) Add(kind Kind, bytes int64) Ticket { return l.base[kind].Add(bytes) }

// Remove takes back what one Add counted; bytes and ticket are those of that Add. It is safe for
// concurrent use.
func (l *Ledger) Remove(kind Kind, bytes int64, ticket Ticket) {
	l.base[kind].Remove(bytes, ticket)
}

// Resize changes the bytes of a live object by delta. It is safe for concurrent use.
func (l *Ledger) Resize(kind Kind, delta int64) { l.base[kind].bytes.Add(delta) }

// Cell is one owner's share of a kind, on cache lines of its own: a shard of a pool that keeps its
// own cell counts without touching memory that other shards write. An object may be added through
// one cell and removed through another.
type Cell struct {
	added   atomic.Int64
	removed atomic.Int64
	bytes   atomic.Int64
	ledger  *Ledger
	kind    Kind
	_       [128 - 40]byte // two lines: neighbours are fetched in pairs
}

// Cell returns a new share of kind that lives as long as the ledger, so it is for owners made once
// per engine, not per call.
func (l *Ledger) Cell(kind Kind) *Cell {
	cell := &Cell{ledger: l, kind: kind}
	l.mu.Lock()
	defer l.mu.Unlock()

	appendTo(&l.cells, cell)
	return cell
}

// Add counts one more object with the bytes that it keeps alive. It is safe for concurrent use.
func (c *Cell) Add(bytes int64) Ticket {
	c.added.Add(1)
	if bytes != 0 {
		c.bytes.Add(bytes)
	}
	return c.ledger.trace.enter(c.kind, bytes)
}

// Remove takes back what one Add of any cell of this kind counted. It is safe for concurrent use.
func (c *Cell) Remove(bytes int64, ticket Ticket) {
	c.removed.Add(1)
	if bytes != 0 {
		c.bytes.Add(-bytes)
	}
	c.ledger.trace.leave(ticket)
}

// appendTo publishes a longer copy of a list; readers never see a list change under them.
func appendTo[T any](list *atomic.Pointer[[]*T], item *T) {
	grown := append(append([]*T{}, load(list)...), item)
	list.Store(&grown)
}

// removeFrom publishes a copy of a list without item.
func removeFrom[T any](list *atomic.Pointer[[]*T], item *T) {
	var kept []*T
	for _, other := range load(list) {
		if other != item {
			kept = append(kept, other)
		}
	}
	list.Store(&kept)
}

func load[T any](list *atomic.Pointer[[]*T]) []*T {
	if items := list.Load(); items != nil {
		return *items
	}
	return nil
}
