// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"pgregory.net/rapid"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/bridge/kerneltest"
)

func TestIndexInIsTheOracle(t *testing.T) {
	l := openLibrary(t)
	rapid.Check(t, func(t *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		types := rapid.SampledFrom([][]arrow.DataType{kerneltest.TextTypes, kerneltest.Integers()}).Draw(t, "kind")
		setType := rapid.SampledFrom(types).Draw(t, "set type")
		columnType := rapid.SampledFrom(types).Draw(t, "column type")
		nulls := kerneltest.Nulls(rapid.IntRange(0, 1).Draw(t, "nulls"))
		pool := kerneltest.NewKeyPool(random, rapid.IntRange(1, 60).Draw(t, "pool"))
		set := kerneltest.Distinct(pool.Column(random, setType, 90, nulls, rapid.IntRange(0, 9).Draw(t, "set offset")))
		defer set.Release()
		rows := rapid.IntRange(0, 200).Draw(t, "rows")
		batch := kerneltest.Batch(pool.Column(random, columnType, rows, nulls, rapid.IntRange(0, 9).Draw(t, "offset")))
		defer batch.Release()

		result := runIndexIn(t, l, set, batch)
		defer result.Release()
		kerneltest.CheckShape(t, result)

		positions := map[any]any{}
		for i := range int(set.NumRows()) {
			positions[oracleKey(set.Column(0), i)] = kerneltest.Bits(int64(i), 4)
		}
		for i := range rows {
			want := positions[oracleKey(batch.Column(0), i)]
			if got := kerneltest.Value(result.Column(0), i); got != want {
				t.Fatalf("row %d: %x, want %x", i, got, want)
			}
		}
	})
}

// oracleKey is a value that is equal for equal keys of any width.
func oracleKey(column arrow.Array, i int) any {
	if kerneltest.Value(column, i) == nil {
		return nil
	}
	if arrow.IsInteger(column.DataType().ID()) {
		return kerneltest.Plain(column, i).(interface{ String() string }).String()
	}
	return kerneltest.Plain(column, i)
}

func runIndexIn(t *rapid.T, l bridge.Library, set, batch arrow.RecordBatch) arrow.RecordBatch {
	object, err := l.Prepare(context.Background(), "value_set", set)
	if err != nil {
		t.Fatal(err)
	}
	defer object.Release()
	bound, err := l.Bind(context.Background(), "index_in", []*arrow.Schema{batch.Schema()},
		bridge.Option{Name: "value_set", Value: object})
	if err != nil {
		t.Fatal(err)
	}
	defer bound.Release()
	result, err := bound.Run(context.Background(), batch)
	if err != nil {
		t.Fatal(err)
	}
	return result
}
