// SPDX-License-Identifier: Apache-2.0

package abi

import (
	"sync"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/ownership/arena"
	"github.com/tombolo-arrow/tombolo/ownership/buildtag"
	"github.com/tombolo-arrow/tombolo/ownership/ledger"
	"github.com/tombolo-arrow/tombolo/ownership/pin"
)

// Releases are the addresses of the release callbacks in [Host]. They run on any thread and never call Go.
type Releases struct {
	Root        uintptr
	Child       uintptr
	Schema      uintptr
	SchemaChild uintptr
}

// Exporter lays out arrays of one schema as C structs. An export is one pooled block outside the Go heap whose
// static parts were written when the block was made, and again for receivers that may overwrite them. Exporting
// writes lengths, null counts, offsets and buffer addresses, and in the steady state allocates nothing.
//
// An Exporter is safe for concurrent use; releases may come from any thread.
type Exporter struct {
	layout   *layout
	releases Releases
	arena    *arena.Arena
	ledger   *ledger.Ledger
	memory   *memory
	pins     *pin.Table
	rewrite  bool                         // the receiver may move structs and wipe where they were
	accepted atomic.Pointer[arrow.Schema] // the schema checked last

	queue uintptr // 8-byte head of the list of released blocks that were exported with Export
	free  freeList[slot]

	mu     sync.Mutex
	slots  []*slot
	strays []*slot // blocks that a callee kept past its call
	back   []*slot // room for released
	out    atomic.Int64
	drains sync.Mutex
	waits  bool // a drain goroutine runs
	closed atomic.Bool
	freed  bool

	copied atomic.Int64
	faults *faults
	stop   func()
}

// NewExporter makes an exporter for record batches of schema. The memory of the arena crosses as it is; other
// memory is copied into the arena. Blocks that are out are counted in the ledger. The caller closes it.
func NewExporter(
	schema *arrow.Schema, releases Releases, arena *arena.Arena, ledger *ledger.Ledger,
) (*Exporter, error) {
	layout, err := newLayout(schema)
	if err != nil {
		return nil, err
	}
	return ownExporter(layout, releases, arena, ledger), nil
}

// NewArrayExporter is NewExporter for single arrays of a type.
func NewArrayExporter(
	typ arrow.DataType, releases Releases, arena *arena.Arena, ledger *ledger.Ledger,
) (*Exporter, error) {
	layout, err := newArrayLayout(typ)
	if err != nil {
		return nil, err
	}
	return ownExporter(layout, releases, arena, ledger), nil
}

func ownExporter(layout *layout, releases Releases, arena *arena.Arena, ledger *ledger.Ledger) *Exporter {
	e := newExporter(layout, releases, arena, ledger, &memory{}, pin.NewTable(ledger))
	e.rewrite = true
	e.stop = ledger.OnDrain(e.Drain)
	return e
}

// newExporter makes an exporter whose blocks come from memory and whose drains are the caller's business.
func newExporter(
	layout *layout, releases Releases, arena *arena.Arena, ledger *ledger.Ledger, memory *memory, pins *pin.Table,
) *Exporter {
	return &Exporter{
		layout: layout, releases: releases, arena: arena, ledger: ledger, memory: memory, pins: pins,
		queue: memory.allocate(8), faults: &faults{},
	}
}

// Export lays out a batch as a C struct array and returns its address. The struct and all below it are the
// receiver's until it calls release, on any thread; children may be moved out first. The batch stays the
// caller's and is retained until then. Memory that does not belong to the arena is copied into it. Export must
// not run while the exporter is being closed.
//
// From here to the return of the block its handle is owned, by the receiver.
func (e *Exporter) Export(batch arrow.RecordBatch) (uintptr, error) {
	if e.closed.Load() {
		return 0, bridge.ErrClosed
	}
	e.reclaim()
	s := e.take()
	if err := s.exportBatch(batch, e.queue, copyForeign); err != nil {
		s.recycle()
		return 0, err
	}
	batch.Retain()
	s.held = batch
	if err := e.sent(s); err != nil {
		return 0, err
	}
	return s.root(), nil
}

// ExportArray is Export for one array, of an exporter made by NewArrayExporter.
func (e *Exporter) ExportArray(values arrow.Array) (uintptr, error) {
	if e.closed.Load() {
		return 0, bridge.ErrClosed
	}
	e.reclaim()
	s := e.take()
	if err := s.exportArray(values, e.queue, copyForeign); err != nil {
		s.recycle()
		return 0, err
	}
	values.Retain()
	s.held = values
	if err := e.sent(s); err != nil {
		return 0, err
	}
	return s.root(), nil
}

// sent makes the receiver the owner of a block, counts it and sees to it that somebody drains.
func (e *Exporter) sent(s *slot) error {
	if err := s.away.Own(arraySubject); err != nil {
		return err
	}
	s.ticket = e.ledger.Add(ledger.ExportBlocks, int64(e.layout.bytes))
	if e.out.Add(1) == 1 {
		e.watch()
	}
	return nil
}

// Fault is the first block that came back a second time, or nil: an error that matches handle.ErrDoubleRelease. It
// was left alone.
func (e *Exporter) Fault() error { return e.faults.err() }

// CopiedBytes is how many bytes were copied because their memory could not cross.
func (e *Exporter) CopiedBytes() int64 { return e.copied.Load() }

// Outstanding is how many exports are out.
func (e *Exporter) Outstanding() int64 { return e.out.Load() }

// Close gives back the blocks. Exports that are out stay valid; the last release frees what is left. A second call
// does nothing.
func (e *Exporter) Close() {
	e.closed.Store(true)
	e.drains.Lock()
	defer e.drains.Unlock()

	e.takeIn()
}

// freeAll returns every block; none is out, and the drains are locked.
func (e *Exporter) freeAll() {
	e.freed = true
	for _, s := range e.slots {
		s.dispose()
	}
	e.slots = nil
	e.memory.release(e.queue, 8)
	if e.stop != nil {
		// A drain must not deregister itself, and the last release may be found by one.
		go e.stop()
		e.memory.close()
	}
}

// accepts checks that a batch has the types of the layout; the schema that passed last passes by identity.
func (e *Exporter) accepts(batch arrow.RecordBatch) error {
	if batch == nil {
		return invalid("batch is nil")
	}
	schema := batch.Schema()
	if schema == e.accepted.Load() {
		return nil
	}
	want := e.layout.schema
	if schema.NumFields() != want.NumFields() {
		return invalid("batch has another number of columns than the bound schema")
	}
	for i := range want.NumFields() {
		if !arrow.TypeEqual(schema.Field(i).Type, want.Field(i).Type) {
			return bridge.ColumnError(bridge.CodeInvalid, "", 0, i, "column has another type than the bound schema")
		}
	}
	e.accepted.Store(schema)
	return nil
}

// exportBatch fills the block from a batch; released blocks go to the list at queue.
func (s *slot) exportBatch(batch arrow.RecordBatch, queue uintptr, foreign foreignMemory) error {
	if err := s.exporter.accepts(batch); err != nil {
		return err
	}
	if s.exporter.rewrite || buildtag.Debug {
		s.restore()
	}
	s.foreign = foreign
	rows := batch.NumRows()
	root := at[ArrowArray](s.block + ExportBlockBytes)
	root.Length, root.NullCount, root.Offset = rows, 0, 0
	top := s.nodes[0].children
	columns := batch.Columns()
	if len(columns) != len(top) {
		return invalid("batch has another number of columns than its schema")
	}
	for i, column := range columns {
		data, ok := column.Data().(*array.Data)
		if !ok || int64(data.Len()) != rows {
			return bridge.ColumnError(bridge.CodeInvalid, "", 0, i, "column has another length than its batch")
		}
		if problem := s.fill(top[i], data); problem != "" {
			return s.problem(i, problem)
		}
	}
	root.Release = s.exporter.releases.Root
	s.arm(queue)
	return nil
}

func (s *slot) exportArray(values arrow.Array, queue uintptr, foreign foreignMemory) error {
	if !arrow.TypeEqual(values.DataType(), s.layout.nodes[0].typ) {
		return bridge.NewError(bridge.CodeType, "", "array has another type than its exporter")
	}
	if s.exporter.rewrite || buildtag.Debug {
		s.restore()
	}
	s.foreign = foreign
	data, ok := values.Data().(*array.Data)
	if !ok {
		return invalid("array without data")
	}
	if problem := s.fill(0, data); problem != "" {
		return s.problem(-1, problem)
	}
	at[ArrowArray](s.block + ExportBlockBytes).Release = s.exporter.releases.Root
	s.arm(queue)
	return nil
}

// arm makes the block ready to be released.
func (s *slot) arm(queue uintptr) {
	if buildtag.Debug {
		s.assertCrosses()
	}
	head := at[ExportBlock](s.block)
	head.Queue = uint64(queue)
	head.Live = int32(len(s.nodes)) // nobody else looks until the struct is handed out
}

// problem makes the error of a column that could not be filled.
func (s *slot) problem(column int, text string) error {
	if s.failed != nil {
		failure := bridge.ColumnError(bridge.CodeMemory, "", 0, column, "no memory to copy a buffer to")
		failure.Cause = s.failed
		return failure
	}
	return bridge.ColumnError(bridge.CodeInvalid, "", 0, column, text)
}
