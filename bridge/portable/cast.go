// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tombolo-arrow/tombolo/bridge"
)

func castKernels() []kernel {
	return []kernel{{info: bridge.KernelInfo{Name: "cast", Kind: bridge.Map, Inputs: 1}, bind: bindCast}}
}

func bindCast(b *binding) (*bound, error) {
	if err := b.columns(0, 1); err != nil {
		return nil, err
	}
	from := storageOf(b.inputs[0].Field(0).Type)
	to, found, err := b.options.dataType("to")
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, b.fail(bridge.CodeInvalid, "the option to is missing")
	}
	safe, found, err := b.options.boolean("safe")
	if err != nil {
		return nil, err
	}
	safe = safe || !found
	if !castable(from) || !castable(to) {
		return nil, b.failAt(bridge.CodeType, 0, 0, "cast takes numbers and bool")
	}
	return &bound{
		output: resultSchema(to),
		run: func(c *call, inputs []arrow.RecordBatch) ([]arrow.Array, int64, error) {
			result, err := castColumn(c, inputs[0].Column(0).Data(), from, to, safe)
			return []arrow.Array{result}, inputs[0].NumRows(), err
		},
	}, nil
}

func castable(dataType arrow.DataType) bool {
	return isNumber(dataType) || dataType.ID() == arrow.BOOL
}

func castColumn(c *call, data arrow.ArrayData, from, to arrow.DataType, safe bool) (arrow.Array, error) {
	if from.ID() == arrow.BOOL {
		return castBool(c, data, to)
	}
	switch from.ID() {
	case arrow.INT8:
		return castFrom[int8](c, data, to, safe)
	case arrow.INT16:
		return castFrom[int16](c, data, to, safe)
	case arrow.INT32:
		return castFrom[int32](c, data, to, safe)
	case arrow.INT64:
		return castFrom[int64](c, data, to, safe)
	case arrow.UINT8:
		return castFrom[uint8](c, data, to, safe)
	case arrow.UINT16:
		return castFrom[uint16](c, data, to, safe)
	case arrow.UINT32:
		return castFrom[uint32](c, data, to, safe)
	case arrow.UINT64:
		return castFrom[uint64](c, data, to, safe)
	case arrow.FLOAT32:
		return castFrom[float32](c, data, to, safe)
	default:
		return castFrom[float64](c, data, to, safe)
	}
}

func castFrom[F number](c *call, data arrow.ArrayData, to arrow.DataType, safe bool) (arrow.Array, error) {
	if to.ID() == arrow.BOOL {
		return castToBool[F](c, data)
	}
	in := slotsOf[F](operand{data: data})
	cast := casting{call: c, data: data, to: to}
	if fits := fitOf[F](limitsOfType(to), safe); fits != nil {
		cast.outside = func(i, n int) uint64 {
			from := in.at(i, n)
			if fits.all(from) {
				return 0
			}
			return fits.outside(from)
		}
	}
	switch to.ID() {
	case arrow.INT8:
		return castTo(&cast, in, conversionOf[F, int8](safe))
	case arrow.INT16:
		return castTo(&cast, in, conversionOf[F, int16](safe))
	case arrow.INT32:
		return castTo(&cast, in, conversionOf[F, int32](safe))
	case arrow.INT64:
		return castTo(&cast, in, conversionOf[F, int64](safe))
	case arrow.UINT8:
		return castTo(&cast, in, conversionOf[F, uint8](safe))
	case arrow.UINT16:
		return castTo(&cast, in, conversionOf[F, uint16](safe))
	case arrow.UINT32:
		return castTo(&cast, in, conversionOf[F, uint32](safe))
	case arrow.UINT64:
		return castTo(&cast, in, conversionOf[F, uint64](safe))
	case arrow.FLOAT32:
		return castTo(&cast, in, conversionOf[F, float32](safe))
	default:
		return castTo(&cast, in, conversionOf[F, float64](safe))
	}
}

// casting is what a cast does whatever its types are.
type casting struct {
	call    *call
	data    arrow.ArrayData
	to      arrow.DataType
	outside func(i, n int) uint64 // of n rows from i on those that do not fit; nil when every value does
}

func castTo[F, T number](c *casting, in *slotColumn[F], convert func(*[wordRows]T, *[wordRows]F)) (arrow.Array, error) {
	out := newCastColumn[T](c.call, c.data.Len())
	err := c.run(func(i, n int) {
		convert(out.word(i, n), in.at(i, n))
		out.put(i, n)
	}, &out.selected)
	if err != nil {
		return nil, err
	}
	if err := zeroNulls(c.call, out.values, out.validity); err != nil {
		out.release()
		return nil, err
	}
	return column(c.to, len(out.values), out.validity, out.buffers[0]), nil
}

// run converts 64 rows at a time: first it makes sure that they fit, then it converts them all. It fills in the
// validity of out, and releases out when it fails.
func (c *casting) run(convert func(i, n int), out *selected) error {
	rows := c.data.Len()
	valid, err := c.call.operandValidity(rows, operand{data: c.data})
	if err != nil {
		out.release()
		return err
	}
	out.validity = valid
	present := bitmapOf(valid, rows)
	err = c.call.inBlocks(rows, 8, func(begin, end int) error {
		for i := begin; i < end; i += wordRows {
			n := min(wordRows, end-i)
			if c.outside != nil && c.outside(i, n)&present.word(i) != 0 {
				return c.call.failAt(bridge.CodeOverflow, 0, 0, "")
			}
			convert(i, n)
		}
		return nil
	})
	if err != nil {
		out.release()
	}
	return err
}

// castColumnOf is the result of a cast, filled a word of rows at a time.
type castColumnOf[T number] struct {
	selected
	values []T
	tail   [wordRows]T
}

func newCastColumn[T number](c *call, rows int) *castColumnOf[T] {
	buffer, out := values[T](c, rows)
	return &castColumnOf[T]{selected: selected{buffers: []*memory.Buffer{buffer}}, values: out}
}

// word gives the place of n rows from i on; put ends what was written there.
func (c *castColumnOf[T]) word(i, n int) *[wordRows]T {
	if n < wordRows {
		return &c.tail
	}
	return (*[wordRows]T)(c.values[i:])
}

func (c *castColumnOf[T]) put(i, n int) {
	if n < wordRows {
		copy(c.values[i:], c.tail[:n])
	}
}

// castToBool gives true for every value but zero; NaN is true.
func castToBool[F number](c *call, data arrow.ArrayData) (arrow.Array, error) {
	var zero slotColumn[F]
	zero.scalar = true
	source := &orderedSource[F]{op: compareEqual, left: slotsOf[F](operand{data: data}), right: &zero}
	return wordColumn(c, data, func(i, n int) uint64 { return ^source.word(i, n) })
}

// wordColumn makes a bool column of words that do not depend on the validity of data, whose nulls it takes.
func wordColumn(c *call, data arrow.ArrayData, word func(i, n int) uint64) (arrow.Array, error) {
	rows := data.Len()
	valid, err := c.operandValidity(rows, operand{data: data})
	if err != nil {
		return nil, err
	}
	present := bitmapOf(valid, rows)
	buffer := c.bitmap(rows)
	err = c.inBlocks(rows, 8, func(begin, end int) error {
		for i := begin; i < end; i += wordRows {
			putWord(buffer.Buf(), i, word(i, min(wordRows, end-i))&present.word(i))
		}
		return nil
	})
	if err != nil {
		selected{validity: valid, buffers: []*memory.Buffer{buffer}}.release()
		return nil, err
	}
	return column(arrow.FixedWidthTypes.Boolean, rows, valid, buffer), nil
}

func castBool(c *call, data arrow.ArrayData, to arrow.DataType) (arrow.Array, error) {
	switch to.ID() {
	case arrow.BOOL:
		values := valueBits(data)
		return wordColumn(c, data, func(i, _ int) uint64 { return values.word(i) })
	case arrow.INT8:
		return boolTo[int8](c, data, to)
	case arrow.INT16:
		return boolTo[int16](c, data, to)
	case arrow.INT32:
		return boolTo[int32](c, data, to)
	case arrow.INT64:
		return boolTo[int64](c, data, to)
	case arrow.UINT8:
		return boolTo[uint8](c, data, to)
	case arrow.UINT16:
		return boolTo[uint16](c, data, to)
	case arrow.UINT32:
		return boolTo[uint32](c, data, to)
	case arrow.UINT64:
		return boolTo[uint64](c, data, to)
	case arrow.FLOAT32:
		return boolTo[float32](c, data, to)
	default:
		return boolTo[float64](c, data, to)
	}
}

func boolTo[T number](c *call, data arrow.ArrayData, to arrow.DataType) (arrow.Array, error) {
	rows := data.Len()
	buffer, out := values[T](c, rows)
	valid, err := c.operandValidity(rows, operand{data: data})
	if err != nil {
		buffer.Release()
		return nil, err
	}
	in, present := valueBits(data), bitmapOf(valid, rows)
	err = c.inBlocks(rows, 1, func(begin, end int) error {
		for i := begin; i < end; i += wordRows {
			w := in.word(i) & present.word(i)
			for j := range out[i:min(i+wordRows, end)] {
				out[i+j] = T(w >> uint(j) & 1)
			}
		}
		return nil
	})
	if err != nil {
		selected{validity: valid, buffers: []*memory.Buffer{buffer}}.release()
		return nil, err
	}
	return column(to, rows, valid, buffer), nil
}
