// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/bridge/kerneltest"
)

// rechunked pushes batches and gives the rows of what comes out, checking the length of each.
func rechunked(t *testing.T, library bridge.Library, rows int64, batches []arrow.RecordBatch) []any {
	t.Helper()
	ctx := context.Background()
	kernel, err := library.Bind(ctx, "rechunk", []*arrow.Schema{batches[0].Schema()},
		bridge.Option{Name: "rows", Value: rows})
	if err != nil {
		t.Fatal(err)
	}
	defer kernel.Release()

	emitter, err := kernel.NewEmitter(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer emitter.Close()

	var values []any
	short := false
	for i := 0; ; {
		result, err := emitter.Next(ctx)
		switch {
		case errors.Is(err, io.EOF):
			return values
		case errors.Is(err, bridge.ErrNeedInput):
			var batch arrow.RecordBatch
			if i < len(batches) {
				batch = batches[i]
			}
			i++
			if err := emitter.Push(ctx, batch); err != nil {
				t.Fatal(err)
			}
		case err != nil:
			t.Fatal(err)
		default:
			if short || result.NumRows() > rows || result.NumRows() == 0 {
				t.Errorf("a batch of %d rows", result.NumRows())
			}
			short = result.NumRows() < rows
			kerneltest.CheckShape(t, result)
			values = append(values, kerneltest.Values(result.Column(0))...)
			result.Release()
		}
	}
}

func TestRechunkKeepsTheRows(t *testing.T) {
	for _, dataType := range kerneltest.Selectables() {
		t.Run(dataType.String(), func(t *testing.T) {
			random := rand.New(rand.NewPCG(24, uint64(dataType.ID())))
			library := openChecked(t)
			for _, rows := range []int64{1, 3, 64, 100, 1000} {
				var batches []arrow.RecordBatch
				var want []any
				for range random.IntN(6) + 1 {
					column := kerneltest.Column(random, dataType, random.IntN(150), kerneltest.Nulls(random.IntN(3)), 5)
					want = append(want, kerneltest.Values(column)...)
					batches = append(batches, inputBatch(t, column))
				}
				checkValues(t, shape{rows: int(rows)}, rechunked(t, library, rows, batches), want)
			}
		})
	}
}

func TestRechunkRefusesTooManyDictionaryValues(t *testing.T) {
	random := rand.New(rand.NewPCG(25, 25))
	library := openChecked(t)
	ctx := context.Background()
	schema := inputBatch(t, kerneltest.Column(random, kerneltest.Dictionaries()[0], 1, kerneltest.NoNulls, 0)).Schema()
	kernel, err := library.Bind(ctx, "rechunk", []*arrow.Schema{schema}, bridge.Option{Name: "rows", Value: int64(8)})
	if err != nil {
		t.Fatal(err)
	}
	defer kernel.Release()

	emitter, err := kernel.NewEmitter(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer emitter.Close()

	// Eight dictionaries of 17 values are more than int8 counts.
	for range 8 {
		batch := inputBatch(t, kerneltest.Column(random, kerneltest.Dictionaries()[0], 1, kerneltest.NoNulls, 0))
		if err := emitter.Push(ctx, batch); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := emitter.Next(ctx); !errors.Is(err, bridge.ErrOverflow) {
		t.Errorf("%v, want %v", err, bridge.ErrOverflow)
	}
}

func TestRechunkRefusesBadRows(t *testing.T) {
	library := openChecked(t)
	schema := arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int8}}, nil)
	for _, option := range []any{int64(0), int64(-1), "1"} {
		_, err := library.Bind(context.Background(), "rechunk", []*arrow.Schema{schema},
			bridge.Option{Name: "rows", Value: option})
		if !errors.Is(err, bridge.ErrInvalid) {
			t.Errorf("%v: %v, want %v", option, err, bridge.ErrInvalid)
		}
	}
}
