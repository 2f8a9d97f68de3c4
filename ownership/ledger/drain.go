// SPDX-License-Identifier: Apache-2.0

package ledger

import "sync"

type hook struct {
	running sync.RWMutex // read-held while drain runs, so that a deregistration waits for it
	removed bool
	drain   func()
}

type gauge struct {
	kind Kind
	read func() (objects, bytes int64)
}

// OnDrain registers a function that takes in releases which wait in a queue: it runs before every
// read of the ledger and on [Ledger.Drain]. It may be called from several goroutines at once and
// returns only when every release that was queued before the call is accounted for, also when
// another goroutine is at it. It must not read the ledger, allocate from an arena of it, or
// deregister itself.
//
// The function returned deregisters it, waits until no call is running, and may be called twice.
func (l *Ledger) OnDrain(drain func()) (stop func()) {
	entry := &hook{drain: drain}
	l.mu.Lock()
	defer l.mu.Unlock()

	appendTo(&l.hooks, entry)
	return func() {
		l.mu.Lock()
		removeFrom(&l.hooks, entry)
		l.mu.Unlock()

		entry.running.Lock()
		entry.removed = true
		entry.running.Unlock()
	}
}

// Drain runs every registered drain. It is safe for concurrent use.
func (l *Ledger) Drain() {
	for _, entry := range load(&l.hooks) {
		entry.running.RLock()
		if !entry.removed {
			entry.drain()
		}
		entry.running.RUnlock()
	}
}

// Observe adds a count that is kept elsewhere, such as the live bytes of a native allocator, to
// every read of kind. read must be safe for concurrent use and must not read the ledger. The
// function returned deregisters it; a read that has begun may still be running when it returns.
func (l *Ledger) Observe(kind Kind, read func() (objects, bytes int64)) (stop func()) {
	entry := &gauge{kind: kind, read: read}
	l.mu.Lock()
	defer l.mu.Unlock()

	appendTo(&l.gauges, entry)
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()

		removeFrom(&l.gauges, entry)
	}
}
