// SPDX-License-Identifier: Apache-2.0

//go:build cgo && linux && (amd64 || arm64) && !tombolo_portable

package cgolink_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tombolo-arrow/tombolo/bridge/abi"
	"github.com/tombolo-arrow/tombolo/bridge/cgolink"
)

// fastest is the shortest of many short runs: on a shared machine the others tell of the neighbours.
func fastest(run func()) float64 {
	const runs, inner = 2000, 100
	best := time.Duration(1 << 62)
	for range runs {
		start := time.Now()
		for range inner {
			run()
		}
		best = min(best, time.Since(start))
	}
	return float64(best.Nanoseconds()) / inner
}

// TestBoundaryFloors prints what a crossing costs on this machine; it checks nothing. The benchmark suite in
// bench/ is the judge. Run with TOMBOLO_FLOORS=1.
func TestBoundaryFloors(t *testing.T) {
	if os.Getenv("TOMBOLO_FLOORS") == "" {
		t.Skip("prints floors with TOMBOLO_FLOORS=1")
	}
	library, a, _ := open(t)
	entry := cgolink.Entry()
	table := entry.Caller.Call(entry.Host, abi.Version, 0, 0, 0, 0, 0)
	host := *(**abi.Host)(unsafe.Pointer(&table))
	t.Logf("empty call %.1f ns", fastest(func() { entry.Caller.Call(host.Nothing, 1, 0, 0, 0, 0, 0) }))
	ctx := context.Background()
	for _, columns := range []int{1, 8, 32} {
		for name, mem := range map[string]memory.Allocator{"arena": a, "pinned": memory.NewGoAllocator()} {
			batch := wide(mem, columns, 1024)
			state := touch(t, library, batch.Schema())
			ns := fastest(func() {
				if err := state.Consume(ctx, batch); err != nil {
					t.Fatal(err)
				}
			})
			t.Log(fmt.Sprintf("%d columns, %s: %.1f ns", columns, name, ns))
			state.Close()
			batch.Release()
		}
	}
}
