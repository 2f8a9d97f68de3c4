// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/bridge/kerneltest"
)

// castWant is the oracle: the value of one row as kerneltest.Value shows it, or ErrOverflow.
func castWant(value any, to arrow.DataType, safe bool) (any, error) {
	if b, ok := value.(bool); ok {
		value = big.NewInt(int64(bit(b)))
	}
	whole, isWhole := value.(*big.Int)
	if to.ID() == arrow.BOOL {
		if isWhole {
			return whole.Sign() != 0, nil
		}
		return value.(float64) != 0, nil
	}
	if to.ID() == arrow.FLOAT32 || to.ID() == arrow.FLOAT64 {
		return castFloatWant(value, to, safe)
	}
	if !isWhole {
		f := value.(float64)
		if safe && (f != math.Trunc(f) || math.IsInf(f, 0)) {
			return nil, bridge.ErrOverflow
		}
		whole = new(big.Int)
		if f == f && !math.IsInf(f, 0) && (safe || (f >= -(1<<63) && f < 1<<63)) {
			big.NewFloat(f).Int(whole)
		}
	}
	if low, high := integerRange(to); safe && (whole.Cmp(low) < 0 || whole.Cmp(high) > 0) {
		return nil, bridge.ErrOverflow
	}
	width := to.(arrow.FixedWidthDataType).BitWidth() / 8
	modulus := new(big.Int).Lsh(big.NewInt(1), uint(8*width))
	return kerneltest.Bits(int64(new(big.Int).Mod(whole, modulus).Uint64()), width), nil
}

func castFloatWant(value any, to arrow.DataType, safe bool) (any, error) {
	bits := uint(53)
	if to.ID() == arrow.FLOAT32 {
		bits = 24
	}
	whole, isWhole := value.(*big.Int)
	if isWhole {
		exact := new(big.Int).Lsh(big.NewInt(1), bits)
		if safe && new(big.Int).Abs(whole).Cmp(exact) > 0 {
			return nil, bridge.ErrOverflow
		}
		rounded := new(big.Float).SetInt(whole)
		if to.ID() == arrow.FLOAT32 {
			f, _ := rounded.Float32()
			return math.Float32bits(f), nil
		}
		f, _ := rounded.Float64()
		return math.Float64bits(f), nil
	}
	if to.ID() == arrow.FLOAT32 {
		return math.Float32bits(float32(value.(float64))), nil
	}
	return math.Float64bits(value.(float64)), nil
}

func TestCast(t *testing.T) {
	types := append(kerneltest.Numbers(), arrow.FixedWidthTypes.Boolean)
	for _, from := range types {
		for _, to := range types {
			t.Run(fmt.Sprintf("%s/%s", from, to), func(t *testing.T) {
				random := rand.New(rand.NewPCG(uint64(from.ID()), uint64(to.ID())))
				for i, s := range shapes() {
					if s.rows <= 65 || i%3 == 0 {
						checkCast(t, random, from, to, s, i%2 == 0)
					}
				}
			})
		}
	}
}

func checkCast(t *testing.T, random *rand.Rand, from, to arrow.DataType, s shape, safe bool) {
	t.Helper()
	column := kerneltest.Column(random, from, s.rows, s.nulls, s.offset)
	want := make([]any, s.rows)
	var wantErr error
	for i := range want {
		if column.IsNull(i) {
			continue
		}
		value, err := castWant(kerneltest.Plain(column, i), to, safe)
		if err != nil {
			wantErr = err
		}
		want[i] = value
	}
	result, err := runKernel(t, "cast", []arrow.RecordBatch{inputBatch(t, column)},
		bridge.Option{Name: "to", Value: to}, bridge.Option{Name: "safe", Value: safe})
	if !errors.Is(err, wantErr) {
		t.Fatalf("safe %v %+v: %v, want %v", safe, s, err, wantErr)
	}
	if err == nil {
		checkValues(t, s, kerneltest.Values(result.Column(0)), want)
	}
}

func TestCastIsSafeByDefault(t *testing.T) {
	random := rand.New(rand.NewPCG(19, 19))
	batch := inputBatch(t, kerneltest.Column(random, arrow.PrimitiveTypes.Int64, 1000, kerneltest.NoNulls, 0))
	_, err := runKernel(t, "cast", []arrow.RecordBatch{batch},
		bridge.Option{Name: "to", Value: arrow.PrimitiveTypes.Int8})
	if !errors.Is(err, bridge.ErrOverflow) {
		t.Errorf("%v, want %v", err, bridge.ErrOverflow)
	}
}

func TestCastRefusesBadInput(t *testing.T) {
	random := rand.New(rand.NewPCG(20, 20))
	number := inputBatch(t, kerneltest.Column(random, arrow.PrimitiveTypes.Int64, 2, kerneltest.NoNulls, 0))
	text := inputBatch(t, kerneltest.Column(random, arrow.BinaryTypes.String, 2, kerneltest.NoNulls, 0))
	tests := []struct {
		name  string
		batch arrow.RecordBatch
		to    any
		want  error
	}{
		{"from text", text, arrow.PrimitiveTypes.Int8, bridge.ErrType},
		{"to text", number, arrow.BinaryTypes.String, bridge.ErrType},
		{"no type", number, nil, bridge.ErrInvalid},
		{"type as text", number, "int8", bridge.ErrInvalid},
	}
	for _, test := range tests {
		var options []bridge.Option
		if test.to != nil {
			options = []bridge.Option{{Name: "to", Value: test.to}}
		}
		if _, err := runKernel(t, "cast", []arrow.RecordBatch{test.batch}, options...); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
	}
}
