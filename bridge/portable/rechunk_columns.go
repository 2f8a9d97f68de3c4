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

func concatValidity(c *call, parts []arrow.ArrayData, rows int) (validity, error) {
	nullable := false
	for _, part := range parts {
		nullable = nullable || validBits(part).bytes != nil
	}
	if !nullable {
		return validity{}, nil
	}
	buffer, set, err := concatWords(c, parts, rows, func(part arrow.ArrayData) func(i int) uint64 {
		return validBits(part).word
	})
	if err != nil || set == rows {
		buffer.Release()
		return validity{}, err
	}
	return validity{bits: buffer, nulls: rows - set}, nil
}

func concatBits(c *call, parts []arrow.ArrayData, rows int) ([]*memory.Buffer, error) {
	buffer, _, err := concatWords(c, parts, rows, func(part arrow.ArrayData) func(i int) uint64 {
		values, valid := valueBits(part), validBits(part)
		return func(i int) uint64 { return values.word(i) & valid.word(i) }
	})
	if err != nil {
		buffer.Release()
		return nil, err
	}
	return []*memory.Buffer{buffer}, nil
}

// concatWords joins the bits that words gives of each part, and counts those that are set. The buffer
// is the caller's after an error too.
func concatWords(
	c *call, parts []arrow.ArrayData, rows int, words func(arrow.ArrayData) func(i int) uint64,
) (*memory.Buffer, int, error) {
	buffer := c.bitmap(rows)
	out := bitWriter{bytes: buffer.Buf()}
	for _, part := range parts {
		word := words(part)
		err := c.inBlocks(part.Len(), 1, func(begin, end int) error {
			for i := begin; i < end; i += wordRows {
				out.append(word(i), min(wordRows, end-i))
			}
			return nil
		})
		if err != nil {
			return buffer, 0, err
		}
	}
	out.finish()
	return buffer, out.set, nil
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
	if err := zeroSlots(c, buffer.Bytes(), width, v, rows); err != nil {
		buffer.Release()
		return nil, err
	}
	return []*memory.Buffer{buffer}, nil
}

// zeroSlots is zeroNulls for values of any width.
func zeroSlots(c *call, values []byte, width int, v validity, rows int) error {
	if v.bits == nil {
		return nil
	}
	valid := bitmapOf(v, rows)
	return c.inBlocks(rows, width, func(begin, end int) error {
		for i := begin; i < end; i += wordRows {
			for missing := lowBits(end-i) &^ valid.word(i); missing != 0; missing &= missing - 1 {
				row := i + bits.TrailingZeros64(missing)
				clear(values[row*width:][:width])
			}
		}
		return nil
	})
}

func concatText[O int32 | int64](
	c *call, parts []arrow.ArrayData, rows, position int,
) ([]*memory.Buffer, error) {
	total := 0
	for _, part := range parts {
		present, err := presentBytes(c, offsetsOf[O](part), validBits(part))
		if err != nil {
			return nil, err
		}
		total += present
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
func presentBytes[O int32 | int64](c *call, offsets []O, valid bitmap) (int, error) {
	rows := len(offsets) - 1
	total := int(offsets[rows] - offsets[0])
	if valid.bytes == nil {
		return total, nil
	}
	err := c.inBlocks(rows, 8, func(begin, end int) error {
		for i := begin; i < end; i += wordRows {
			for missing := lowBits(end-i) &^ valid.word(i); missing != 0; missing &= missing - 1 {
				row := i + bits.TrailingZeros64(missing)
				total -= int(offsets[row+1] - offsets[row])
			}
		}
		return nil
	})
	return total, err
}

// concatViews moves long values to one new data buffer, in row order.
func concatViews(c *call, parts []arrow.ArrayData, rows, position int) ([]*memory.Buffer, error) {
	viewBuffer, out := values[arrow.ViewHeader](c, rows)
	total, done := 0, 0
	for _, part := range parts {
		in, valid := slots[arrow.ViewHeader](part), validBits(part)
		err := c.inBlocks(len(in), 16, func(begin, end int) error {
			for i := begin; i < end; i++ {
				if valid.bit(i) {
					out[done+i] = in[i]
				}
				if view := &out[done+i]; !view.IsInline() {
					total += view.Len()
				}
			}
			return nil
		})
		if err != nil {
			viewBuffer.Release()
			return nil, err
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
	heap := viewHeap{bytes: dataBuffer.Bytes()}
	for _, part := range parts {
		if err := heap.move(c, out[:part.Len()], part.Buffers()[2:], 16+total/rows); err != nil {
			viewBuffer.Release()
			dataBuffer.Release()
			return nil, err
		}
		out = out[part.Len():]
	}
	return []*memory.Buffer{viewBuffer, dataBuffer}, nil
}

// sameRows says whether two dictionaries hold the same values and nulls, bit for bit.
func sameRows(c *call, left, right arrow.ArrayData) (bool, error) {
	if left == right {
		return true, nil
	}
	if left.Len() != right.Len() {
		return false, nil
	}
	leftValid, rightValid := validBits(left), validBits(right)
	sameValue, same := sameValueAt(left, right), true
	// Texts may be long, so the context is asked at each word of rows.
	err := c.inBlocks(left.Len(), pollBytes/wordRows, func(begin, end int) error {
		for i := begin; i < end && same; i++ {
			valid := leftValid.bit(i)
			same = valid == rightValid.bit(i) && (!valid || sameValue(i))
		}
		return nil
	})
	return same, err
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
func shiftIndices(
	c *call, parts []arrow.ArrayData, shifts []int, index arrow.DataType, result selected,
) error {
	begin := 0
	out := result.buffers[0].Bytes()
	for i, part := range parts {
		rows := part.Len()
		valid := validBits(part)
		var err error
		switch index.(arrow.FixedWidthDataType).BitWidth() {
		case 8:
			err = shiftRows(c, arrow.GetData[uint8](out)[begin:begin+rows], uint8(shifts[i]), valid)
		case 16:
			err = shiftRows(c, arrow.GetData[uint16](out)[begin:begin+rows], uint16(shifts[i]), valid)
		case 32:
			err = shiftRows(c, arrow.GetData[uint32](out)[begin:begin+rows], uint32(shifts[i]), valid)
		default:
			err = shiftRows(c, arrow.GetData[uint64](out)[begin:begin+rows], uint64(shifts[i]), valid)
		}
		if err != nil {
			return err
		}
		begin += rows
	}
	return nil
}

func shiftRows[T unsigned](c *call, values []T, by T, valid bitmap) error {
	if by == 0 {
		return nil
	}
	return c.inBlocks(len(values), 8, func(begin, end int) error {
		for i := begin; i < end; i++ {
			if valid.bit(i) {
				values[i] += by
			}
		}
		return nil
	})
}
