// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// keyKind says how the values of a column become 64-bit keys.
type keyKind int

const (
	keyNone    keyKind = iota // the type is no key
	keyInteger                // the value, widened to 64 bits
	keyText                   // the tag of textColumn
)

// keyKindOf classes a type; a dictionary has the kind of its values, where these are text.
func keyKindOf(t arrow.DataType) keyKind {
	t = storageOf(t)
	switch t.ID() {
	case arrow.BOOL, arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64,
		arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64,
		arrow.DATE32, arrow.DATE64, arrow.TIMESTAMP:
		return keyInteger
	}
	if isText(t) {
		return keyText
	}
	return keyNone
}

// storageData gives the data of a column as its storage has it: an extension type says nothing about keys.
func storageData(column arrow.Array) arrow.ArrayData {
	for {
		extension, ok := column.(array.ExtensionArray)
		if !ok {
			return column.Data()
		}
		column = extension.Storage()
	}
}

// integerColumn reads a fixed-width column as 64-bit keys; row 0 is the first row of the slice.
type integerColumn struct {
	kind   arrow.Type
	bytes  []byte
	offset int
	rows   int
	valid  bitmap
}

func newIntegerColumn(data arrow.ArrayData) integerColumn {
	return integerColumn{
		kind: data.DataType().ID(), bytes: bufferBytes(data, 1), offset: data.Offset(), rows: data.Len(),
		valid: validBits(data),
	}
}

// keys fills keys for the rows from row on: the value, sign- or zero-extended. The key of a null row is without
// meaning.
func (c *integerColumn) keys(row int, keys []uint64) {
	begin, end := c.offset+row, c.offset+row+len(keys)
	if len(keys) == 0 {
		return
	}
	switch c.kind {
	case arrow.BOOL:
		for i := range keys {
			keys[i] = uint64(c.bytes[(begin+i)>>3] >> ((begin + i) & 7) & 1)
		}
	case arrow.INT8:
		widen(arrow.Int8Traits.CastFromBytes(c.bytes)[begin:end], keys)
	case arrow.INT16:
		widen(arrow.Int16Traits.CastFromBytes(c.bytes)[begin:end], keys)
	case arrow.INT32, arrow.DATE32:
		widen(arrow.Int32Traits.CastFromBytes(c.bytes)[begin:end], keys)
	case arrow.UINT8:
		widen(c.bytes[begin:end], keys)
	case arrow.UINT16:
		widen(arrow.Uint16Traits.CastFromBytes(c.bytes)[begin:end], keys)
	case arrow.UINT32:
		widen(arrow.Uint32Traits.CastFromBytes(c.bytes)[begin:end], keys)
	default:
		copy(keys, arrow.Uint64Traits.CastFromBytes(c.bytes)[begin:end])
	}
}

func widen[T int8 | int16 | int32 | uint8 | uint16 | uint32](values []T, keys []uint64) {
	for i, value := range values {
		keys[i] = uint64(int64(value))
	}
}

// codedColumn reads a dictionary column of text. A row is null where its index or its value is.
type codedColumn struct {
	codes  integerColumn
	values textColumn
	size   int
}

func newCodedColumn(data arrow.ArrayData) codedColumn {
	column := codedColumn{codes: newCodes(data)}
	// An empty column may come without a dictionary.
	if data.Len() > 0 {
		column.values, column.size = newTextColumn(data.Dictionary()), data.Dictionary().Len()
	}
	return column
}

// newCodes reads the indices of a dictionary column; a negative one becomes a code past any dictionary.
func newCodes(data arrow.ArrayData) integerColumn {
	codes := newIntegerColumn(data)
	codes.kind = data.DataType().(*arrow.DictionaryType).IndexType.ID()
	return codes
}
