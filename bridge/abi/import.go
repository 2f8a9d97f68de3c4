// SPDX-License-Identifier: Apache-2.0

package abi

import (
	"runtime"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/ownership/handle"
	"github.com/tombolo-arrow/tombolo/ownership/ledger"
)

// Importer turns C arrays into arrow-go arrays that look into the same memory. Every import consumes its input,
// on success and on failure: the C struct is moved, its release is NULL on return, and the producer's release
// runs exactly once, when the last buffer of the result is released or, after a failure, at once.
//
// The structure is always checked: counts, pointers, overflow, nesting. Values are checked when a full check is
// given. An Importer is safe for concurrent use.
type Importer struct {
	caller Caller
	ledger *ledger.Ledger
	memory *memory
	own    bool
	done   atomic.Int64
	faults *faults
}

// NewImporter makes an importer. The ledger counts what it has out; the caller closes it.
func NewImporter(caller Caller, ledger *ledger.Ledger) *Importer {
	return &Importer{caller: caller, ledger: ledger, memory: &memory{}, own: true, faults: &faults{}}
}

// Close gives back the importer's memory, as soon as no import is alive. Imports stay valid.
func (im *Importer) Close() {
	if im.own {
		im.memory.close()
	}
}

// Imports is how many arrays were imported with success.
func (im *Importer) Imports() int64 { return im.done.Load() }

// Fault is the first wrong free of an imported buffer, or nil: an error that matches handle.ErrDoubleRelease. The
// array was not released again.
func (im *Importer) Fault() error { return im.faults.err() }

// Check looks at the values of a C array whose structure is in order, and consumes nothing.
type Check func(a *ArrowArray) error

// Batch imports a C struct array as a record batch of schema. A batch has no validity of its own, so a struct
// with null rows is refused with an error that matches bridge.ErrUnsupported; its offset is honoured. check may
// be nil. The result is the caller's to release.
func (im *Importer) Batch(schema *arrow.Schema, a *ArrowArray, check Check) (arrow.RecordBatch, error) {
	layout, err := newLayout(schema)
	if err != nil {
		im.refuse(a)
		return nil, err
	}
	return im.batch(layout, a, check, nil)
}

// Array imports a C array of a type. check may be nil. The result is the caller's to release.
func (im *Importer) Array(typ arrow.DataType, a *ArrowArray, check Check) (arrow.Array, error) {
	layout, err := newArrayLayout(typ)
	if err != nil {
		im.refuse(a)
		return nil, err
	}
	return im.values(layout, a, check, nil)
}

func (im *Importer) values(
	layout *layout, a *ArrowArray, check Check, from *handle.Handle,
) (values arrow.Array, err error) {
	r, err := im.begin(layout, a, check, from)
	if err != nil {
		return nil, err
	}
	defer r.end(&err)

	data, err := r.data(0, r.holder.array, 0, -1)
	if err != nil {
		return nil, err
	}
	values = array.MakeFromData(data)
	data.Release()
	return values, nil
}

func (im *Importer) batch(
	layout *layout, a *ArrowArray, check Check, from *handle.Handle,
) (batch arrow.RecordBatch, err error) {
	r, err := im.begin(layout, a, check, from)
	if err != nil {
		return nil, err
	}
	defer r.end(&err)

	top := r.holder.array
	if err := r.shape(&layout.nodes[0], top); err != nil {
		return nil, err
	}
	if err := r.noNulls(top); err != nil {
		return nil, err
	}
	children := span[uintptr](top.Children, len(layout.nodes[0].children))
	columns := make([]arrow.Array, 0, len(children))
	defer func() {
		for _, column := range columns {
			column.Release()
		}
	}()
	for i, position := range layout.nodes[0].children {
		data, err := r.child(position, children[i], top.Offset, top.Length)
		if err != nil {
			return nil, atColumn(err, i)
		}
		columns = append(columns, array.MakeFromData(data))
		data.Release()
	}
	return array.NewRecordBatch(layout.schema, columns, top.Length), nil
}

// atColumn names the column of an error.
func atColumn(err error, column int) error {
	if failure, ok := err.(*bridge.Error); ok {
		failure.Column = column
	}
	return err
}

// holder keeps one imported C array alive: it is the allocator of every buffer that looks into it. The array is
// owned by the import, shared as soon as a buffer looks into it, and owned by the buffers when the import is done.
// They are one holder together, since a wide batch has more of them than a handle counts.
type holder struct {
	leftover
	root    handle.Handle
	buffers atomic.Int64
	cleanup runtime.Cleanup
}

// leftover is what is needed to release a C array; it must not reach its holder.
type leftover struct {
	importer *Importer
	array    *ArrowArray
	bytes    int64
	ticket   ledger.Ticket
}

// begin moves the C struct out of the caller's memory and makes its holder, which the import owns. from is the handle
// that owned the struct so far, nil when there is none.
func (im *Importer) begin(layout *layout, a *ArrowArray, check Check, from *handle.Handle) (*reader, error) {
	if a == nil {
		return nil, invalid("array is NULL")
	}
	if a.Release == 0 {
		return nil, goneInC(handle.Array, "array was released already")
	}
	h := &holder{leftover: leftover{importer: im, array: at[ArrowArray](im.memory.allocate(ArrowArrayBytes))}}
	if err := h.take(from); err != nil {
		im.memory.release(addressOf(h.array), ArrowArrayBytes)
		return nil, err
	}
	*h.array = *a
	a.Release = 0
	r := &reader{layout: layout, holder: h}
	if check == nil {
		return r, nil
	}
	// The check reads values, so the structure has to be in order first.
	if err := r.walk(0, h.array); err != nil {
		h.giveUp()
		return nil, err
	}
	if err := check(h.array); err != nil {
		h.giveUp()
		return nil, err
	}
	return r, nil
}

// take makes the import the owner.
func (h *holder) take(from *handle.Handle) error {
	if from == nil {
		return h.root.Own(arraySubject)
	}
	return from.Move(&h.root)
}

// refuse consumes an array that is not looked at.
func (im *Importer) refuse(a *ArrowArray) {
	if a != nil && a.Release != 0 {
		im.caller.Call(a.Release, addressOf(a), 0, 0, 0, 0, 0)
		a.Release = 0
	}
}

// end gives up the import's own hold. Where arrow-go panicked over an array, the array is refused instead: what
// was built of it is unreachable.
func (r *reader) end(err *error) {
	h := r.holder
	if failure := recover(); failure != nil {
		*err = invalid("arrow-go refuses the array")
		for h.root.Holders() > 0 {
			h.giveUp()
		}
		return
	}
	if *err == nil {
		h.bytes = r.bytes
		h.ticket = h.importer.ledger.Add(ledger.ImportedArrays, h.bytes)
		h.importer.done.Add(1)
		h.cleanup = runtime.AddCleanup(h, leftover.leaked, h.leftover)
	}
	h.giveUp()
}

// Allocate is part of memory.Allocator; imported buffers do not grow in place.
func (h *holder) Allocate(size int) []byte { return make([]byte, size) }

// Reallocate copies to the Go heap; the buffer still gives up its hold with Free.
func (h *holder) Reallocate(size int, b []byte) []byte {
	grown := make([]byte, size)
	copy(grown, b)
	return grown
}

// hold counts a buffer that looks into the array.
func (h *holder) hold() error {
	if h.buffers.Add(1) > 1 {
		return nil
	}
	return h.root.Retain()
}

// Free is part of memory.Allocator: a buffer is gone, and with the last one the hold of all.
func (h *holder) Free([]byte) {
	if h.buffers.Add(-1) <= 0 {
		h.giveUp()
	}
}

// giveUp ends a hold of the import or of the buffers; the last one releases the C array, as its owner wants it.
func (h *holder) giveUp() {
	last, err := h.root.Release()
	if err != nil {
		h.importer.faults.add(err)
		return
	}
	if !last {
		return
	}
	if h.cleanup != (runtime.Cleanup{}) {
		h.cleanup.Stop()
		h.importer.ledger.Remove(ledger.ImportedArrays, h.bytes, h.ticket)
	}
	h.release()
}

// leaked is the cleanup of a holder that nobody reaches any more; so nobody reaches its handle either.
func (l leftover) leaked() {
	l.importer.ledger.Leaked(ledger.ImportedArrays, l.bytes, l.ticket)
	l.release()
}

func (l leftover) release() {
	l.importer.caller.Call(l.array.Release, addressOf(l.array), 0, 0, 0, 0, 0)
	l.importer.memory.release(addressOf(l.array), ArrowArrayBytes)
}
