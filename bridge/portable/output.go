// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"math/bits"
	"reflect"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tombolo-arrow/tombolo/ownership/arena"
)

// Results obey native/README.md: no validity buffer without nulls, zero under every null, zero
// padding up to the next multiple of 64 bytes, offset 0. The functions here keep that; kernels fill
// the slices they get.

// buffer allocates size bytes, zero up to the next multiple of 64.
func (c *call) buffer(size int) *memory.Buffer {
	buffer := memory.NewResizableBuffer(c.mem)
	buffer.Resize(size)
	if !zeroing(c.mem) {
		clear(buffer.Buf())
	}
	return buffer
}

// values allocates a buffer of rows values and gives it as a slice too.
func values[T arrow.FixedWidthType | arrow.ViewHeader](c *call, rows int) (*memory.Buffer, []T) {
	buffer := c.buffer(rows * int(reflect.TypeFor[T]().Size()))
	return buffer, arrow.GetData[T](buffer.Bytes())
}

// bitmap allocates a buffer of rows zero bits.
func (c *call) bitmap(rows int) *memory.Buffer {
	return c.buffer(int(bitutil.BytesForBits(int64(rows))))
}

// validity is the null side of a result column. The zero value says that there are no nulls.
type validity struct {
	bits  *memory.Buffer // nil without nulls
	nulls int
}

// null says whether row i is null.
func (v validity) null(i int) bool {
	return v.bits != nil && !bitutil.BitIsSet(v.bits.Bytes(), i)
}

// validityOf counts the nulls of a bitmap, which it takes over, and drops it when there are none.
func validityOf(bitmap *memory.Buffer, rows int) validity {
	nulls := rows - bitutil.CountSetBits(bitmap.Bytes(), 0, rows)
	if nulls == 0 {
		bitmap.Release()
		return validity{}
	}
	return validity{bits: bitmap, nulls: nulls}
}

// intersect gives a row as valid where every column has it valid. It reads validity bitmaps only: a
// dictionary column whose values hold a null needs text.validity instead.
func (c *call) intersect(rows int, columns ...arrow.Array) validity {
	var result *memory.Buffer
	for _, column := range columns {
		bitmap := column.NullBitmapBytes()
		if len(bitmap) == 0 || column.NullN() == 0 {
			continue
		}
		offset := column.Data().Offset()
		if result == nil {
			result = c.bitmap(rows)
			bitutil.CopyBitmap(bitmap, offset, rows, result.Bytes(), 0)
			continue
		}
		bitutil.BitmapAnd(result.Bytes(), bitmap, 0, int64(offset), result.Bytes(), 0, int64(rows))
	}
	if result == nil {
		return validity{}
	}
	clearTail(result.Bytes(), rows)
	return validityOf(result, rows)
}

// column makes a result column and takes over the validity and the buffers.
func column(dataType arrow.DataType, rows int, v validity, buffers ...*memory.Buffer) arrow.Array {
	return columnWith(dataType, rows, v, nil, buffers...)
}

// dictionaryColumn is column for a dictionary type; the dictionary stays the caller's.
func dictionaryColumn(
	dataType arrow.DataType, rows int, v validity, indices *memory.Buffer, dictionary arrow.Array,
) arrow.Array {
	return columnWith(dataType, rows, v, dictionary, indices)
}

func columnWith(
	dataType arrow.DataType, rows int, v validity, dictionary arrow.Array,
	buffers ...*memory.Buffer,
) arrow.Array {
	all := append([]*memory.Buffer{v.bits}, buffers...)
	var data *array.Data
	if dictionary == nil {
		data = array.NewData(dataType, rows, all, nil, v.nulls, 0)
	} else {
		values := dictionary.Data().(*array.Data)
		data = array.NewDataWithDictionary(dataType, rows, all, v.nulls, 0, values)
	}
	defer data.Release()

	for _, buffer := range all {
		if buffer != nil {
			buffer.Release()
		}
	}
	return array.MakeFromData(data)
}

// zeroNulls writes the zero value under every null.
func zeroNulls[T any](c *call, values []T, v validity) error {
	if v.bits == nil {
		return nil
	}
	valid := bitmapOf(v, len(values))
	return c.inBlocks(len(values), int(reflect.TypeFor[T]().Size()), func(begin, end int) error {
		var zero T
		for i := begin; i < end; i += wordRows {
			missing := lowBits(end-i) &^ valid.word(i)
			for ; missing != 0; missing &= missing - 1 {
				values[i+bits.TrailingZeros64(missing)] = zero
			}
		}
		return nil
	})
}

// zeroNullBits clears the bits of a bool column under every null.
func zeroNullBits(values []byte, v validity) {
	if v.bits == nil {
		return
	}
	for i, b := range v.bits.Bytes() {
		values[i] &= b
	}
}

// clearTail zeroes the bits of the last byte past rows.
func clearTail(bitmap []byte, rows int) {
	if rest := rows & 7; rest != 0 {
		bitmap[rows>>3] &= 1<<rest - 1
	}
}

// zeroing says whether an allocator is known to give zeroed memory.
func zeroing(mem memory.Allocator) bool {
	switch mem := mem.(type) {
	case *callMemory:
		return zeroing(mem.mem)
	case *memory.GoAllocator, *arena.Arena:
		return true
	}
	return false
}
