// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"math/bits"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/decimal256"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// keptRows is a mask made ready once for all columns: one word of kept rows for each 64 rows, and with emit_null
// one of those that become null.
type keptRows struct {
	length int // rows of the input
	count  int // rows of the result
	words  []uint64
	nulls  []uint64 // nil where no kept row becomes null
}

var keptRowsPool = sync.Pool{New: func() any { return new(keptRows) }}

// keptRowsOf reads a mask. The caller releases the result.
func keptRowsOf(c *call, mask arrow.ArrayData, emitNull bool) (*keptRows, error) {
	rows := keptRowsPool.Get().(*keptRows)
	rows.length, rows.count = mask.Len(), 0
	rows.words, rows.nulls = rows.words[:0], rows.nulls[:0]
	values, valid := valueBits(mask), validBits(mask)
	err := c.inBlocks(rows.length, 1, func(begin, end int) error {
		for i := begin; i < end; i += wordRows {
			present := valid.word(i)
			w := values.word(i) & present
			if emitNull && valid.bytes != nil {
				missing := lowBits(rows.length-i) &^ present
				rows.nulls = append(rows.nulls, missing)
				w |= missing
			}
			rows.count += bits.OnesCount64(w)
			rows.words = append(rows.words, w)
		}
		return nil
	})
	if err != nil {
		rows.release()
		return nil, err
	}
	return rows, nil
}

func (r *keptRows) release() { keptRowsPool.Put(r) }

// becomesNull gives the rows of word i that are kept as null.
func (r *keptRows) becomesNull(i int) uint64 {
	if len(r.nulls) == 0 {
		return 0
	}
	return r.nulls[i]
}

// inBlocks calls work for runs of words, looking at the context between them.
func (r *keptRows) inBlocks(c *call, rowBytes int, work func(begin, end int)) error {
	return c.inBlocks(r.length, rowBytes, func(begin, end int) error {
		work(begin/wordRows, (end+wordRows-1)/wordRows)
		return nil
	})
}

// selected is a result column before it is an array.
type selected struct {
	validity validity
	buffers  []*memory.Buffer
}

func (s selected) release() {
	if s.validity.bits != nil {
		s.validity.bits.Release()
	}
	for _, buffer := range s.buffers {
		buffer.Release()
	}
}

// filterColumn keeps the chosen rows of one column.
func filterColumn(c *call, data arrow.ArrayData, rows *keptRows) (arrow.Array, error) {
	form := layoutOf(data.DataType())
	switch {
	case form.kind == layoutNull:
		return column(data.DataType(), rows.count, validity{nulls: rows.count}), nil
	case form.kind == layoutView, form.kind == layoutFixed && !powerWidth(form.width):
		index, err := rows.asIndex(c)
		if err != nil {
			return nil, err
		}
		return takeColumn(c, data, index, 0)
	}
	valid, err := filterValidity(c, data, rows)
	if err != nil {
		return nil, err
	}
	result := selected{validity: valid}
	switch form.kind {
	case layoutBits:
		result.buffers, err = filterBits(c, data, rows)
	case layoutText32:
		result.buffers, err = filterText[int32](c, data, rows)
	case layoutText64:
		result.buffers, err = filterText[int64](c, data, rows)
	default:
		result.buffers, err = filterWidth(c, data, rows, form.width, result.validity)
	}
	if err != nil {
		result.release()
		return nil, err
	}
	return selectedColumn(data, rows.count, result), nil
}

// powerWidth says whether values of the width have a Go type to move them by.
func powerWidth(width int) bool { return width <= 32 && width&(width-1) == 0 }

// filterValidity keeps the validity of the chosen rows.
func filterValidity(c *call, data arrow.ArrayData, rows *keptRows) (validity, error) {
	valid := validBits(data)
	if valid.bytes == nil && len(rows.nulls) == 0 {
		return validity{}, nil
	}
	buffer := c.bitmap(rows.count)
	out := bitWriter{bytes: buffer.Buf()}
	err := rows.inBlocks(c, 1, func(begin, end int) {
		for i := begin; i < end; i++ {
			w := rows.words[i]
			present := valid.word(i*wordRows) &^ rows.becomesNull(i)
			out.append(compressBits(present, w), bits.OnesCount64(w))
		}
	})
	if err != nil || out.set == rows.count {
		buffer.Release()
		return validity{}, err
	}
	out.finish()
	return validity{bits: buffer, nulls: rows.count - out.set}, nil
}

func filterBits(c *call, data arrow.ArrayData, rows *keptRows) ([]*memory.Buffer, error) {
	values, valid := valueBits(data), validBits(data)
	buffer := c.bitmap(rows.count)
	out := bitWriter{bytes: buffer.Buf()}
	err := rows.inBlocks(c, 1, func(begin, end int) {
		for i := begin; i < end; i++ {
			w := rows.words[i]
			value := values.word(i*wordRows) & valid.word(i*wordRows) &^ rows.becomesNull(i)
			out.append(compressBits(value, w), bits.OnesCount64(w))
		}
	})
	if err != nil {
		buffer.Release()
		return nil, err
	}
	out.finish()
	return []*memory.Buffer{buffer}, nil
}

func filterWidth(
	c *call, data arrow.ArrayData, rows *keptRows, width int, v validity,
) ([]*memory.Buffer, error) {
	switch width {
	case 1:
		return filterFixed[uint8](c, data, rows, v)
	case 2:
		return filterFixed[uint16](c, data, rows, v)
	case 4:
		return filterFixed[uint32](c, data, rows, v)
	case 8:
		return filterFixed[uint64](c, data, rows, v)
	case 16:
		return filterFixed[decimal128.Num](c, data, rows, v)
	default:
		return filterFixed[decimal256.Num](c, data, rows, v)
	}
}

func filterFixed[T arrow.FixedWidthType](
	c *call, data arrow.ArrayData, rows *keptRows, v validity,
) ([]*memory.Buffer, error) {
	in := slots[T](data)
	buffer, out := values[T](c, rows.count)
	width := layoutOf(data.DataType()).width
	rest := out
	err := rows.inBlocks(c, width, func(begin, end int) {
		for i := begin; i < end; i++ {
			if w := rows.words[i]; w != 0 {
				rest = rest[keepWord(rest, in[i*wordRows:], w):]
			}
		}
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

// keepWord copies the rows of in whose bit is set to out and returns how many. Dense words go by runs: their
// bits would cost a step each.
func keepWord[T any](out, in []T, w uint64) int {
	n := bits.OnesCount64(w)
	if n == wordRows {
		copy(out, in[:wordRows])
		return n
	}
	if n >= 56 {
		for done := 0; w != 0; {
			begin := bits.TrailingZeros64(w)
			run := bits.TrailingZeros64(^(w >> uint(begin)))
			copy(out[done:], in[begin:begin+run])
			done += run
			w &^= lowBits(run) << uint(begin)
		}
		return n
	}
	out = out[:n]
	if len(in) < wordRows {
		for i := range out {
			out[i] = in[bits.TrailingZeros64(w)]
			w &= w - 1
		}
		return n
	}
	full := (*[wordRows]T)(in)
	for i := range out {
		out[i] = full[bits.TrailingZeros64(w)&(wordRows-1)]
		w &= w - 1
	}
	return n
}

func filterText[O int32 | int64](c *call, data arrow.ArrayData, rows *keptRows) ([]*memory.Buffer, error) {
	offsets, valid := offsetsOf[O](data), validBits(data)
	offsetBuffer, out := values[O](c, rows.count+1)
	rowBytes := textRowBytes(offsets)
	var position O
	next := out[1:]
	err := rows.inBlocks(c, rowBytes, func(begin, end int) {
		for i := begin; i < end; i++ {
			w := rows.words[i]
			present := valid.word(i*wordRows) &^ rows.becomesNull(i)
			position = keepOffsets(next, offsets[i*wordRows:], position, w, present)
			next = next[bits.OnesCount64(w):]
		}
	})
	if err != nil {
		offsetBuffer.Release()
		return nil, err
	}
	dataBuffer := c.buffer(int(position))
	in, to := bufferBytes(data, 2), dataBuffer.Bytes()
	err = rows.inBlocks(c, rowBytes, func(begin, end int) {
		for i := begin; i < end; i++ {
			w := rows.words[i] & valid.word(i*wordRows) &^ rows.becomesNull(i)
			to = to[keepBytes(to, in, offsets[i*wordRows:], w):]
		}
	})
	if err != nil {
		offsetBuffer.Release()
		dataBuffer.Release()
		return nil, err
	}
	return []*memory.Buffer{offsetBuffer, dataBuffer}, nil
}

// textRowBytes estimates what a text row reads.
func textRowBytes[O int32 | int64](offsets []O) int {
	rows := len(offsets) - 1
	return 8 + int(offsets[rows]-offsets[0])/max(1, rows)
}

// keepOffsets writes the end of each kept row; a row that is not present is empty.
func keepOffsets[O int32 | int64](out, offsets []O, position O, w, present uint64) O {
	out = out[:bits.OnesCount64(w)]
	if w&^present == 0 {
		for i := range out {
			row := bits.TrailingZeros64(w)
			position += offsets[row+1] - offsets[row]
			out[i] = position
			w &= w - 1
		}
		return position
	}
	for i := range out {
		row := bits.TrailingZeros64(w)
		length := offsets[row+1] - offsets[row]
		position += length & -O(present>>uint(row)&1)
		out[i] = position
		w &= w - 1
	}
	return position
}

// keepBytes copies the bytes of the rows of w, whole runs at a time, and returns how many.
func keepBytes[O int32 | int64](out, in []byte, offsets []O, w uint64) int {
	done := 0
	for w != 0 {
		begin := bits.TrailingZeros64(w)
		run := bits.TrailingZeros64(^(w >> uint(begin)))
		done += copyBytes(out[done:], in, int(offsets[begin]), int(offsets[begin+run]))
		w &^= lowBits(run) << uint(begin)
	}
	return done
}
