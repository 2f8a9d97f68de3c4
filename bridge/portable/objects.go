// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"runtime"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tombolo-arrow/tombolo/ownership/ledger"
)

// objectKind is one kind of prepared object. prepare gets a batch that it must retain or copy if it
// keeps it.
type objectKind struct {
	name    string
	prepare func(c *call, batch arrow.RecordBatch, o *options) (object, error)
}

// object is the inside of a prepared object: immutable and safe for concurrent use. release is
// called once, when nobody holds the object any more.
type object interface {
	release()
}

// handleCore is an object with its holders: the user's handle, bound kernels and their states.
type handleCore struct {
	kind    string
	value   object
	holders holders
	ledger  *ledger.Ledger
	ticket  ledger.Ticket
}

func (c *handleCore) release() {
	if c.holders.drop() {
		c.value.release()
	}
}

// forgotten is the cleanup of a handle that nobody reaches any more.
func (c *handleCore) forgotten() {
	c.ledger.Leaked(ledger.Objects, 0, c.ticket)
	c.release()
}

// handle is the user's hold on an object.
type handle struct {
	core     *handleCore
	released atomic.Bool
	cleanup  runtime.Cleanup
}

func newHandle(counts *ledger.Ledger, kind string, value object) *handle {
	core := &handleCore{kind: kind, value: value, ledger: counts}
	core.ticket = counts.Add(ledger.Objects, 0)
	core.holders.count.Store(1)
	h := &handle{core: core}
	h.cleanup = runtime.AddCleanup(h, (*handleCore).forgotten, core)
	return h
}

// Kind implements bridge.Object.
func (h *handle) Kind() string { return h.core.kind }

// Release implements bridge.Object.
func (h *handle) Release() {
	if h.released.Swap(true) {
		return
	}
	h.cleanup.Stop()
	h.core.ledger.Remove(ledger.Objects, 0, h.core.ticket)
	h.core.release()
}

func (h *handle) retain() bool { return !h.released.Load() && h.core.holders.take() }

// batchObject is the object kind "batch": a batch as it is.
type batchObject struct {
	batch arrow.RecordBatch
}

func (b *batchObject) release() { b.batch.Release() }

func batchKinds() []objectKind {
	return []objectKind{{
		name: "batch",
		prepare: func(_ *call, batch arrow.RecordBatch, _ *options) (object, error) {
			batch.Retain()
			return &batchObject{batch: batch}, nil
		},
	}}
}
