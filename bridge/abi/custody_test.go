// SPDX-License-Identifier: Apache-2.0

package abi

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/ownership/handle"
	"github.com/tombolo-arrow/tombolo/ownership/ledger"
)

// numbers makes a batch of one int64 column.
func (w *world) numbers() arrow.RecordBatch {
	builder := array.NewInt64Builder(w.arena)
	defer builder.Release()
	builder.AppendValues([]int64{1, 2, 3}, nil)
	values := builder.NewArray()
	defer values.Release()
	schema := arrow.NewSchema([]arrow.Field{{Name: "n", Type: values.DataType()}}, nil)
	return array.NewRecordBatch(schema, []arrow.Array{values}, 3)
}

func TestImportedStructsChangeHands(t *testing.T) {
	w := newWorld(t)
	batch := w.numbers()
	defer batch.Release()
	exporter, err := NewExporter(batch.Schema(), w.releases, w.arena, w.ledger)
	if err != nil {
		t.Fatal(err)
	}
	defer exporter.Close()
	address, err := exporter.Export(batch)
	if err != nil {
		t.Fatal(err)
	}
	is := func(h *holder, want handle.State, holders int) {
		t.Helper()
		if h.root.State() != want || h.root.Holders() != holders {
			t.Errorf("%v with %d holders, want %v with %d", h.root.State(), h.root.Holders(), want, holders)
		}
	}
	r, err := w.importer.begin(exporter.layout, at[ArrowArray](address), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	is(r.holder, handle.Owned, 1)
	if _, err := w.importer.begin(exporter.layout, at[ArrowArray](address), nil, nil); !errors.Is(
		err, handle.ErrUseAfterRelease) || !errors.Is(err, bridge.ErrReleased) {
		t.Errorf("a second import: %v", err)
	}
	column, err := r.child(1, *at[uintptr](r.holder.array.Children), 0, 3)
	if err != nil {
		t.Fatal(err)
	}
	is(r.holder, handle.Shared, 2)
	r.end(&err)
	is(r.holder, handle.Owned, 1)
	if exporter.Drain(); exporter.Outstanding() != 1 {
		t.Error("released while an array holds it")
	}
	column.Release()
	is(r.holder, handle.Released, 0)
	if exporter.Drain(); exporter.Outstanding() != 0 || w.importer.Fault() != nil {
		t.Errorf("%d out, fault %v", exporter.Outstanding(), w.importer.Fault())
	}
	r.holder.Free(nil)
	if err := w.importer.Fault(); !errors.Is(err, handle.ErrDoubleRelease) {
		t.Errorf("one free too many: %v", err)
	}
	is(r.holder, handle.Released, 0)
}

func TestExportsBelongToTheirReceiver(t *testing.T) {
	w := newWorld(t)
	batch := w.numbers()
	defer batch.Release()
	exporter, err := NewExporter(batch.Schema(), w.releases, w.arena, w.ledger)
	if err != nil {
		t.Fatal(err)
	}
	var blocks [2]uintptr
	var slots [2]*slot
	for i := range blocks {
		root, err := exporter.Export(batch)
		if err != nil {
			t.Fatal(err)
		}
		blocks[i] = root - ExportBlockBytes
		slots[i] = exporter.slots[at[ExportBlock](blocks[i]).Slot]
		if state := slots[i].away.State(); state != handle.Owned {
			t.Errorf("exported and %v", state)
		}
	}
	release := func(i int) {
		a := at[ArrowArray](blocks[i] + ExportBlockBytes)
		w.fakeCaller.Call(a.Release, addressOf(a), 0, 0, 0, 0, 0)
		exporter.Drain()
	}
	release(0)
	if state := slots[0].away.State(); state != handle.Released || exporter.Outstanding() != 1 {
		t.Errorf("returned and %v, %d out", state, exporter.Outstanding())
	}
	// A receiver that releases a copy of a struct once more sends the block back again.
	*at[uint64](exporter.queue) = uint64(blocks[0])
	at[ExportBlock](blocks[0]).Next = 0
	exporter.Drain()
	if err := exporter.Fault(); !errors.Is(err, handle.ErrDoubleRelease) || exporter.Outstanding() != 1 {
		t.Errorf("returned twice: %v, %d out", err, exporter.Outstanding())
	}
	if err := exporter.sent(slots[1]); !errors.Is(err, handle.ErrOwned) {
		t.Errorf("handed out twice: %v", err)
	}
	exporter.Close() // with one out
	if state := slots[1].away.State(); state != handle.Owned {
		t.Errorf("out of a closed exporter and %v", state)
	}
	if _, err := exporter.Export(batch); !errors.Is(err, bridge.ErrClosed) {
		t.Errorf("export after Close: %v", err)
	}
	release(1)
	if exporter.Outstanding() != 0 || slots[1].away.Releases() != 1 {
		t.Errorf("%d out, %d releases", exporter.Outstanding(), slots[1].away.Releases())
	}
}

// accumulates makes the one kernel of the library an accumulate kernel that does nothing, and gives it objects.
func (f *fakeLibrary) accumulates() {
	consume := func(a ...uintptr) uintptr {
		f.release(at[ArrowArray](a[3]))
		return 0
	}
	open := func(a ...uintptr) uintptr {
		*at[uintptr](a[2]) = 9
		return 0
	}
	nothing := func(...uintptr) uintptr { return 0 }
	f.kernel.Kind = int32(bridge.Accumulate)
	f.kernel.Open, f.kernel.Close, f.kernel.Consume = f.add(open), f.add(nothing), f.add(consume)
	f.kernel.Merge, f.kernel.Finish = f.add(nothing), f.add(nothing)
	prepared := at[Object](f.memory.allocate(ObjectBytes))
	prepared.Release = f.add(nothing)
	f.table.Prepare = f.add(func(a ...uintptr) uintptr {
		f.release(at[ArrowArray](a[3]))
		*at[uintptr](a[6]) = addressOf(prepared)
		return 0
	})
}

// TestHoldsAfterTheirRelease releases everything that a user holds twice, which does nothing, and uses it then.
func TestHoldsAfterTheirRelease(t *testing.T) {
	ctx := context.Background()
	f := newFakeLibrary(t)
	f.accumulates()
	library, bound, batch := f.open(t)
	state, err := bound.NewState(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := state.Consume(ctx, batch); err != nil {
		t.Fatal(err)
	}
	prepared, err := library.Prepare(ctx, "set", batch)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		state.Close()
		prepared.Release()
		bound.Release()
	}
	for kind, counted := range map[ledger.Kind]int64{ledger.States: 0, ledger.Objects: 0, ledger.BoundKernels: 0} {
		if got := f.ledger.Snapshot().Of(kind).Objects; got != counted {
			t.Errorf("%d of %v, want %d", got, kind, counted)
		}
	}
	bind := func() error {
		_, err := library.Bind(ctx, "echo", []*arrow.Schema{batch.Schema()}, bridge.Option{Name: "set", Value: prepared})
		return err
	}
	finish := func() error { _, err := state.Finish(ctx); return err }
	open := func() error { _, err := bound.NewState(ctx); return err }
	run := func() error { _, err := bound.Run(ctx, batch); return err }
	for name, use := range map[string]struct {
		do   func() error
		kind handle.Kind
	}{
		"consume": {func() error { return state.Consume(ctx, batch) }, handle.KernelState},
		"finish":  {finish, handle.KernelState}, "open": {open, handle.BoundKernel},
		"run": {run, handle.BoundKernel}, "bind": {bind, handle.Object},
	} {
		err := use.do()
		var failure *handle.Error
		if !errors.Is(err, bridge.ErrReleased) || !errors.Is(err, handle.ErrUseAfterRelease) ||
			!errors.As(err, &failure) || failure.Subject.Kind != use.kind {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestBindHoldsItsObjects releases an object in the middle of the bind that it was given to.
func TestBindHoldsItsObjects(t *testing.T) {
	ctx := context.Background()
	f := newFakeLibrary(t)
	f.accumulates()
	library, _, batch := f.open(t)
	prepared, err := library.Prepare(ctx, "set", batch)
	if err != nil {
		t.Fatal(err)
	}
	var freed atomic.Int32
	at[Object](prepared.(*object).native).Release = f.add(func(...uintptr) uintptr {
		freed.Add(1)
		return 0
	})
	f.kernel.Bind = f.add(func(a ...uintptr) uintptr {
		var releases sync.WaitGroup
		for range 2 {
			releases.Go(prepared.Release)
		}
		releases.Wait()
		if freed.Load() != 0 {
			t.Error("the object was freed under its bind")
		}
		return f.bind(a...)
	})
	option := bridge.Option{Name: "set", Value: prepared}
	bound, err := library.Bind(ctx, "echo", []*arrow.Schema{batch.Schema()}, option, option)
	if err != nil {
		t.Fatal(err)
	}
	bound.Release()
	if freed.Load() != 1 {
		t.Errorf("freed %d times", freed.Load())
	}
}

// TestCloseTakesInWhatCameBack closes a library when an export has just come back.
func TestCloseTakesInWhatCameBack(t *testing.T) {
	ctx := context.Background()
	f := newFakeLibrary(t)
	batch := f.numbers()
	defer batch.Release()

	var kept ArrowArray
	f.run = func(_ *Context, input, _ *ArrowArray) bridge.Code {
		kept = *input
		*input = ArrowArray{}
		return bridge.CodeInvalid
	}
	library, err := Open(f.entry, bridge.Config{Arena: f.arena, Ledger: f.ledger})
	if err != nil {
		t.Fatal(err)
	}
	bound, err := library.Bind(ctx, "echo", []*arrow.Schema{batch.Schema()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bound.Run(ctx, batch); !errors.Is(err, bridge.ErrInvalid) {
		t.Fatal(err)
	}
	bound.Release()
	f.release(&kept)
	if err := library.Close(); err != nil {
		t.Error(err)
	}
	if out := f.ledger.Snapshot().Of(ledger.ExportBlocks).Objects; out != 0 {
		t.Errorf("%d export blocks left after Close", out)
	}
}

// TestFaultsComeOutAtClose makes a result's buffer free itself once more.
func TestFaultsComeOutAtClose(t *testing.T) {
	f := newFakeLibrary(t)
	l, err := Open(f.entry, bridge.Config{Arena: f.arena, Ledger: f.ledger})
	if err != nil {
		t.Fatal(err)
	}
	h := &holder{leftover: leftover{importer: l.(*library).importer}}
	ownFresh(&h.root, arraySubject)
	_, _ = h.root.Release()
	h.Free(nil)
	if err := l.Close(); !errors.Is(err, handle.ErrDoubleRelease) {
		t.Errorf("got %v", err)
	}
	if err := l.Close(); err != nil {
		t.Errorf("a second close: %v", err)
	}
}
