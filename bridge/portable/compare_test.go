// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/bridge/kerneltest"
)

// comparableTypes lists what the comparison kernels take.
func comparableTypes() []arrow.DataType {
	types := []arrow.DataType{
		arrow.FixedWidthTypes.Boolean, &arrow.FixedSizeBinaryType{ByteWidth: 5},
		&arrow.Decimal128Type{Precision: 38, Scale: 2},
	}
	types = append(types, kerneltest.Numbers()...)
	types = append(types, kerneltest.Texts()...)
	types = append(types, kerneltest.Temporals()...)
	return append(types, kerneltest.Dictionaries()...)
}

// order compares two values that are not null as the contract says; ok is false where NaN is among them.
func order(left, right arrow.Array, i, j int) (result int, ok bool) {
	a, b := kerneltest.Plain(left, i), kerneltest.Plain(right, j)
	switch x := a.(type) {
	case float64:
		y := b.(float64)
		return cmp.Compare(x+0, y+0), x == x && y == y
	case *big.Int:
		return x.Cmp(b.(*big.Int)), true
	case bool:
		return cmp.Compare(bit(x), bit(b.(bool))), true
	default:
		return bytes.Compare([]byte(a.(string)), []byte(b.(string))), true
	}
}

var wantOf = map[string]func(order int, ok bool) bool{
	"equal":         func(order int, ok bool) bool { return ok && order == 0 },
	"not_equal":     func(order int, ok bool) bool { return !ok || order != 0 },
	"less":          func(order int, ok bool) bool { return ok && order < 0 },
	"less_equal":    func(order int, ok bool) bool { return ok && order <= 0 },
	"greater":       func(order int, ok bool) bool { return ok && order > 0 },
	"greater_equal": func(order int, ok bool) bool { return ok && order >= 0 },
}

func TestCompareColumns(t *testing.T) {
	for _, dataType := range comparableTypes() {
		t.Run(dataType.String(), func(t *testing.T) {
			random := rand.New(rand.NewPCG(11, uint64(dataType.ID())))
			for i, s := range shapes() {
				left := kerneltest.Column(random, dataType, s.rows, s.nulls, s.offset)
				right := kerneltest.Column(random, dataType, s.rows, kerneltest.Nulls(i%2), s.offset/2)
				checkCompare(t, s, comparisonKernels[i%6].name, left, right)
			}
		})
	}
}

func checkCompare(t *testing.T, s shape, name string, left, right arrow.Array) {
	t.Helper()
	batch := inputBatch(t, left, right)
	result, err := runKernel(t, name, []arrow.RecordBatch{batch})
	if err != nil {
		t.Fatalf("%+v: %v", s, err)
	}
	want := make([]any, s.rows)
	for i := range want {
		if kerneltest.Value(left, i) != nil && kerneltest.Value(right, i) != nil {
			want[i] = wantOf[name](order(left, right, i, i))
		}
	}
	checkValues(t, s, kerneltest.Values(result.Column(0)), want)
}

func TestCompareWithScalar(t *testing.T) {
	for _, dataType := range comparableTypes() {
		t.Run(dataType.String(), func(t *testing.T) {
			random := rand.New(rand.NewPCG(12, uint64(dataType.ID())))
			for i, s := range shapes() {
				name := comparisonKernels[i%6].name
				left := kerneltest.Column(random, dataType, s.rows, s.nulls, s.offset)
				right := kerneltest.Column(random, valueType(dataType), 1, kerneltest.Nulls(i%11/10*2), 3)
				result, err := runWithRight(t, name, inputBatch(t, left), inputBatch(t, right))
				if err != nil {
					t.Fatalf("%+v: %v", s, err)
				}
				want := make([]any, s.rows)
				for i := range want {
					if kerneltest.Value(left, i) != nil && kerneltest.Value(right, 0) != nil {
						want[i] = wantOf[name](order(left, right, i, 0))
					}
				}
				checkValues(t, s, kerneltest.Values(result.Column(0)), want)
			}
		})
	}
}

// runWithRight runs a binary kernel with a prepared scalar.
func runWithRight(t *testing.T, name string, left, right arrow.RecordBatch) (arrow.RecordBatch, error) {
	t.Helper()
	library := openChecked(t)
	object, err := library.Prepare(context.Background(), "batch", right)
	if err != nil {
		t.Fatal(err)
	}
	defer object.Release()

	kernel, err := library.Bind(context.Background(), name, []*arrow.Schema{left.Schema()},
		bridge.Option{Name: "right", Value: object})
	if err != nil {
		return nil, err
	}
	defer kernel.Release()

	result, err := kernel.Run(context.Background(), left)
	if err == nil {
		t.Cleanup(result.Release)
		kerneltest.CheckShape(t, result)
	}
	return result, err
}

func TestCompareDictionaryWithPlain(t *testing.T) {
	random := rand.New(rand.NewPCG(13, 13))
	encoded := kerneltest.Dictionaries()[0]
	left := kerneltest.Column(random, encoded, 100, kerneltest.SomeNulls, 5)
	right := kerneltest.Column(random, valueType(encoded), 100, kerneltest.SomeNulls, 2)
	checkCompare(t, shape{rows: 100}, "less", left, right)
}

func TestCompareRefusesBadInput(t *testing.T) {
	random := rand.New(rand.NewPCG(14, 14))
	one := func(dataType arrow.DataType, rows int) arrow.Array {
		return kerneltest.Column(random, dataType, rows, kerneltest.NoNulls, 0)
	}
	p := arrow.PrimitiveTypes
	if _, err := runKernel(t, "equal", []arrow.RecordBatch{inputBatch(t, one(p.Int8, 3), one(p.Int16, 3))}); !errors.Is(
		err, bridge.ErrType) {
		t.Errorf("different types: %v", err)
	}
	if _, err := runKernel(t, "equal", []arrow.RecordBatch{inputBatch(t, one(p.Int8, 3))}); !errors.Is(
		err, bridge.ErrInvalid) {
		t.Errorf("one column: %v", err)
	}
	f := arrow.FixedWidthTypes.Float16
	if _, err := runKernel(t, "equal", []arrow.RecordBatch{inputBatch(t, one(f, 3), one(f, 3))}); !errors.Is(
		err, bridge.ErrType) {
		t.Errorf("float16: %v", err)
	}
	two := inputBatch(t, one(p.Int8, 2))
	if _, err := runWithRight(t, "less", inputBatch(t, one(p.Int8, 2)), two); !errors.Is(err, bridge.ErrInvalid) {
		t.Errorf("a scalar of two rows: %v", err)
	}
}

func TestCompareRefusesIndexOutsideTheDictionary(t *testing.T) {
	random := rand.New(rand.NewPCG(15, 15))
	column := kerneltest.Column(random, kerneltest.Dictionaries()[0], 100, kerneltest.NoNulls, 0)
	binary.LittleEndian.PutUint16(column.Data().Buffers()[1].Bytes()[50:], 0x7f7f)
	broken := array.MakeFromData(column.Data())
	column.Release()
	other := kerneltest.Column(random, arrow.BinaryTypes.String, 100, kerneltest.NoNulls, 0)
	if _, err := runKernel(t, "equal", []arrow.RecordBatch{inputBatch(t, broken, other)}); !errors.Is(
		err, bridge.ErrIndex) {
		t.Errorf("%v, want %v", err, bridge.ErrIndex)
	}
}
