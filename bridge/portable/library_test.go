// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/native"
	"github.com/tombolo-arrow/tombolo/ownership/arena"
	"github.com/tombolo-arrow/tombolo/ownership/buildtag"
	"github.com/tombolo-arrow/tombolo/ownership/ledger"
)

func openLibrary(t *testing.T) bridge.Library {
	t.Helper()
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	counts := ledger.New()
	l := Open(bridge.Config{Allocator: mem, Ledger: counts})
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		counts.VerifyEmpty(t)
		mem.AssertSize(t, 0)
	})
	return l
}

func int64Batch(t *testing.T, values ...int64) arrow.RecordBatch {
	t.Helper()
	builder := array.NewInt64Builder(memory.DefaultAllocator)
	defer builder.Release()

	builder.AppendValues(values, nil)
	column := builder.NewInt64Array()
	defer column.Release()

	schema := arrow.NewSchema([]arrow.Field{{Name: "n", Type: column.DataType()}}, nil)
	return array.NewRecordBatch(schema, []arrow.Array{column}, int64(len(values)))
}

func TestVersionIsTheHeaders(t *testing.T) {
	header, err := native.Sources.ReadFile("include/tombolo/version.h")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"#define TOMBOLO_ABI " + strconv.Itoa(abi) + "\n",
		"#define TOMBOLO_VERSION \"" + version + "\"\n",
	} {
		if !strings.Contains(string(header), line) {
			t.Errorf("version.h has no line %q", line)
		}
	}
}

func TestTouch(t *testing.T) {
	l := openLibrary(t)
	batch := int64Batch(t, 7, 8, 9)
	defer batch.Release()

	bound, err := l.Bind(t.Context(), "touch", []*arrow.Schema{batch.Schema()})
	if err != nil {
		t.Fatal(err)
	}
	defer bound.Release()

	state, err := bound.NewState(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer state.Close()

	for range 2 {
		if err := state.Consume(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
	}
	result, err := state.Finish(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer result.Release()

	// Batch: 3 rows + 1 buffer + 1 child; column: 3 rows + 2 buffers, validity byte 0b111, first
	// value byte 7.
	want := int64(2 * (3 + 1 + 1 + 3 + 2 + 7 + 7))
	if got := result.Column(0).(*array.Int64).Value(0); got != want {
		t.Errorf("sum is %d, want %d", got, want)
	}
}

func TestFrameRefuses(t *testing.T) {
	l := openLibrary(t)
	batch := int64Batch(t, 1)
	defer batch.Release()

	schema := batch.Schema()
	ctx := t.Context()
	bound, err := l.Bind(ctx, "touch", []*arrow.Schema{schema})
	if err != nil {
		t.Fatal(err)
	}
	state, err := bound.NewState(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer state.Close()

	gone := int64Batch(t, 1)
	gone.Release()
	other := array.NewRecordBatch(arrow.NewSchema(nil, nil), nil, 0)
	ended, cancel := context.WithCancel(ctx)
	cancel()
	cases := []struct {
		name string
		want error
		call func() error
	}{
		{"unknown kernel", bridge.ErrUnknown, func() error {
			_, err := l.Bind(ctx, "no_such", []*arrow.Schema{schema})
			return err
		}},
		{"unknown option", bridge.ErrInvalid, func() error {
			option := bridge.Option{Name: "x", Value: true}
			_, err := l.Bind(ctx, "touch", []*arrow.Schema{schema}, option)
			return err
		}},
		{"option of a foreign type", bridge.ErrInvalid, func() error {
			option := bridge.Option{Name: "x", Value: 1}
			_, err := l.Bind(ctx, "touch", []*arrow.Schema{schema}, option)
			return err
		}},
		{"no inputs", bridge.ErrInvalid, func() error {
			_, err := l.Bind(ctx, "touch", nil)
			return err
		}},
		{"nil schema", bridge.ErrInvalid, func() error {
			_, err := l.Bind(ctx, "touch", []*arrow.Schema{nil})
			return err
		}},
		{"unknown object kind", bridge.ErrUnknown, func() error {
			_, err := l.Prepare(ctx, "no_such", batch)
			return err
		}},
		{"nil object batch", bridge.ErrInvalid, func() error {
			_, err := l.Prepare(ctx, "batch", nil)
			return err
		}},
		{"run of an accumulate kernel", bridge.ErrKind, func() error {
			_, err := bound.Run(ctx, batch)
			return err
		}},
		{"nil batch", bridge.ErrInvalid, func() error { return state.Consume(ctx, nil) }},
		{"released batch", bridge.ErrReleased, func() error { return state.Consume(ctx, gone) }},
		{"released object batch", bridge.ErrReleased, func() error {
			_, err := l.Prepare(ctx, "batch", gone)
			return err
		}},
		{"another schema", bridge.ErrInvalid, func() error { return state.Consume(ctx, other) }},
		{"ended context", bridge.ErrCancelled, func() error { return state.Consume(ended, batch) }},
		{"ended context, its own error", context.Canceled, func() error {
			return state.Consume(ended, batch)
		}},
		{"merge with itself", bridge.ErrInvalid, func() error { return state.Merge(ctx, state) }},
		{"released bound", bridge.ErrReleased, func() error {
			bound.Release()
			bound.Release()
			_, err := bound.NewState(ctx)
			return err
		}},
		{"closed state", bridge.ErrReleased, func() error {
			state.Close()
			state.Close()
			return state.Consume(ctx, batch)
		}},
		{"closed library", bridge.ErrClosed, func() error {
			if err := l.Close(); err != nil {
				return err
			}
			_, err := l.Bind(ctx, "touch", []*arrow.Schema{schema})
			return err
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if err := c.call(); !errors.Is(err, c.want) {
				t.Errorf("got error %v, want %v", err, c.want)
			}
		})
	}
}

func TestObjectOutlivesItsHandle(t *testing.T) {
	l := openLibrary(t)
	batch := int64Batch(t, 1)
	defer batch.Release()

	made, err := l.Prepare(t.Context(), "batch", batch)
	if err != nil {
		t.Fatal(err)
	}
	read, err := readOptions("k", []bridge.Option{{Name: "values", Value: made}})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := read.object("values", "value_set"); !errors.Is(err, bridge.ErrInvalid) {
		t.Errorf("wrong kind: got error %v", err)
	}
	if _, found, err := read.object("values", "batch"); !found || err != nil {
		t.Fatal(found, err)
	}
	core := made.(*handle).core
	made.Release()
	made.Release()
	if core.holders.count.Load() != 1 {
		t.Errorf("holders: %d, want the bound kernel's one", core.holders.count.Load())
	}
	if _, _, err := read.object("values", "batch"); !errors.Is(err, bridge.ErrReleased) {
		t.Errorf("after release: got error %v", err)
	}
	read.releaseObjects()
	if core.holders.take() {
		t.Error("an object without holders was revived")
	}
}

func TestPanicBecomesInternal(t *testing.T) {
	if buildtag.Debug {
		t.Skip("debug builds let the panic through")
	}
	c := &call{ctx: t.Context(), kernel: "k"}
	err := guard(c, func() error { panic("boom") })
	if !errors.Is(err, bridge.ErrInternal) || strings.Contains(err.Error(), "boom") {
		t.Errorf("got %v", err)
	}
}

func TestFailedCallLeavesNoMemory(t *testing.T) {
	counts := ledger.New()
	memory, err := arena.New(arena.Config{Ledger: counts, BytesMax: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer counts.VerifyEmpty(t)
	defer func() {
		if err := memory.Close(); err != nil {
			t.Error(err)
		}
	}()

	c := &call{ctx: t.Context(), mem: memory, kernel: "k"}
	_, _, err = guardResult(c, func() ([]arrow.Array, int64, error) {
		c.buffer(100)
		kept := c.buffer(1000)
		kept.Resize(2000)
		c.buffer(1).Release()
		c.buffer(4 << 20)
		return nil, 0, nil
	})
	if !errors.Is(err, bridge.ErrBudget) || !errors.Is(err, arena.ErrLimit) {
		t.Errorf("got error %v, want the budget's", err)
	}
}
