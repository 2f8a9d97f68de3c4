// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/google/go-cmp/cmp"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/bridge/kerneltest"
)

// shape is one form of input columns.
type shape struct {
	rows   int
	nulls  kerneltest.Nulls
	offset int
}

// shapes covers word ends, offsets inside bytes and words, and all null patterns.
func shapes() []shape {
	var all []shape
	for _, rows := range []int{0, 1, 2, 63, 64, 65, 1000} {
		for _, nulls := range []kerneltest.Nulls{kerneltest.NoNulls, kerneltest.SomeNulls, kerneltest.AllNulls} {
			for _, offset := range []int{0, 1, 7, 8, 9, 63} {
				all = append(all, shape{rows, nulls, offset})
			}
		}
	}
	return all
}

// runKernel binds a kernel to the schemas of its inputs and runs it once on a checked allocator.
func runKernel(
	t testing.TB, name string, inputs []arrow.RecordBatch, options ...bridge.Option,
) (arrow.RecordBatch, error) {
	t.Helper()
	library := openChecked(t)
	schemas := make([]*arrow.Schema, len(inputs))
	for i, input := range inputs {
		schemas[i] = input.Schema()
	}
	kernel, err := library.Bind(context.Background(), name, schemas, options...)
	if err != nil {
		return nil, err
	}
	defer kernel.Release()

	result, err := kernel.Run(context.Background(), inputs...)
	if err == nil {
		t.Cleanup(result.Release)
		kerneltest.CheckShape(t, result)
	}
	return result, err
}

// openChecked opens a library whose allocations must all be back when the test ends.
func openChecked(t testing.TB) bridge.Library {
	t.Helper()
	checked := memory.NewCheckedAllocator(memory.NewGoAllocator())
	t.Cleanup(func() { checked.AssertSize(t, 0) })
	library := Open(bridge.Config{Allocator: checked})
	t.Cleanup(func() { _ = library.Close() })
	return library
}

// inputBatch makes a batch that is released when the test ends.
func inputBatch(t testing.TB, columns ...arrow.Array) arrow.RecordBatch {
	t.Helper()
	batch := kerneltest.Batch(columns...)
	t.Cleanup(batch.Release)
	return batch
}

func TestFilterKeepsTheRowsOfTheMask(t *testing.T) {
	for _, dataType := range kerneltest.Selectables() {
		for _, behaviour := range []string{"drop", "emit_null"} {
			t.Run(fmt.Sprintf("%s/%s", dataType, behaviour), func(t *testing.T) {
				random := rand.New(rand.NewPCG(7, uint64(dataType.ID())))
				for _, s := range shapes() {
					checkFilter(t, random, dataType, s, behaviour)
				}
			})
		}
	}
}

func checkFilter(t *testing.T, random *rand.Rand, dataType arrow.DataType, s shape, behaviour string) {
	t.Helper()
	column := kerneltest.Column(random, dataType, s.rows, s.nulls, s.offset)
	mask := randomMask(random, s)
	var want []any
	for i := range s.rows {
		switch {
		case mask.IsNull(i):
			if behaviour == "emit_null" {
				want = append(want, nil)
			}
		case mask.Value(i):
			want = append(want, kerneltest.Value(column, i))
		}
	}
	result, err := runKernel(t, "filter",
		[]arrow.RecordBatch{inputBatch(t, column), inputBatch(t, mask)},
		bridge.Option{Name: "null_selection", Value: behaviour})
	if err != nil {
		t.Fatalf("%+v: %v", s, err)
	}
	checkValues(t, s, kerneltest.Values(result.Column(0)), want)
}

func checkValues(t *testing.T, s shape, got, want []any) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Fatalf("%+v: %s", s, cmp.Diff(want, got))
	}
}

// randomMask makes a mask that is sparse, even, dense or made of long runs.
func randomMask(random *rand.Rand, s shape) *array.Boolean {
	nulls := kerneltest.Nulls(random.IntN(2))
	raw := kerneltest.Column(random, arrow.FixedWidthTypes.Boolean, s.rows, nulls, s.offset).(*array.Boolean)
	defer raw.Release()

	builder := array.NewBooleanBuilder(memory.DefaultAllocator)
	defer builder.Release()

	builder.AppendNulls(s.offset)
	density := []int{1, 50, 99, 100}[random.IntN(4)]
	for i := range s.rows {
		if raw.IsNull(i) {
			builder.AppendNull()
			continue
		}
		builder.Append(random.IntN(100) < density || i/200%3 == 1)
	}
	all := builder.NewArray()
	defer all.Release()

	return array.NewSlice(all, int64(s.offset), int64(s.offset+s.rows)).(*array.Boolean)
}

func TestTakeGathersRows(t *testing.T) {
	for _, dataType := range kerneltest.Selectables() {
		t.Run(dataType.String(), func(t *testing.T) {
			random := rand.New(rand.NewPCG(8, uint64(dataType.ID())))
			for i, s := range shapes() {
				index := kerneltest.Integers()[i%8]
				checkTake(t, random, dataType, index, s)
			}
		})
	}
}

func checkTake(t *testing.T, random *rand.Rand, dataType, indexType arrow.DataType, s shape) {
	t.Helper()
	values := kerneltest.Column(random, dataType, 100, s.nulls, s.offset)
	index := randomIndex(t, random, indexType, s, 100)
	var want []any
	for i := range s.rows {
		if index.IsNull(i) {
			want = append(want, nil)
			continue
		}
		want = append(want, kerneltest.Value(values, int(indexAt(index, i))))
	}
	result, err := runKernel(t, "take", []arrow.RecordBatch{inputBatch(t, values), inputBatch(t, index)})
	if err != nil {
		t.Fatalf("%+v: %v", s, err)
	}
	checkValues(t, s, kerneltest.Values(result.Column(0)), want)
}

// randomIndex makes indices below limit; those under a null lie anywhere.
func randomIndex(t *testing.T, random *rand.Rand, indexType arrow.DataType, s shape, limit int) arrow.Array {
	t.Helper()
	raw := kerneltest.Column(random, indexType, s.rows, s.nulls, s.offset)
	width := indexType.(arrow.FixedWidthDataType).BitWidth() / 8
	bytes := raw.Data().Buffers()[1].Bytes()
	for i := range s.rows {
		if raw.IsValid(i) {
			at := bytes[(s.offset+i)*width:][:width]
			clear(at)
			at[0] = byte(random.IntN(limit))
		}
	}
	return raw
}

// indexAt reads a small index of any integer type.
func indexAt(index arrow.Array, i int) byte {
	data := index.Data()
	width := data.DataType().(arrow.FixedWidthDataType).BitWidth() / 8
	return data.Buffers()[1].Bytes()[(data.Offset()+i)*width]
}

func TestTakeWithPreparedValues(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 9))
	library := openChecked(t)
	values := inputBatch(t, kerneltest.Column(random, arrow.BinaryTypes.String, 20, kerneltest.NoNulls, 3))
	object, err := library.Prepare(context.Background(), "batch", values)
	if err != nil {
		t.Fatal(err)
	}
	index := inputBatch(t, randomIndex(t, random, arrow.PrimitiveTypes.Int32, shape{50, kerneltest.SomeNulls, 5}, 20))
	kernel, err := library.Bind(context.Background(), "take", []*arrow.Schema{index.Schema()},
		bridge.Option{Name: "values", Value: object})
	if err != nil {
		t.Fatal(err)
	}
	object.Release()
	defer kernel.Release()

	result, err := kernel.Run(context.Background(), index)
	if err != nil {
		t.Fatal(err)
	}
	defer result.Release()

	for i := range 50 {
		var want any
		if index.Column(0).IsValid(i) {
			want = kerneltest.Value(values.Column(0), int(indexAt(index.Column(0), i)))
		}
		if got := kerneltest.Value(result.Column(0), i); got != want {
			t.Fatalf("row %d: %v, want %v", i, got, want)
		}
	}
}

func TestSelectionRefusesBadInput(t *testing.T) {
	random := rand.New(rand.NewPCG(10, 10))
	column := func(dataType arrow.DataType, rows int) arrow.RecordBatch {
		return inputBatch(t, kerneltest.Column(random, dataType, rows, kerneltest.NoNulls, 0))
	}
	index := func(values ...int64) arrow.RecordBatch {
		builder := array.NewInt64Builder(memory.DefaultAllocator)
		defer builder.Release()

		builder.AppendValues(values, nil)
		return inputBatch(t, builder.NewArray())
	}
	p, f := arrow.PrimitiveTypes, arrow.FixedWidthTypes
	tests := []struct {
		name   string
		kernel string
		inputs []arrow.RecordBatch
		option any
		want   error
	}{
		{"mask of another length", "filter", []arrow.RecordBatch{column(p.Int64, 3), column(f.Boolean, 4)}, "drop",
			bridge.ErrInvalid},
		{"mask not bool", "filter", []arrow.RecordBatch{column(p.Int64, 3), column(p.Int8, 3)}, "drop",
			bridge.ErrType},
		{"unknown null selection", "filter", []arrow.RecordBatch{column(p.Int64, 3), column(f.Boolean, 3)}, "keep",
			bridge.ErrInvalid},
		{"null selection not text", "filter", []arrow.RecordBatch{column(p.Int64, 3), column(f.Boolean, 3)}, int64(1),
			bridge.ErrInvalid},
		{"index at the end", "take", []arrow.RecordBatch{column(p.Int64, 3), index(0, 3)}, nil, bridge.ErrIndex},
		{"negative index", "take", []arrow.RecordBatch{column(p.Int64, 3), index(-1)}, nil, bridge.ErrIndex},
		{"index into nothing", "take", []arrow.RecordBatch{column(p.Int64, 0), index(0)}, nil, bridge.ErrIndex},
		{"index not an integer", "take", []arrow.RecordBatch{column(p.Int64, 3), column(p.Float64, 3)}, nil,
			bridge.ErrType},
		{"one input", "take", []arrow.RecordBatch{column(p.Int64, 3)}, nil, bridge.ErrInvalid},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var options []bridge.Option
			if test.option != nil {
				options = []bridge.Option{{Name: "null_selection", Value: test.option}}
			}
			if _, err := runKernel(t, test.kernel, test.inputs, options...); !errors.Is(err, test.want) {
				t.Fatalf("%v, want %v", err, test.want)
			}
		})
	}
}

func TestSelectionRefusesNestedColumns(t *testing.T) {
	library := openChecked(t)
	nested := arrow.NewSchema([]arrow.Field{{Name: "l", Type: arrow.ListOf(arrow.PrimitiveTypes.Int8)}}, nil)
	mask := arrow.NewSchema([]arrow.Field{{Name: "m", Type: arrow.FixedWidthTypes.Boolean}}, nil)
	if _, err := library.Bind(context.Background(), "filter", []*arrow.Schema{nested, mask}); !errors.Is(
		err, bridge.ErrType) {
		t.Fatalf("%v, want %v", err, bridge.ErrType)
	}
}
