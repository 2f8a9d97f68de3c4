// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tombolo-arrow/tombolo/bridge"
)

// arithmetic is one operation; each has a checked and an unchecked kernel.
type arithmetic uint8

const (
	arithmeticAdd arithmetic = iota
	arithmeticSubtract
	arithmeticDivide
	arithmeticAbs
)

var arithmeticNames = [...]string{"add", "subtract", "divide", "abs"}

func arithmeticKernels() []kernel {
	var kernels []kernel
	for op, name := range arithmeticNames {
		op := arithmetic(op)
		kernels = append(kernels,
			kernel{
				info: bridge.KernelInfo{Name: name, Kind: bridge.Map, Inputs: 1},
				bind: func(b *binding) (*bound, error) { return bindArithmetic(b, op, true) },
			},
			kernel{
				info: bridge.KernelInfo{Name: name + "_unchecked", Kind: bridge.Map, Inputs: 1},
				bind: func(b *binding) (*bound, error) { return bindArithmetic(b, op, false) },
			})
	}
	return kernels
}

func isNumber(dataType arrow.DataType) bool {
	id := dataType.ID()
	return arrow.IsInteger(id) || id == arrow.FLOAT32 || id == arrow.FLOAT64
}

func bindArithmetic(b *binding, op arithmetic, checked bool) (*bound, error) {
	if op == arithmeticAbs {
		return bindAbs(b, checked)
	}
	pair, err := b.operandPair(isNumber)
	if err != nil {
		return nil, err
	}
	if pair.encoded >= 0 {
		return nil, b.failAt(bridge.CodeType, 0, pair.encoded, "arithmetic takes no dictionary")
	}
	return &bound{
		output: resultSchema(pair.dataType),
		run: func(c *call, inputs []arrow.RecordBatch) ([]arrow.Array, int64, error) {
			left, right := pair.of(inputs[0])
			rows := int(inputs[0].NumRows())
			result, err := runArithmetic(c, op, checked, pair.dataType, left, right, rows)
			return []arrow.Array{result}, int64(rows), err
		},
	}, nil
}

func bindAbs(b *binding, checked bool) (*bound, error) {
	if err := b.columns(0, 1); err != nil {
		return nil, err
	}
	dataType := storageOf(b.inputs[0].Field(0).Type)
	if !isNumber(dataType) {
		return nil, b.failAt(bridge.CodeType, 0, 0, "")
	}
	return &bound{
		output: resultSchema(dataType),
		run: func(c *call, inputs []arrow.RecordBatch) ([]arrow.Array, int64, error) {
			one := operand{data: inputs[0].Column(0).Data()}
			rows := int(inputs[0].NumRows())
			result, err := runArithmetic(c, arithmeticAbs, checked, dataType, one, one, rows)
			return []arrow.Array{result}, int64(rows), err
		},
	}, nil
}

func runArithmetic(
	c *call, op arithmetic, checked bool, dataType arrow.DataType, left, right operand, rows int,
) (arrow.Array, error) {
	switch dataType.ID() {
	case arrow.INT8:
		return arithmeticColumn(c, signedLoop[int8](op, checked), dataType, left, right, rows)
	case arrow.INT16:
		return arithmeticColumn(c, signedLoop[int16](op, checked), dataType, left, right, rows)
	case arrow.INT32:
		return arithmeticColumn(c, signedLoop[int32](op, checked), dataType, left, right, rows)
	case arrow.INT64:
		return arithmeticColumn(c, signedLoop[int64](op, checked), dataType, left, right, rows)
	case arrow.UINT8:
		return arithmeticColumn(c, unsignedLoop[uint8](op, checked), dataType, left, right, rows)
	case arrow.UINT16:
		return arithmeticColumn(c, unsignedLoop[uint16](op, checked), dataType, left, right, rows)
	case arrow.UINT32:
		return arithmeticColumn(c, unsignedLoop[uint32](op, checked), dataType, left, right, rows)
	case arrow.UINT64:
		return arithmeticColumn(c, unsignedLoop[uint64](op, checked), dataType, left, right, rows)
	case arrow.FLOAT32:
		return arithmeticColumn(c, float32Loop(op), dataType, left, right, rows)
	default:
		return arithmeticColumn(c, float64Loop(op), dataType, left, right, rows)
	}
}

// arithmeticLoop computes 64 rows. loop says whether one of them may have failed, rows under a null included;
// fault then tells which code a row gives, 0 for none.
type arithmeticLoop[T any] struct {
	loop  func(out, left, right *[wordRows]T) bool
	fault func(left, right T) bridge.Code
}

func arithmeticColumn[T ordered](
	c *call, op arithmeticLoop[T], dataType arrow.DataType, left, right operand, rows int,
) (arrow.Array, error) {
	buffer, out := values[T](c, rows)
	if right.null() {
		return column(dataType, rows, c.nothing(rows), buffer), nil
	}
	operands := []operand{left, right}
	if left == right {
		operands = operands[:1]
	}
	valid, err := c.operandValidity(rows, operands...)
	if err != nil {
		buffer.Release()
		return nil, err
	}
	present := bitmapOf(valid, rows)
	a, b := slotsOf[T](left), slotsOf[T](right)
	var tail [wordRows]T
	width := layoutOf(dataType).width
	err = c.inBlocks(rows, 2*width, func(begin, end int) error {
		for i := begin; i < end; i += wordRows {
			n := min(wordRows, end-i)
			to := &tail
			if n == wordRows {
				to = (*[wordRows]T)(out[i:])
			}
			x, y := a.at(i, n), b.at(i, n)
			if op.loop(to, x, y) {
				if code := firstFault(op, x, y, present.word(i)); code != 0 {
					return c.failAt(code, 0, 0, "")
				}
			}
			if n < wordRows {
				copy(out[i:], tail[:n])
			}
		}
		return nil
	})
	if err == nil {
		err = zeroNulls(c, out, valid)
	}
	if err != nil {
		selected{validity: valid, buffers: []*memory.Buffer{buffer}}.release()
		return nil, err
	}
	return column(dataType, rows, valid, buffer), nil
}

// firstFault looks for the first row that is there and fails.
func firstFault[T any](op arithmeticLoop[T], left, right *[wordRows]T, present uint64) bridge.Code {
	for j := range wordRows {
		if present>>uint(j)&1 == 0 {
			continue
		}
		if code := op.fault(left[j], right[j]); code != 0 {
			return code
		}
	}
	return 0
}
