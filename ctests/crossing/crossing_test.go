// SPDX-License-Identifier: Apache-2.0

//go:build linux && (amd64 || arm64)

package crossing

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tombolo-arrow/tombolo/bridge/abi"
	"github.com/tombolo-arrow/tombolo/ownership/arena"
	"github.com/tombolo-arrow/tombolo/ownership/buildtag"
	"github.com/tombolo-arrow/tombolo/ownership/ledger"
)

// releases asks the native library for its release callbacks.
func releases(t *testing.T) abi.Releases {
	t.Helper()
	found, err := abi.HostReleases(entry(t))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// batch builds a batch with text, a struct, a list and a dictionary.
func batch(t *testing.T, mem memory.Allocator, rows int) arrow.RecordBatch {
	t.Helper()
	inner := arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Float64, Nullable: true})
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "number", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "text", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "view", Type: arrow.BinaryTypes.StringView, Nullable: true},
		{Name: "point", Type: inner, Nullable: true},
		{Name: "list", Type: arrow.ListOf(arrow.PrimitiveTypes.Int32), Nullable: true},
		{Name: "code", Type: &arrow.DictionaryType{
			IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String,
		}, Nullable: true},
	}, nil)
	builder := array.NewRecordBuilder(mem, schema)
	defer builder.Release()
	for i := range rows {
		text := "a text that is longer than twelve bytes " + strconv.Itoa(i)
		builder.Field(0).(*array.Int64Builder).Append(int64(i + 1))
		builder.Field(1).(*array.StringBuilder).Append(text)
		builder.Field(2).(*array.StringViewBuilder).Append(text)
		point := builder.Field(3).(*array.StructBuilder)
		point.Append(true)
		point.FieldBuilder(0).(*array.Float64Builder).Append(float64(i))
		list := builder.Field(4).(*array.ListBuilder)
		list.Append(i%3 != 0)
		list.ValueBuilder().(*array.Int32Builder).Append(int32(i))
		if err := builder.Field(5).(*array.BinaryDictionaryBuilder).AppendString(strconv.Itoa(i % 5)); err != nil {
			t.Fatal(err)
		}
	}
	return builder.NewRecordBatch()
}

// residentBytes is what the process occupies.
func residentBytes(t *testing.T) int64 {
	t.Helper()
	runtime.GC()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := strconv.ParseInt(strings.Fields(string(text))[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}

// TestMillionExports exports a batch a million times from several goroutines. A third is released on foreign
// threads, some with their children moved out first; memory stays flat and the ledger ends empty.
func TestMillionExports(t *testing.T) {
	total, growthMax := 1_000_000, int64(24<<20)
	switch {
	case buildtag.Debug: // a collection for each export takes its time
		total = 3_000
	case testing.Short():
		total = 60_000
	}
	l := ledger.New()
	a, err := arena.New(arena.Config{Ledger: l})
	if err != nil {
		t.Fatal(err)
	}
	source := batch(t, a, 100)
	exporter, err := abi.NewExporter(source.Schema(), releases(t), a, l)
	if err != nil {
		t.Fatal(err)
	}
	if !Start(8) {
		t.Fatal("no threads")
	}
	address, err := exporter.Export(source)
	if err != nil {
		t.Fatal(err)
	}
	want := Take(address, Whole)
	const workers = 4
	run := func(count int) (foreign uint64) {
		var (
			group sync.WaitGroup
			mu    sync.Mutex
		)
		for worker := range workers {
			group.Go(func() {
				given := uint64(0)
				for i := range count / workers {
					address, err := exporter.Export(source)
					if err != nil {
						t.Error(err)
						return
					}
					how := (i / 3) % 3
					if i%3 == 0 {
						Give(address, how)
						given++
					} else if got := Take(address, how); got != want {
						t.Errorf("worker %d, export %d: read %d, want %d", worker, i, got, want)
						return
					}
				}
				mu.Lock()
				foreign += given
				mu.Unlock()
			})
		}
		group.Wait()
		return foreign
	}
	given := run(total / 10)
	before := residentBytes(t)
	given += run(total - total/10)
	after := residentBytes(t)
	Stop()
	if got := Sum(); got != given*want {
		t.Errorf("foreign threads read %d, want %d times %d", got, given, want)
	}
	if growth := after - before; growth > growthMax {
		t.Errorf("memory grew by %d bytes, want at most %d", growth, growthMax)
	}
	t.Logf("%d exports, %d released on foreign threads, memory grew by %d KiB", total, given, (after-before)>>10)
	source.Release()
	exporter.Close()
	l.VerifyEmpty(t)
	if err := a.Close(); err != nil {
		t.Error(err)
	}
}

// TestHeldPastCollections keeps exports on foreign threads while the collector runs: what Go forgot must live
// until C has released it, whatever memory it was built in.
func TestHeldPastCollections(t *testing.T) {
	l := ledger.New()
	a, err := arena.New(arena.Config{Ledger: l})
	if err != nil {
		t.Fatal(err)
	}
	for name, mem := range map[string]memory.Allocator{"arena": a, "Go heap": memory.NewGoAllocator()} {
		t.Run(name, func(t *testing.T) {
			first := batch(t, mem, 50)
			exporter, err := abi.NewExporter(first.Schema(), releases(t), a, l)
			if err != nil {
				t.Fatal(err)
			}
			defer exporter.Close()
			address, err := exporter.Export(first)
			if err != nil {
				t.Fatal(err)
			}
			want := Take(address, Whole)
			first.Release()
			if !Start(2) {
				t.Fatal("no threads")
			}
			const count = 2000
			for i := range count {
				source := batch(t, mem, 50)
				address, err := exporter.Export(source)
				if err != nil {
					t.Fatal(err)
				}
				source.Release()
				if i%20 == 0 {
					runtime.GC()
				}
				Give(address, i%3)
			}
			Stop()
			if got := Sum(); got != count*want {
				t.Errorf("read %d, want %d", got, count*want)
			}
		})
	}
	l.VerifyEmpty(t)
	if err := a.Close(); err != nil {
		t.Error(err)
	}
}
