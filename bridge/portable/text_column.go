// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"encoding/binary"

	"github.com/apache/arrow-go/v18/arrow"
)

// A text is known by a 64-bit tag. Up to 7 bytes the tag is the text: its bytes from the lowest up, its length in
// the top byte. From 8 bytes on the top bit is set over a hash, and equal tags need a look at the bytes.
const (
	textShortMax = 7
	textLong     = uint64(1) << 63
)

// shortMasks keeps the low bytes of a word that a text of that length fills.
var shortMasks = [8]uint64{
	0, 0xFF, 0xFFFF, 0xFFFFFF, 0xFFFFFFFF, 0xFFFFFFFFFF, 0xFFFFFFFFFFFF, 0xFFFFFFFFFFFFFF,
}

// textColumn reads a utf8, large_utf8 or utf8_view column; row 0 is the first row of the slice.
type textColumn struct {
	offsets32 []int32
	offsets64 []int64
	views     []byte
	data      []byte
	buffers   [][]byte
	valid     bitmap
}

const viewBytes = 16

func newTextColumn(data arrow.ArrayData) textColumn {
	begin, rows := data.Offset(), data.Len()
	column := textColumn{valid: validBits(data)}
	if rows == 0 {
		return column
	}
	switch storageOf(data.DataType()).ID() {
	case arrow.STRING:
		offsets := arrow.Int32Traits.CastFromBytes(bufferBytes(data, 1))
		column.offsets32, column.data = offsets[begin:begin+rows+1], bufferBytes(data, 2)
	case arrow.LARGE_STRING:
		offsets := arrow.Int64Traits.CastFromBytes(bufferBytes(data, 1))
		column.offsets64, column.data = offsets[begin:begin+rows+1], bufferBytes(data, 2)
	default:
		column.views = bufferBytes(data, 1)[begin*viewBytes : (begin+rows)*viewBytes]
		for i := 2; i < len(data.Buffers()); i++ {
			column.buffers = append(column.buffers, bufferBytes(data, i))
		}
	}
	return column
}

// bufferBytes gives the bytes of a buffer that may be absent.
func bufferBytes(data arrow.ArrayData, i int) []byte {
	if buffers := data.Buffers(); i < len(buffers) && buffers[i] != nil {
		return buffers[i].Bytes()
	}
	return nil
}

// at gives the bytes of a row that is not null; they belong to the column.
func (c *textColumn) at(row int) []byte {
	switch {
	case c.offsets32 != nil:
		return c.data[c.offsets32[row]:c.offsets32[row+1]]
	case c.offsets64 != nil:
		return c.data[c.offsets64[row]:c.offsets64[row+1]]
	}
	view := c.views[row*viewBytes : (row+1)*viewBytes]
	length := int(binary.LittleEndian.Uint32(view))
	if length <= 12 {
		return view[4 : 4+length]
	}
	start := int(binary.LittleEndian.Uint32(view[12:]))
	return c.buffers[binary.LittleEndian.Uint32(view[8:])][start : start+length]
}

// tags fills tags for the rows from row on. The tag of a null row is without meaning.
func (c *textColumn) tags(row int, tags []uint64, seeds *hashSeeds) {
	switch {
	case c.offsets32 != nil:
		tagsOfOffsets(c.offsets32[row:row+len(tags)+1], c.data, tags, seeds)
	case c.offsets64 != nil:
		tagsOfOffsets(c.offsets64[row:row+len(tags)+1], c.data, tags, seeds)
	default:
		c.tagsOfViews(row, tags, seeds)
	}
}

func tagsOfOffsets[T int32 | int64](offsets []T, data []byte, tags []uint64, seeds *hashSeeds) {
	begin := int(offsets[0])
	for i := range tags {
		end := int(offsets[i+1])
		length := end - begin
		switch {
		case length > textShortMax:
			tags[i] = seeds.longTag(data[begin:end])
		case begin+8 <= len(data):
			tags[i] = binary.LittleEndian.Uint64(data[begin:])&shortMasks[length&7] | uint64(length)<<56
		default:
			tags[i] = shortTag(data[begin:end])
		}
		begin = end
	}
}

func (c *textColumn) tagsOfViews(row int, tags []uint64, seeds *hashSeeds) {
	views := c.views[row*viewBytes:]
	for i := range tags {
		if !c.valid.bit(row + i) {
			continue
		}
		view := views[i*viewBytes : (i+1)*viewBytes]
		length := binary.LittleEndian.Uint32(view)
		if length <= textShortMax {
			tags[i] = binary.LittleEndian.Uint64(view[4:])&shortMasks[length] | uint64(length)<<56
		} else {
			tags[i] = seeds.longTag(c.at(row + i))
		}
	}
}

// tagOf gives the tag of one text.
func tagOf(text []byte, seeds *hashSeeds) uint64 {
	if len(text) > textShortMax {
		return seeds.longTag(text)
	}
	return shortTag(text)
}

func shortTag(text []byte) uint64 {
	var word uint64
	for i, b := range text {
		word |= uint64(b) << (8 * i)
	}
	return word | uint64(len(text))<<56
}

// textHeap holds texts one behind the other, by number.
type textHeap struct {
	ends []int64
	data []byte
}

// at gives the bytes of a text; they belong to the heap.
func (h *textHeap) at(i int32) []byte {
	begin := int64(0)
	if i > 0 {
		begin = h.ends[i-1]
	}
	return h.data[begin:h.ends[i]]
}

func (h *textHeap) add(text []byte) {
	h.data = append(h.data, text...)
	h.ends = append(h.ends, int64(len(h.data)))
}

// rowsWithin is how many of count rows from row on have at most about bytesMax bytes of text; one row at least.
func (c *textColumn) rowsWithin(row, count, bytesMax int) int {
	switch {
	case c.offsets32 != nil:
		for count > 1 && int(c.offsets32[row+count]-c.offsets32[row]) > bytesMax {
			count /= 2
		}
	case c.offsets64 != nil:
		for count > 1 && int(c.offsets64[row+count]-c.offsets64[row]) > bytesMax {
			count /= 2
		}
	case len(c.buffers) > 0:
		total := 0
		for i := range count {
			if total += int(binary.LittleEndian.Uint32(c.views[(row+i)*viewBytes:])); total > bytesMax {
				return max(1, i)
			}
		}
	}
	return count
}
