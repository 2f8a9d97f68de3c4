// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"encoding/binary"
	"math"
	"math/bits"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/decimal256"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tombolo-arrow/tombolo/bridge"
)

// takeRows is how many rows take handles at a time: a few words of validity, and indices that stay in the cache.
const takeRows = 1024

// indexRows gives the rows to take, a block at a time, as plain ints. A null index reads as 0.
type indexRows interface {
	length() int
	validity() bitmap
	// read gives the rows [begin, end); the slice is valid until the next read and may be scratch.
	read(begin, end int, scratch *[takeRows]int) []int
	// check fails on an index that is not null and outside [0, limit).
	check(c *call, limit uint64, argument int) error
}

// indexRowsOf reads an integer column.
func indexRowsOf(index arrow.ArrayData) indexRows {
	valid := validBits(index)
	switch storageOf(index.DataType()).ID() {
	case arrow.INT8:
		return &indexColumn[int8]{slots[int8](index), valid}
	case arrow.INT16:
		return &indexColumn[int16]{slots[int16](index), valid}
	case arrow.INT32:
		return &indexColumn[int32]{slots[int32](index), valid}
	case arrow.INT64:
		return &indexColumn[int64]{slots[int64](index), valid}
	case arrow.UINT8:
		return &indexColumn[uint8]{slots[uint8](index), valid}
	case arrow.UINT16:
		return &indexColumn[uint16]{slots[uint16](index), valid}
	case arrow.UINT32:
		return &indexColumn[uint32]{slots[uint32](index), valid}
	default:
		return &indexColumn[uint64]{slots[uint64](index), valid}
	}
}

type indexColumn[I arrow.IntType | arrow.UintType] struct {
	values []I
	valid  bitmap
}

func (x *indexColumn[I]) length() int      { return len(x.values) }
func (x *indexColumn[I]) validity() bitmap { return x.valid }

func (x *indexColumn[I]) read(begin, end int, scratch *[takeRows]int) []int {
	out := scratch[:end-begin]
	in := x.values[begin:end]
	for i, value := range in[:len(out)] {
		out[i] = int(value)
	}
	if x.valid.bytes == nil {
		return out
	}
	for i := 0; i < len(out); i += wordRows {
		missing := lowBits(len(out)-i) &^ x.valid.word(begin+i)
		for ; missing != 0; missing &= missing - 1 {
			out[i+bits.TrailingZeros64(missing)] = 0
		}
	}
	return out
}

func (x *indexColumn[I]) check(c *call, limit uint64, argument int) error {
	return c.inBlocks(len(x.values), 8, func(begin, end int) error {
		for i := begin; i < end; i += wordRows {
			word := x.values[i:min(i+wordRows, end)]
			outside := false
			for _, value := range word {
				// A negative index is a huge one.
				if uint64(value) >= limit {
					outside = true
				}
			}
			if outside && x.outside(word, x.valid.word(i), limit) {
				return c.failAt(bridge.CodeIndex, argument, 0, "")
			}
		}
		return nil
	})
}

// outside looks again at a word with an index outside: it may lie under a null.
func (x *indexColumn[I]) outside(word []I, present, limit uint64) bool {
	for j, value := range word {
		if present>>uint(j)&1 != 0 && uint64(value) >= limit {
			return true
		}
	}
	return false
}

// keptIndex gives the rows of a mask as indices, for layouts where filter is not worth loops of its own.
type keptIndex struct {
	rows  []int
	valid bitmap
}

// asIndex lists the kept rows. Rows that become null have an index that the validity rules out.
func (r *keptRows) asIndex(c *call) (indexRows, error) {
	index := &keptIndex{rows: make([]int, 0, r.count), valid: bitmap{length: r.count}}
	err := r.inBlocks(c, 8, func(begin, end int) {
		for i := begin; i < end; i++ {
			for w := r.words[i]; w != 0; w &= w - 1 {
				index.rows = append(index.rows, i*wordRows+bits.TrailingZeros64(w))
			}
		}
	})
	if err != nil || len(r.nulls) == 0 {
		return index, err
	}
	index.valid.bytes = make([]byte, (r.count+wordRows)/8&^7+8)
	out := bitWriter{bytes: index.valid.bytes}
	err = r.inBlocks(c, 1, func(begin, end int) {
		for i := begin; i < end; i++ {
			w := r.words[i]
			out.append(compressBits(^r.nulls[i], w), bits.OnesCount64(w))
		}
	})
	out.finish()
	return index, err
}

func (x *keptIndex) length() int      { return len(x.rows) }
func (x *keptIndex) validity() bitmap { return x.valid }

func (x *keptIndex) read(begin, end int, _ *[takeRows]int) []int { return x.rows[begin:end] }

func (x *keptIndex) check(*call, uint64, int) error { return nil }

// scratchPool keeps the blocks of indices: an interface call would else move each to the heap.
var scratchPool = sync.Pool{New: func() any { return new([takeRows]int) }}

// takeBlocks calls work with the indices of a block at a time, looking at the context between blocks.
func takeBlocks(c *call, rows indexRows, work func(begin int, index []int) error) error {
	scratch := scratchPool.Get().(*[takeRows]int)
	defer scratchPool.Put(scratch)

	for begin := 0; begin < rows.length(); begin += takeRows {
		if err := c.cancelled(); err != nil {
			return err
		}
		end := min(begin+takeRows, rows.length())
		if err := work(begin, rows.read(begin, end, scratch)); err != nil {
			return err
		}
	}
	return nil
}

// takeColumn gathers rows that were checked before. position is that of the column, for an error.
func takeColumn(c *call, data arrow.ArrayData, rows indexRows, position int) (arrow.Array, error) {
	form, count := layoutOf(data.DataType()), rows.length()
	if form.kind == layoutNull {
		return column(data.DataType(), count, validity{nulls: count}), nil
	}
	if data.Len() == 0 {
		return allNull(c, data, form, count), nil
	}
	valid, err := takeValidity(c, data, rows)
	if err != nil {
		return nil, err
	}
	result := selected{validity: valid}
	switch form.kind {
	case layoutBits:
		result.buffers, err = takeBits(c, data, rows, valid)
	case layoutText32:
		result.buffers, err = takeText[int32](c, data, rows, valid, position)
	case layoutText64:
		result.buffers, err = takeText[int64](c, data, rows, valid, position)
	case layoutView:
		result.buffers, err = takeViews(c, data, rows, valid, position)
	default:
		result.buffers, err = takeWidth(c, data, rows, form.width, valid)
	}
	if err != nil {
		result.release()
		return nil, err
	}
	return selectedColumn(data, count, result), nil
}

// allNull is what take makes of a column without rows: every index is null.
func allNull(c *call, data arrow.ArrayData, form layout, count int) arrow.Array {
	var result selected
	if count > 0 {
		result.validity = validity{bits: c.bitmap(count), nulls: count}
	}
	switch form.kind {
	case layoutBits:
		result.buffers = []*memory.Buffer{c.bitmap(count)}
	case layoutText32:
		result.buffers = []*memory.Buffer{c.buffer(4 * (count + 1)), c.buffer(0)}
	case layoutText64:
		result.buffers = []*memory.Buffer{c.buffer(8 * (count + 1)), c.buffer(0)}
	case layoutView:
		result.buffers = []*memory.Buffer{c.buffer(arrow.ViewHeaderSizeBytes * count)}
	default:
		result.buffers = []*memory.Buffer{c.buffer(form.width * count)}
	}
	return selectedColumn(data, count, result)
}

// takeValidity gives the rows whose index and value are both there.
func takeValidity(c *call, data arrow.ArrayData, rows indexRows) (validity, error) {
	valid, indexValid := validBits(data), rows.validity()
	if valid.bytes == nil && indexValid.bytes == nil {
		return validity{}, nil
	}
	count, set := rows.length(), 0
	buffer := c.bitmap(count)
	err := takeBlocks(c, rows, func(begin int, index []int) error {
		for i := 0; i < len(index); i += wordRows {
			w := indexValid.word(begin + i)
			if valid.bytes != nil {
				w &= gatherWord(valid, index[i:min(i+wordRows, len(index))])
			}
			set += bits.OnesCount64(w)
			putWord(buffer.Buf(), begin+i, w)
		}
		return nil
	})
	if err != nil || set == count {
		buffer.Release()
		return validity{}, err
	}
	return validity{bits: buffer, nulls: count - set}, nil
}

// gatherWord collects the bits of up to 64 rows.
func gatherWord(b bitmap, index []int) uint64 {
	var w uint64
	for j, row := range index {
		row += b.offset
		w |= uint64(b.bytes[row>>3]>>(uint(row)&7)&1) << uint(j)
	}
	return w
}

// bitmapOf reads the validity of a result.
func bitmapOf(v validity, rows int) bitmap {
	b := bitmap{length: rows}
	if v.bits != nil {
		b.bytes = v.bits.Buf()
	}
	return b
}

func takeBits(c *call, data arrow.ArrayData, rows indexRows, v validity) ([]*memory.Buffer, error) {
	in, valid := valueBits(data), bitmapOf(v, rows.length())
	buffer := c.bitmap(rows.length())
	err := takeBlocks(c, rows, func(begin int, index []int) error {
		for i := 0; i < len(index); i += wordRows {
			w := gatherWord(in, index[i:min(i+wordRows, len(index))])
			putWord(buffer.Buf(), begin+i, w&valid.word(begin+i))
		}
		return nil
	})
	if err != nil {
		buffer.Release()
		return nil, err
	}
	return []*memory.Buffer{buffer}, nil
}

func takeWidth(
	c *call, data arrow.ArrayData, rows indexRows, width int, v validity,
) ([]*memory.Buffer, error) {
	switch width {
	case 1:
		return takeFixed[uint8](c, data, rows, v)
	case 2:
		return takeFixed[uint16](c, data, rows, v)
	case 4:
		return takeFixed[uint32](c, data, rows, v)
	case 8:
		return takeFixed[uint64](c, data, rows, v)
	case 16:
		return takeFixed[decimal128.Num](c, data, rows, v)
	case 32:
		return takeFixed[decimal256.Num](c, data, rows, v)
	default:
		return takeAnyWidth(c, data, rows, width, v)
	}
}

func takeFixed[T arrow.FixedWidthType](
	c *call, data arrow.ArrayData, rows indexRows, v validity,
) ([]*memory.Buffer, error) {
	in := slots[T](data)
	buffer, out := values[T](c, rows.length())
	err := takeBlocks(c, rows, func(begin int, index []int) error {
		to := out[begin : begin+len(index)]
		for i, row := range index {
			to[i] = in[row]
		}
		return nil
	})
	if err == nil {
		err = zeroNulls(c, out, v)
	}
	if err != nil {
		buffer.Release()
		return nil, err
	}
	return []*memory.Buffer{buffer}, nil
}

func takeAnyWidth(
	c *call, data arrow.ArrayData, rows indexRows, width int, v validity,
) ([]*memory.Buffer, error) {
	in := bufferBytes(data, 1)[data.Offset()*width:]
	buffer := c.buffer(rows.length() * width)
	out, valid := buffer.Bytes(), bitmapOf(v, rows.length())
	err := takeBlocks(c, rows, func(begin int, index []int) error {
		for i, row := range index {
			if valid.bit(begin + i) {
				copy(out[(begin+i)*width:][:width], in[row*width:])
			}
		}
		return nil
	})
	if err != nil {
		buffer.Release()
		return nil, err
	}
	return []*memory.Buffer{buffer}, nil
}

// startsPool keeps the positions that the first pass of takeText finds for the second.
var startsPool = sync.Pool{New: func() any { return new([]int) }}

func takeText[O int32 | int64](
	c *call, data arrow.ArrayData, rows indexRows, v validity, position int,
) ([]*memory.Buffer, error) {
	count := rows.length()
	offsets, valid := offsetsOf[O](data), bitmapOf(v, count)
	offsetBuffer, out := values[O](c, count+1)
	scratch := startsPool.Get().(*[]int)
	defer startsPool.Put(scratch)
	*scratch = append((*scratch)[:0], make([]int, count)...)
	starts := *scratch

	total := 0
	err := takeBlocks(c, rows, func(begin int, index []int) error {
		ends, from := out[begin+1:begin+1+len(index)], starts[begin:begin+len(index)]
		for i, row := range index {
			start := int(offsets[row])
			length := int(offsets[row+1]) - start
			if !valid.bit(begin + i) {
				length = 0
			}
			from[i] = start
			total += length
			ends[i] = O(total)
		}
		return nil
	})
	if err == nil && total > int(maxOffset[O]()) {
		err = c.failAt(bridge.CodeOverflow, 0, position, "the text of the result is too long for its offsets")
	}
	if err != nil {
		offsetBuffer.Release()
		return nil, err
	}
	dataBuffer := c.buffer(total)
	in, to := bufferBytes(data, 2), dataBuffer.Bytes()
	err = c.inBlocks(count, 8+total/max(1, count), func(begin, end int) error {
		for i := begin; i < end; i++ {
			length := int(out[i+1] - out[i])
			copyBytes(to[out[i]:], in, starts[i], starts[i]+length)
		}
		return nil
	})
	if err != nil {
		offsetBuffer.Release()
		dataBuffer.Release()
		return nil, err
	}
	return []*memory.Buffer{offsetBuffer, dataBuffer}, nil
}

func maxOffset[O int32 | int64]() O {
	var limit int64 = math.MaxInt64
	if top := int64(O(limit)); top != limit {
		limit = math.MaxInt32
	}
	return O(limit)
}

// copyBytes copies in[begin:end] to the front of out. Short text moves as two words where both sides have room:
// the bytes past its end are written again by the next row.
func copyBytes(out, in []byte, begin, end int) int {
	n := end - begin
	if n <= 16 && begin+16 <= len(in) && len(out) >= 16 {
		from := in[begin : begin+16]
		binary.LittleEndian.PutUint64(out, binary.LittleEndian.Uint64(from))
		binary.LittleEndian.PutUint64(out[8:], binary.LittleEndian.Uint64(from[8:]))
		return n
	}
	return copy(out, in[begin:end])
}
