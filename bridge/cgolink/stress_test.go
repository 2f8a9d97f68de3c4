// SPDX-License-Identifier: Apache-2.0

//go:build cgo && linux && (amd64 || arm64) && !tombolo_portable

package cgolink_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/ownership/ledger"
)

// halves builds a batch of rows int64 values and a mask that keeps every second.
func halves(mem memory.Allocator, rows int) (batch, mask arrow.RecordBatch) {
	numbers, bits := array.NewInt64Builder(mem), array.NewBooleanBuilder(mem)
	defer numbers.Release()
	defer bits.Release()
	for i := range rows {
		numbers.Append(int64(i))
		bits.Append(i%2 == 0)
	}
	one := func(name string, column arrow.Array) arrow.RecordBatch {
		defer column.Release()
		schema := arrow.NewSchema([]arrow.Field{{Name: name, Type: column.DataType(), Nullable: true}}, nil)
		return array.NewRecordBatch(schema, []arrow.Array{column}, int64(rows))
	}
	return one("number", numbers.NewArray()), one("keep", bits.NewArray())
}

// checkHalf fails unless the batch holds 0, 2, 4 and so on.
func checkHalf(t *testing.T, result arrow.RecordBatch, rows int) {
	t.Helper()
	values := result.Column(0).(*array.Int64).Int64Values()
	if len(values) != (rows+1)/2 {
		t.Errorf("%d rows, want %d", len(values), (rows+1)/2)
	}
	for i, value := range values {
		if value != int64(2*i) {
			t.Errorf("row %d is %d, want %d", i, value, 2*i)
			return
		}
	}
}

// TestStressCollections crosses 2,000 times while the collector runs, with memory of the Go heap that nothing but
// the crossing knows of, and keeps results past many collections.
func TestStressCollections(t *testing.T) {
	library, a, _ := open(t)
	ctx := context.Background()
	batch, mask := halves(a, 10)
	bound, err := library.Bind(ctx, "filter", []*arrow.Schema{batch.Schema(), mask.Schema()})
	if err != nil {
		t.Fatal(err)
	}
	defer bound.Release()
	batch.Release()
	mask.Release()
	var kept []arrow.RecordBatch
	for i := range 2000 {
		mem := memory.Allocator(memory.NewGoAllocator())
		if i%3 == 0 {
			mem = a
		}
		batch, mask := halves(mem, 100+i%50)
		result, err := bound.Run(ctx, batch, mask)
		if err != nil {
			t.Fatal(err)
		}
		batch.Release()
		mask.Release()
		kept = append(kept, result)
		if i%20 == 0 {
			runtime.GC()
		}
		if len(kept) == 100 {
			for k, result := range kept {
				checkHalf(t, result, 100+(i-99+k)%50)
				result.Release()
			}
			kept = kept[:0]
		}
	}
	if counters := library.Counters(); counters.Crossings != 2000 || counters.PinnedBuffers == 0 {
		t.Errorf("counters: %+v", counters)
	}
}

// TestStressGoroutines shares one bound kernel between goroutines, hands results to others, and lets some calls be
// cancelled.
func TestStressGoroutines(t *testing.T) {
	library, a, _ := open(t)
	const goroutines, rows = 8, 500
	rounds := 300
	if testing.Short() {
		rounds = 60
	}
	batch, mask := halves(a, rows)
	defer batch.Release()
	defer mask.Release()
	bound, err := library.Bind(context.Background(), "filter", []*arrow.Schema{batch.Schema(), mask.Schema()})
	if err != nil {
		t.Fatal(err)
	}
	results := make(chan arrow.RecordBatch, 32)
	var callers, readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for result := range results {
				checkHalf(t, result, rows)
				result.Release()
			}
		})
	}
	for range goroutines {
		callers.Go(func() {
			for i := range rounds {
				ctx, cancel := context.WithCancel(context.Background())
				if i%4 == 0 {
					go cancel()
				}
				result, err := bound.Run(ctx, batch, mask)
				cancel()
				switch {
				case err == nil:
					results <- result
				case !errors.Is(err, bridge.ErrCancelled) || !errors.Is(err, context.Canceled):
					t.Errorf("got %v", err)
				}
			}
		})
	}
	callers.Wait()
	bound.Release()
	close(results)
	readers.Wait()
}

// leakDeadline is how long the collector has to find what was dropped.
const leakDeadline = 30 * time.Second

// TestForgottenResultsAreFreed drops a result, a state, an object and a bound kernel without a release.
func TestForgottenResultsAreFreed(t *testing.T) {
	library, a, l := open(t)
	leaks := make(chan ledger.Kind, 16)
	l.OnLeak(func(leak ledger.Leak) { leaks <- leak.Kind })
	func() {
		ctx := context.Background()
		batch, mask := halves(a, 100)
		defer batch.Release()
		defer mask.Release()
		filter, err := library.Bind(ctx, "filter", []*arrow.Schema{batch.Schema(), mask.Schema()})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := filter.Run(ctx, batch, mask); err != nil {
			t.Fatal(err)
		}
		touch(t, library, batch.Schema())
		if _, err := library.Prepare(ctx, "batch", batch); err != nil {
			t.Fatal(err)
		}
	}()
	found := map[ledger.Kind]int{}
	deadline := time.After(leakDeadline)
	for len(found) < 4 {
		runtime.GC()
		select {
		case kind := <-leaks:
			found[kind]++
		case <-deadline:
			t.Fatalf("counted as leaked after %v: %v", leakDeadline, found)
		case <-time.After(time.Millisecond):
		}
	}
	for _, kind := range []ledger.Kind{ledger.ImportedArrays, ledger.BoundKernels, ledger.States, ledger.Objects} {
		if found[kind] != 1 {
			t.Errorf("%d of %v counted as leaked, want 1", found[kind], kind)
		}
	}
	l.ForgetLeaks()
}
