// SPDX-License-Identifier: Apache-2.0

// Package kerneltest makes input columns for kernel tests and checks results against the contract of
// native/README.md. Tests alone import it; it imports ownership and arrow-go at most.
package kerneltest

import (
	"encoding/binary"
	"math"
	"math/rand/v2"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// Nulls says which rows of a column are null.
type Nulls int

// The patterns that a column may have.
const (
	NoNulls Nulls = iota
	SomeNulls
	AllNulls
)

// Column makes a random column of rows rows whose array starts offset rows into its buffers. Slots under a null
// hold values like any other, text too: a kernel that looks at them is found out. Dictionary types get 17 values,
// one of them null where nulls says so, and text is 0 to 20 bytes. The array is the caller's to release.
func Column(random *rand.Rand, dataType arrow.DataType, rows int, nulls Nulls, offset int) arrow.Array {
	data := rawColumn(random, dataType, offset+rows, nulls)
	defer data.Release()

	all := array.MakeFromData(data)
	defer all.Release()

	return array.NewSlice(all, int64(offset), int64(offset+rows))
}

func rawColumn(random *rand.Rand, dataType arrow.DataType, rows int, nulls Nulls) *array.Data {
	storage := dataType
	if extension, ok := dataType.(arrow.ExtensionType); ok {
		storage = extension.StorageType()
	}
	if storage.ID() == arrow.NULL {
		return array.NewData(dataType, rows, []*memory.Buffer{nil}, nil, rows, 0)
	}
	valid, missing := rawValidity(random, rows, nulls)
	buffers := []*memory.Buffer{valid}
	switch t := storage.(type) {
	case *arrow.BooleanType:
		buffers = append(buffers, rawBytes(random, (rows+7)/8))
	case *arrow.DictionaryType:
		dictionaryNulls := NoNulls
		if nulls == SomeNulls {
			dictionaryNulls = SomeNulls
		}
		dictionary := rawColumn(random, t.ValueType, 17, dictionaryNulls)
		defer dictionary.Release()

		buffers = append(buffers, rawIndices(random, t.IndexType.(arrow.FixedWidthDataType), rows, 17))
		return array.NewDataWithDictionary(dataType, rows, buffers, missing, 0, dictionary)
	case *arrow.StringType, *arrow.BinaryType:
		buffers = append(buffers, rawText(random, rows, 4)...)
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		buffers = append(buffers, rawText(random, rows, 8)...)
	case *arrow.StringViewType, *arrow.BinaryViewType:
		buffers = append(buffers, rawViews(random, rows)...)
	case arrow.FixedWidthDataType:
		buffers = append(buffers, rawNumbers(random, t, rows))
	default:
		panic("kerneltest: no generator for " + dataType.String())
	}
	return array.NewData(dataType, rows, buffers, nil, missing, 0)
}

func rawValidity(random *rand.Rand, rows int, nulls Nulls) (*memory.Buffer, int) {
	if nulls == NoNulls {
		return nil, 0
	}
	bytes := make([]byte, (rows+7)/8)
	missing := rows
	if nulls == SomeNulls {
		long := random.IntN(2) == 0 // runs without a null as well as scattered ones
		for i := range rows {
			if (long && i/100%2 == 0) || random.IntN(8) != 0 {
				bytes[i/8] |= 1 << (i % 8)
				missing--
			}
		}
	}
	return memory.NewBufferBytes(bytes), missing
}

func rawBytes(random *rand.Rand, n int) *memory.Buffer {
	bytes := make([]byte, n)
	for i := range bytes {
		bytes[i] = byte(random.Uint32())
	}
	return memory.NewBufferBytes(bytes)
}

// rawNumbers makes values that collide now and then and touch the ends of their range.
func rawNumbers(random *rand.Rand, t arrow.FixedWidthDataType, rows int) *memory.Buffer {
	width := t.BitWidth() / 8
	bytes := make([]byte, 0, rows*width)
	for range rows {
		switch {
		case t.ID() == arrow.FLOAT64:
			bytes = binary.LittleEndian.AppendUint64(bytes, math.Float64bits(Float(random)))
		case t.ID() == arrow.FLOAT32:
			bytes = binary.LittleEndian.AppendUint32(bytes, math.Float32bits(float32(Float(random))))
		default:
			word := integerWord(random)
			for i := range width {
				bytes = append(bytes, byte(word>>(8*(i%8))))
			}
		}
	}
	return memory.NewBufferBytes(bytes)
}

func integerWord(random *rand.Rand) uint64 {
	switch random.IntN(8) {
	case 0:
		return random.Uint64()
	case 1:
		ends := []uint64{1 << 63, 1<<63 - 1, ^uint64(0), 1 << 31, 1<<31 - 1, 0x80, 0x7f, 0x8000, 0x7fff, 1 << 53}
		return ends[random.IntN(len(ends))]
	default:
		return uint64(random.Int64N(64) - 16)
	}
}

// Float draws a float that is often small and whole, and sometimes special.
func Float(random *rand.Rand) float64 {
	switch random.IntN(8) {
	case 0:
		special := []float64{
			0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1 << 53, 1<<53 + 2, 1 << 63, -(1 << 63),
			1 << 31, 255, 256, math.MaxFloat32, math.SmallestNonzeroFloat64, math.MaxFloat64, 0.5, -0.5,
		}
		return special[random.IntN(len(special))]
	case 1:
		return random.NormFloat64() * 1000
	default:
		return float64(random.IntN(64) - 16)
	}
}

func rawIndices(random *rand.Rand, t arrow.FixedWidthDataType, rows, limit int) *memory.Buffer {
	width := t.BitWidth() / 8
	bytes := make([]byte, rows*width)
	for i := range rows {
		bytes[i*width] = byte(random.IntN(limit))
	}
	return memory.NewBufferBytes(bytes)
}

var words = []string{"", "a", "b", "ab", "island", "mainland", "a tombolo", "exactly twelv", "twelve bytes",
	"a longer text of thirty bytes.", "äöü", "island2"}

func rawText(random *rand.Rand, rows, width int) []*memory.Buffer {
	var offsets, data []byte
	data = append(data, "before"...) // offsets need not begin at zero
	for i := range rows + 1 {
		if width == 4 {
			offsets = binary.LittleEndian.AppendUint32(offsets, uint32(len(data)))
		} else {
			offsets = binary.LittleEndian.AppendUint64(offsets, uint64(len(data)))
		}
		if i < rows {
			data = append(data, words[random.IntN(len(words))]...)
		}
	}
	return []*memory.Buffer{memory.NewBufferBytes(offsets), memory.NewBufferBytes(data)}
}

func rawViews(random *rand.Rand, rows int) []*memory.Buffer {
	views := make([]arrow.ViewHeader, rows)
	var first, second []byte
	for i := range views {
		word := words[random.IntN(len(words))]
		views[i].SetString(word)
		if views[i].IsInline() {
			continue
		}
		if i%2 == 0 {
			views[i].SetIndexOffset(0, int32(len(first)))
			first = append(first, word...)
		} else {
			views[i].SetIndexOffset(1, int32(len(second)))
			second = append(second, word...)
		}
	}
	return []*memory.Buffer{
		memory.NewBufferBytes(arrow.GetBytes(views)), memory.NewBufferBytes(first), memory.NewBufferBytes(second),
	}
}

// Mask makes a bool column that is sparse, even, dense or full, with long runs.
func Mask(random *rand.Rand, rows int, nulls Nulls, offset int) arrow.Array {
	column := Column(random, arrow.FixedWidthTypes.Boolean, rows, nulls, offset)
	bits := column.Data().Buffers()[1].Bytes()
	density := []int{1, 10, 50, 90, 99, 100}[random.IntN(6)]
	for i := range rows {
		at := offset + i
		bits[at/8] &^= 1 << (at % 8)
		if random.IntN(100) < density || i/200%3 == 1 {
			bits[at/8] |= 1 << (at % 8)
		}
	}
	return column
}

// Index makes an integer column of numbers below limit, which is at most 256; those under a null lie anywhere.
func Index(random *rand.Rand, dataType arrow.DataType, rows int, nulls Nulls, offset, limit int) arrow.Array {
	column := Column(random, dataType, rows, nulls, offset)
	width := slotWidth(dataType)
	bytes := column.Data().Buffers()[1].Bytes()
	for i := range rows {
		if column.IsValid(i) {
			at := bytes[(offset+i)*width:][:width]
			clear(at)
			at[0] = byte(random.IntN(limit))
		}
	}
	return column
}
