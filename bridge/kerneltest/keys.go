// SPDX-License-Identifier: Apache-2.0

package kerneltest

import (
	"math/rand/v2"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// TextTypes are the encodings of text that key columns come in.
var TextTypes = []arrow.DataType{
	arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.StringView,
	&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String},
	&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint16, ValueType: arrow.BinaryTypes.LargeString},
	&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.StringView},
	&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint64, ValueType: arrow.BinaryTypes.String},
}

// IntegerKeyTypes are the types whose keys are numbers of 64 bits at most.
var IntegerKeyTypes = []arrow.DataType{
	arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64,
	arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint32,
	arrow.PrimitiveTypes.Uint64, arrow.FixedWidthTypes.Boolean, arrow.FixedWidthTypes.Date32,
	arrow.FixedWidthTypes.Date64, arrow.FixedWidthTypes.Timestamp_us,
}

// TextWords draws count texts around the lengths where tables change their ways: empty, 7 and 8 bytes, a word
// boundary, with NUL bytes, with invalid UTF-8, and equal but for one byte. Some come more than once.
func TextWords(random *rand.Rand, count int) []string {
	sizes := []int{0, 1, 2, 3, 6, 7, 8, 9, 11, 12, 13, 15, 16, 17, 24, 31, 32, 33, 70}
	alphabet := "ab\x00\xff"
	words := make([]string, count)
	for i := range words {
		var b strings.Builder
		for range sizes[random.IntN(len(sizes))] {
			b.WriteByte(alphabet[random.IntN(len(alphabet))])
		}
		words[i] = b.String()
		if i > 0 && random.IntN(4) == 0 {
			other := []byte(words[random.IntN(i)])
			if len(other) > 0 {
				other[random.IntN(len(other))] ^= 1
			}
			words[i] = string(other)
		}
	}
	return words
}

// TextKeys makes a column of a text type or a dictionary of one; nil is a null row. The array starts offset rows into
// its buffers. A dictionary holds unused values, some values twice, and may hold nulls; it then stands for some of
// the null rows. The array is the caller's to release.
func TextKeys(random *rand.Rand, dataType arrow.DataType, rows []*string, offset int) arrow.Array {
	padded := make([]*string, 0, offset+len(rows))
	for range offset {
		word := "padding before"
		padded = append(padded, &word)
	}
	padded = append(padded, rows...)
	var all arrow.Array
	if coded, ok := dataType.(*arrow.DictionaryType); ok {
		all = codedTexts(random, coded, padded)
	} else {
		all = plainTexts(dataType, padded)
	}
	defer all.Release()

	return array.NewSlice(all, int64(offset), int64(len(padded)))
}

func plainTexts(dataType arrow.DataType, rows []*string) arrow.Array {
	builder := array.NewBuilder(memory.DefaultAllocator, dataType)
	defer builder.Release()

	text := builder.(interface{ Append(string) })
	for _, row := range rows {
		if row == nil {
			builder.AppendNull()
		} else {
			text.Append(*row)
		}
	}
	return builder.NewArray()
}

func codedTexts(random *rand.Rand, dataType *arrow.DictionaryType, rows []*string) arrow.Array {
	unused := "unused"
	values, nullCode := []*string{&unused}, -1
	if random.IntN(2) == 0 {
		values, nullCode = append(values, nil), 1
	}
	codes := map[string]int{}
	builder := array.NewBuilder(memory.DefaultAllocator, dataType.IndexType)
	defer builder.Release()

	for _, row := range rows {
		switch {
		case row == nil && nullCode >= 0 && random.IntN(2) == 0:
			appendInteger(builder, uint64(nullCode))
		case row == nil:
			builder.AppendNull()
		default:
			code, known := codes[*row]
			// A value may stand in the dictionary twice; a small index type has no room for that.
			if !known || (random.IntN(16) == 0 && len(values) < 100) {
				code = len(values)
				codes[*row] = code
				values = append(values, row)
			}
			appendInteger(builder, uint64(code))
		}
	}
	dictionary := plainTexts(dataType.ValueType, values)
	defer dictionary.Release()
	indices := builder.NewArray()
	defer indices.Release()

	return array.NewDictionaryArray(dataType, indices, dictionary)
}

// IntegerKeys makes a column of one of IntegerKeyTypes, each value cut to its width; nil is a null row. The array
// starts offset rows into its buffers and is the caller's to release.
func IntegerKeys(dataType arrow.DataType, rows []*uint64, offset int) arrow.Array {
	builder := array.NewBuilder(memory.DefaultAllocator, dataType)
	defer builder.Release()

	for range offset {
		appendInteger(builder, 77)
	}
	for _, row := range rows {
		if row == nil {
			builder.AppendNull()
		} else {
			appendInteger(builder, *row)
		}
	}
	all := builder.NewArray()
	defer all.Release()

	return array.NewSlice(all, int64(offset), int64(all.Len()))
}

func appendInteger(builder array.Builder, value uint64) {
	switch b := builder.(type) {
	case *array.BooleanBuilder:
		b.Append(value&1 != 0)
	case *array.Int8Builder:
		b.Append(int8(value))
	case *array.Int16Builder:
		b.Append(int16(value))
	case *array.Int32Builder:
		b.Append(int32(value))
	case *array.Int64Builder:
		b.Append(int64(value))
	case *array.Uint8Builder:
		b.Append(uint8(value))
	case *array.Uint16Builder:
		b.Append(uint16(value))
	case *array.Uint32Builder:
		b.Append(uint32(value))
	case *array.Uint64Builder:
		b.Append(value)
	case *array.Date32Builder:
		b.Append(arrow.Date32(value))
	case *array.Date64Builder:
		b.Append(arrow.Date64(value))
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(value))
	default:
		panic("kerneltest: no integer type")
	}
}

// Distinct makes a batch of the distinct values of a key column, which it takes over, in order of first appearance.
// The batch is the caller's to release.
func Distinct(column arrow.Array) arrow.RecordBatch {
	defer column.Release()
	seen := map[any]bool{}
	var texts []*string
	var numbers []*uint64
	isText := false
	for i := range column.Len() {
		value := Value(column, i)
		if seen[value] {
			continue
		}
		seen[value] = true
		switch {
		case value == nil:
			texts, numbers = append(texts, nil), append(numbers, nil)
		case arrow.IsInteger(column.DataType().ID()):
			var number uint64
			for j, b := range []byte(value.(string)) {
				number |= uint64(b) << (8 * j)
			}
			texts, numbers = append(texts, nil), append(numbers, &number)
		default:
			isText = true
			word := value.(string)
			texts, numbers = append(texts, &word), append(numbers, nil)
		}
	}
	random := rand.New(rand.NewPCG(1, 1))
	if isText || !arrow.IsInteger(column.DataType().ID()) {
		return Batch(TextKeys(random, column.DataType(), texts, 2))
	}
	return Batch(IntegerKeys(column.DataType(), numbers, 2))
}
