// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/bridge/kerneltest"
)

// arithmeticWant is the oracle: the value of one row as kerneltest.Value shows it, or the sentinel of its failure.
func arithmeticWant(op arithmetic, checked bool, dataType arrow.DataType, a, b any) (any, error) {
	if x, ok := a.(float64); ok {
		return floatWant(op, dataType, x, b.(float64)), nil
	}
	x, y := a.(*big.Int), b.(*big.Int)
	z := new(big.Int)
	switch op {
	case arithmeticAdd:
		z.Add(x, y)
	case arithmeticSubtract:
		z.Sub(x, y)
	case arithmeticDivide:
		if y.Sign() == 0 {
			return nil, bridge.ErrDivideByZero
		}
		z.Quo(x, y)
	default:
		z.Abs(x)
	}
	width := dataType.(arrow.FixedWidthDataType).BitWidth() / 8
	low, high := integerRange(dataType)
	if checked && (z.Cmp(low) < 0 || z.Cmp(high) > 0) {
		return nil, bridge.ErrOverflow
	}
	modulus := new(big.Int).Lsh(big.NewInt(1), uint(8*width))
	return kerneltest.Bits(int64(z.Mod(z, modulus).Uint64()), width), nil
}

func integerRange(dataType arrow.DataType) (low, high *big.Int) {
	bits := uint(dataType.(arrow.FixedWidthDataType).BitWidth())
	one := big.NewInt(1)
	if arrow.IsUnsignedInteger(dataType.ID()) {
		return new(big.Int), new(big.Int).Sub(new(big.Int).Lsh(one, bits), one)
	}
	half := new(big.Int).Lsh(one, bits-1)
	return new(big.Int).Neg(half), new(big.Int).Sub(half, one)
}

func floatWant(op arithmetic, dataType arrow.DataType, x, y float64) any {
	var z float64
	switch op {
	case arithmeticAdd:
		z = x + y
	case arithmeticSubtract:
		z = x - y
	case arithmeticDivide:
		z = x / y
	default:
		z = math.Abs(x)
	}
	if dataType.ID() == arrow.FLOAT32 {
		if z != z {
			return uint32(canonicalNaN32)
		}
		// Rounding twice gives the same float32 for these operations.
		return math.Float32bits(float32(z))
	}
	if z != z && op != arithmeticAbs {
		return uint64(canonicalNaN64)
	}
	return math.Float64bits(z)
}

// runsArithmetic checks one run against the oracle and returns whether it failed as the oracle said.
func runsArithmetic(t *testing.T, op arithmetic, checked bool, s shape, columns ...arrow.Array) {
	t.Helper()
	name := arithmeticNames[op]
	if !checked {
		name += "_unchecked"
	}
	left, right := columns[0], columns[len(columns)-1]
	want := make([]any, s.rows)
	var wantErr error
	for i := range want {
		if left.IsNull(i) || right.IsNull(i) {
			continue
		}
		value, err := arithmeticWant(op, checked, left.DataType(), kerneltest.Plain(left, i),
			kerneltest.Plain(right, i))
		if err != nil && wantErr == nil {
			wantErr = err
		}
		want[i] = value
	}
	result, err := runKernel(t, name, []arrow.RecordBatch{inputBatch(t, columns...)})
	if !errors.Is(err, wantErr) {
		t.Fatalf("%s %+v: %v, want %v", name, s, err, wantErr)
	}
	if err == nil {
		checkValues(t, s, kerneltest.Values(result.Column(0)), want)
	}
}

func TestArithmetic(t *testing.T) {
	for _, dataType := range kerneltest.Numbers() {
		t.Run(dataType.String(), func(t *testing.T) {
			random := rand.New(rand.NewPCG(16, uint64(dataType.ID())))
			for _, s := range shapes() {
				for op := range arithmeticNames {
					op := arithmetic(op)
					left := kerneltest.Column(random, dataType, s.rows, s.nulls, s.offset)
					if op == arithmeticAbs {
						runsArithmetic(t, op, random.IntN(2) == 0, s, left)
						continue
					}
					right := kerneltest.Column(random, dataType, s.rows, kerneltest.Nulls(random.IntN(2)), 3)
					runsArithmetic(t, op, random.IntN(2) == 0, s, left, right)
				}
			}
		})
	}
}

func TestArithmeticWithScalar(t *testing.T) {
	random := rand.New(rand.NewPCG(17, 17))
	left := inputBatch(t, kerneltest.Column(random, arrow.PrimitiveTypes.Float64, 100, kerneltest.SomeNulls, 7))
	right := inputBatch(t, kerneltest.Column(random, arrow.PrimitiveTypes.Float64, 1, kerneltest.NoNulls, 0))
	result, err := runWithRight(t, "divide", left, right)
	if err != nil {
		t.Fatal(err)
	}
	want := make([]any, 100)
	for i := range want {
		if left.Column(0).IsValid(i) {
			want[i], _ = arithmeticWant(arithmeticDivide, true, arrow.PrimitiveTypes.Float64,
				kerneltest.Plain(left.Column(0), i), kerneltest.Plain(right.Column(0), 0))
		}
	}
	checkValues(t, shape{rows: 100}, kerneltest.Values(result.Column(0)), want)
	null := inputBatch(t, kerneltest.Column(random, arrow.PrimitiveTypes.Float64, 1, kerneltest.AllNulls, 0))
	result, err = runWithRight(t, "divide", left, null)
	if err != nil {
		t.Fatal(err)
	}
	if result.Column(0).NullN() != 100 {
		t.Errorf("%d nulls from a null scalar, want 100", result.Column(0).NullN())
	}
}

// TestArithmeticIgnoresFailuresUnderNull has an overflow, a zero and MIN / -1, each under a null.
func TestArithmeticIgnoresFailuresUnderNull(t *testing.T) {
	ints := func(values ...int64) *memory.Buffer {
		return memory.NewBufferBytes(arrow.GetBytes(append([]int64(nil), values...)))
	}
	one := memory.NewBufferBytes([]byte{1})
	column := func(valid, values *memory.Buffer) arrow.Array {
		data := array.NewData(arrow.PrimitiveTypes.Int64, 4, []*memory.Buffer{valid, values}, nil, 3, 0)
		defer data.Release()
		return array.MakeFromData(data)
	}
	left, right := ints(7, math.MaxInt64, 1, math.MinInt64), ints(7, 1, 0, -1)
	for _, name := range []string{"add", "subtract", "divide", "divide_unchecked"} {
		batch := inputBatch(t, column(one, left), column(one, right))
		if _, err := runKernel(t, name, []arrow.RecordBatch{batch}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestArithmeticRefusesBadInput(t *testing.T) {
	random := rand.New(rand.NewPCG(18, 18))
	for _, dataType := range []arrow.DataType{
		arrow.FixedWidthTypes.Boolean, arrow.BinaryTypes.String, arrow.FixedWidthTypes.Timestamp_s,
		kerneltest.Dictionaries()[3],
	} {
		batch := inputBatch(t, kerneltest.Column(random, dataType, 2, kerneltest.NoNulls, 0),
			kerneltest.Column(random, dataType, 2, kerneltest.NoNulls, 0))
		if _, err := runKernel(t, "add", []arrow.RecordBatch{batch}); !errors.Is(err, bridge.ErrType) {
			t.Errorf("%s: %v, want %v", dataType, err, bridge.ErrType)
		}
	}
}
