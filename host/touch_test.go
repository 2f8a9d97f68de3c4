// SPDX-License-Identifier: Apache-2.0

package host_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tombolo-arrow/tombolo/bridge/kerneltest"
	"github.com/tombolo-arrow/tombolo/host"
)

// TestTouchSeesTheSame compares what a native consumer reads in the C structs with what the arrays
// hold: a field that the exporter writes wrongly changes the sum.
func TestTouchSeesTheSame(t *testing.T) {
	native, err := host.Open(t.Context(), host.RequireNative())
	if err != nil {
		t.Skip("no native carrier here:", err)
	}
	defer native.Ledger().VerifyEmpty(t)
	defer native.Close()

	portable := openEngine(t, host.ForbidNative())
	random := rand.New(rand.NewPCG(1, 2))
	types := append(kerneltest.Selectables(), arrow.Null)
	for _, dataType := range types {
		for _, rows := range []int{0, 1, 70} {
			for _, offset := range []int{0, 1, 63} {
				column := kerneltest.Column(random, dataType, rows, kerneltest.SomeNulls, offset)
				batch := kerneltest.Batch(column)
				name := fmt.Sprintf("%v rows=%d offset=%d", dataType, rows, offset)
				if got, want := touch(t, native, batch), touch(t, portable, batch); got != want {
					t.Errorf("%s: native sum %d, portable %d", name, got, want)
				}
				batch.Release()
			}
		}
	}
}

func touch(t *testing.T, engine *host.Engine, batch arrow.RecordBatch) int64 {
	t.Helper()
	kernel, err := engine.Bind(t.Context(), "touch", []*arrow.Schema{batch.Schema()})
	if err != nil {
		t.Fatal(err)
	}
	defer kernel.Release()

	state, err := kernel.NewState(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer state.Close()

	if err := state.Consume(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	result, err := state.Finish(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer result.Release()

	return result.Column(0).(*array.Int64).Value(0)
}
