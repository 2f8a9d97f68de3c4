// SPDX-License-Identifier: Apache-2.0

//go:build cgo && linux && (amd64 || arm64) && !tombolo_portable

package cgolink_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tombolo-arrow/tombolo/bridge"
	_ "github.com/tombolo-arrow/tombolo/bridge/cgolink"
	"github.com/tombolo-arrow/tombolo/ownership/arena"
	"github.com/tombolo-arrow/tombolo/ownership/buildtag"
	"github.com/tombolo-arrow/tombolo/ownership/ledger"
)

// open opens the cgo carrier with an arena and a ledger of its own.
func open(t testing.TB) (bridge.Library, *arena.Arena, *ledger.Ledger) {
	t.Helper()
	l := ledger.New()
	a, err := arena.New(arena.Config{Ledger: l})
	if err != nil {
		t.Fatal(err)
	}
	config := bridge.Config{Ledger: l, Arena: a, SIMDLevel: bridge.LevelMax}
	library, _, err := bridge.Open(context.Background(), config, bridge.RequireNative, "cgo")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := library.Close(); err != nil {
			t.Error(err)
		}
		l.VerifyEmpty(t)
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return library, a, l
}

// wide builds a batch of int64, float64, text and boolean columns in turn.
func wide(mem memory.Allocator, columns, rows int) arrow.RecordBatch {
	types := []arrow.DataType{
		arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Float64, arrow.BinaryTypes.String,
		arrow.FixedWidthTypes.Boolean,
	}
	fields := make([]arrow.Field, columns)
	for i := range fields {
		fields[i] = arrow.Field{Name: fmt.Sprint("c", i), Type: types[i%len(types)], Nullable: true}
	}
	builder := array.NewRecordBuilder(mem, arrow.NewSchema(fields, nil))
	defer builder.Release()

	for i := range columns {
		for row := range rows {
			if row%10 == 0 {
				builder.Field(i).AppendNull()
				continue
			}
			switch column := builder.Field(i).(type) {
			case *array.Int64Builder:
				column.Append(int64(row))
			case *array.Float64Builder:
				column.Append(float64(row))
			case *array.StringBuilder:
				column.Append("hello world")
			case *array.BooleanBuilder:
				column.Append(row&1 == 0)
			}
		}
	}
	return builder.NewRecordBatch()
}

// touch binds the kernel that reads every field of every C struct, and opens a state.
func touch(t testing.TB, library bridge.Library, schema *arrow.Schema) bridge.State {
	t.Helper()
	ctx := context.Background()
	bound, err := library.Bind(ctx, "touch", []*arrow.Schema{schema})
	if err != nil {
		t.Fatal(err)
	}
	state, err := bound.NewState(ctx)
	if err != nil {
		t.Fatal(err)
	}
	bound.Release()
	return state
}

func TestConsumeAllocatesNothing(t *testing.T) {
	if buildtag.Debug || buildtag.ASan {
		t.Skip("debug and sanitizer builds allocate")
	}
	library, a, _ := open(t)
	for _, mem := range []memory.Allocator{a, memory.NewGoAllocator()} {
		for _, columns := range []int{1, 8, 32} {
			batch := wide(mem, columns, 1024)
			state := touch(t, library, batch.Schema())
			ctx, cancel := context.WithCancel(context.Background())
			for _, ctx := range []context.Context{context.Background(), ctx} {
				allocations := testing.AllocsPerRun(100, func() {
					if err := state.Consume(ctx, batch); err != nil {
						t.Fatal(err)
					}
				})
				if allocations != 0 {
					t.Errorf("%T, %d columns: %v allocations a batch, want 0", mem, columns, allocations)
				}
			}
			result, err := state.Finish(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if result.NumRows() != 1 {
				t.Errorf("%d rows, want 1", result.NumRows())
			}
			result.Release()
			cancel()
			state.Close()
			batch.Release()
		}
	}
}

func BenchmarkConsume(b *testing.B) {
	library, a, _ := open(b)
	for _, columns := range []int{1, 8, 32} {
		for name, mem := range map[string]memory.Allocator{"arena": a, "pinned": memory.NewGoAllocator()} {
			b.Run(fmt.Sprintf("columns=%d/mem=%s", columns, name), func(b *testing.B) {
				batch := wide(mem, columns, 1024)
				defer batch.Release()
				state := touch(b, library, batch.Schema())
				defer state.Close()
				ctx := context.Background()
				b.ReportAllocs()
				for b.Loop() {
					if err := state.Consume(ctx, batch); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
