// SPDX-License-Identifier: Apache-2.0

package flights

import "sync"

// turn lets holders of consecutive tickets through one at a time, in order. It makes a consumer see
// batches in the order of the file however many goroutines made them, so that sums, group order and
// files are the same bits for any number.
type turn struct {
	mu     sync.Mutex
	moved  *sync.Cond
	next   int64
	broken bool
}

func newTurn() *turn {
	t := &turn{}
	t.moved = sync.NewCond(&t.mu)
	return t
}

// wait blocks until it is the ticket's turn; it returns false when the queue was broken up.
func (t *turn) wait(ticket int64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()

	for t.next != ticket && !t.broken {
		t.moved.Wait()
	}
	return !t.broken
}

// done lets the next ticket through.
func (t *turn) done() {
	t.mu.Lock()
	t.next++
	t.mu.Unlock()
	t.moved.Broadcast()
}

// breakUp sends everybody away, now and later.
func (t *turn) breakUp() {
	t.mu.Lock()
	t.broken = true
	t.mu.Unlock()
	t.moved.Broadcast()
}
