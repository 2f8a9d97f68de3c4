// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"bytes"
	"math"
	"math/bits"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tombolo-arrow/tombolo/bridge"
)

func concatValidity(c *call, parts []arrow.ArrayData, rows int) validity {
	nullable := false
	for _, part := range parts {
		nullable = nullable || validBits(part).bytes != nil
	}
	if !nullable {
		return validity{}
	}
	buffer := c.bitmap(rows)
	out := bitWriter{bytes: buffer.Buf()}
	for _, part := range parts {
		valid := validBits(part)
		for i := 0; i < part.Len(); i += wordRows {
			out.append(valid.word(i), min(wordRows, part.Len()-i))
		}
	}
	out.finish()
	if out.set == rows {
		buffer.Release()
		return validity{}
	}
	return validity{bits: buffer, nulls: rows - out.set}
}

func concatBits(c *call, parts []arrow.ArrayData, rows int) []*memory.Buffer {
	buffer := c.bitmap(rows)
	out := bitWriter{bytes: buffer.Buf()}
	for _, part := range parts {
		values, valid := valueBits(part), validBits(part)
		for i := 0; i < part.Len(); i += wordRows {
			out.append(values.word(i)&valid.word(i), min(wordRows, part.Len()-i))
		}
	}
	out.finish()
	return []*memory.Buffer{buffer}
}

func concatFixed(
	c *call, parts []arrow.ArrayData, rows, width int, v validity,
) ([]*memory.Buffer, error) {
	buffer := c.buffer(rows * width)
	out := buffer.Bytes()
	for _, part := range parts {
		if part.Len() == 0 {
			continue
		}
		in := bufferBytes(part, 1)[part.Offset()*width:][:part.Len()*width]
		err := c.inBlocks(len(in), 1, func(begin, end int) error {
			copy(out[begin:], in[begin:end])
			return nil
		})
		if err != nil {
			buffer.Release()
			return nil, err
		}
		out = out[len(in):]
	}
	zeroSlots(buffer.Bytes(), width, v, rows)
	return []*memory.Buffer{buffer}, nil
}

// zeroSlots is zeroNulls for values of any width.
func zeroSlots(values []byte, width int, v validity, rows int) {
	if v.bits == nil {
		return
	}
	valid := bitmapOf(v, rows)
	for i := 0; i < rows; i += wordRows {
		for missing := lowBits(rows-i) &^ valid.word(i); missing != 0; missing &= missing - 1 {
			row := i + bits.TrailingZeros64(missing)
			clear(values[row*width:][:width])
		}
	}
}

func concatText[O int32 | int64](
	c *call, parts []arrow.ArrayData, rows, position int,
) ([]*memory.Buffer, error) {
	total := 0
	for _, part := range parts {
		total += presentBytes(offsetsOf[O](part), validBits(part))
	}
	if total > int(maxOffset[O]()) {
		return nil, c.failAt(bridge.CodeOverflow, 0, position, "the text of the result is too long for its offsets")
	}
	offsetBuffer, out := values[O](c, rows+1)
	dataBuffer := c.buffer(total)
	next, to := out[1:], dataBuffer.Bytes()
	var end O
	for _, part := range parts {
		offsets, valid, in := offsetsOf[O](part), validBits(part), bufferBytes(part, 2)
		err := c.inBlocks(part.Len(), textRowBytes(offsets), func(begin, stop int) error {
			for i := begin; i < stop; i += wordRows {
				all := lowBits(min(wordRows, stop-i))
				present := valid.word(i) & all
				end = keepOffsets(next, offsets[i:], end, all, present)
				next = next[bits.OnesCount64(all):]
				to = to[keepBytes(to, in, offsets[i:], present):]
			}
			return nil
		})
		if err != nil {
			offsetBuffer.Release()
			dataBuffer.Release()
			return nil, err
		}
	}
	return []*memory.Buffer{offsetBuffer, dataBuffer}, nil
}

// presentBytes counts the bytes of the rows that are not null.
func presentBytes[O int32 | int64](offsets []O, valid bitmap) int {
	rows := len(offsets) - 1
	total := int(offsets[rows] - offsets[0])
	if valid.bytes == nil {
		return total
	}
	for i := 0; i < rows; i += wordRows {
		for missing := lowBits(rows-i) &^ valid.word(i); missing != 0; missing &= missing - 1 {
			row := i + bits.TrailingZeros64(missing)
			total -= int(offsets[row+1] - offsets[row])
		}
	}
	return total
}

// concatViews moves long values to one new data buffer, in row order.
func concatViews(c *call, parts []arrow.ArrayData, rows, position int) ([]*memory.Buffer, error) {
	viewBuffer, out := values[arrow.ViewHeader](c, rows)
	total, done := 0, 0
	for _, part := range parts {
		in, valid := slots[arrow.ViewHeader](part), validBits(part)
		for i := range in {
			if valid.bit(i) {
				out[done+i] = in[i]
			}
			if view := &out[done+i]; !view.IsInline() {
				total += view.Len()
			}
		}
		done += len(in)
	}
	if total > math.MaxInt32 {
		viewBuffer.Release()
		return nil, c.failAt(bridge.CodeOverflow, 0, position, "the long text of the result is over 2 GiB")
	}
	if total == 0 {
		return []*memory.Buffer{viewBuffer}, nil
	}
	dataBuffer := c.buffer(total)
	to, at := dataBuffer.Bytes(), 0
	for _, part := range parts {
		sources := part.Buffers()[2:]
		err := c.inBlocks(part.Len(), 16+total/rows, func(begin, end int) error {
			for i := begin; i < end; i++ {
				view := &out[i]
				if view.IsInline() {
					continue
				}
				from := sources[view.BufferIndex()].Bytes()[view.BufferOffset():]
				copy(to[at:], from[:view.Len()])
				view.SetIndexOffset(0, int32(at))
				at += view.Len()
			}
			return nil
		})
		if err != nil {
			viewBuffer.Release()
			dataBuffer.Release()
			return nil, err
		}
		out = out[part.Len():]
	}
	return []*memory.Buffer{viewBuffer, dataBuffer}, nil
}

// sameRows says whether two dictionaries hold the same values and nulls, bit for bit.
func sameRows(left, right arrow.ArrayData) bool {
	if left == right {
		return true
	}
	if left.Len() != right.Len() {
		return false
	}
	leftValid, rightValid := validBits(left), validBits(right)
	same := sameValueAt(left, right)
	for i := range left.Len() {
		if leftValid.bit(i) != rightValid.bit(i) || (leftValid.bit(i) && !same(i)) {
			return false
		}
	}
	return true
}

func sameValueAt(left, right arrow.ArrayData) func(i int) bool {
	switch form := layoutOf(left.DataType()); form.kind {
	case layoutNull:
		return func(int) bool { return true }
	case layoutBits:
		a, b := valueBits(left), valueBits(right)
		return func(i int) bool { return a.bit(i) == b.bit(i) }
	default:
		a, b := textBlockOf(operand{data: left}), textBlockOf(operand{data: right})
		return func(i int) bool {
			a.fill(&a.rows, i, 1)
			b.fill(&b.rows, i, 1)
			return bytes.Equal(a.rows[0], b.rows[0])
		}
	}
}

// shiftIndices adds to the indices of each part what its dictionary lies behind; those under a null stay 0.
func shiftIndices(parts []arrow.ArrayData, shifts []int, index arrow.DataType, result selected) {
	begin := 0
	out := result.buffers[0].Bytes()
	for i, part := range parts {
		rows := part.Len()
		valid := validBits(part)
		switch index.(arrow.FixedWidthDataType).BitWidth() {
		case 8:
			shiftRows(arrow.GetData[uint8](out)[begin:begin+rows], uint8(shifts[i]), valid)
		case 16:
			shiftRows(arrow.GetData[uint16](out)[begin:begin+rows], uint16(shifts[i]), valid)
		case 32:
			shiftRows(arrow.GetData[uint32](out)[begin:begin+rows], uint32(shifts[i]), valid)
		default:
			shiftRows(arrow.GetData[uint64](out)[begin:begin+rows], uint64(shifts[i]), valid)
		}
		begin += rows
	}
}

func shiftRows[T unsigned](values []T, by T, valid bitmap) {
	if by == 0 {
		return
	}
	for i := range values {
		if valid.bit(i) {
			values[i] += by
		}
	}
}
