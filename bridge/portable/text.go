// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
)

// text reads a text column by row, whatever its layout: utf8, large_utf8, utf8_view, or a
// dictionary of these.
type text struct {
	column     arrow.Array
	plain      interface{ Value(i int) string }
	dictionary *array.Dictionary
}

// isText says whether a type is text in the sense of native/README.md.
func isText(dataType arrow.DataType) bool {
	if dictionary, ok := dataType.(*arrow.DictionaryType); ok {
		dataType = storageOf(dictionary.ValueType)
	}
	switch dataType.ID() {
	case arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW:
		return true
	}
	return false
}

// textOf reads a column; ok is false when it is not text.
func textOf(column arrow.Array) (t text, ok bool) {
	t.column = column
	values := column
	if dictionary, ok := column.(*array.Dictionary); ok {
		t.dictionary = dictionary
		values = dictionary.Dictionary()
	}
	switch values := values.(type) {
	case *array.String:
		t.plain = values
	case *array.LargeString:
		t.plain = values
	case *array.StringView:
		t.plain = values
	default:
		return t, false
	}
	return t, true
}

// null says whether row i is null, by its own bit or by that of its dictionary value.
func (t text) null(i int) bool {
	if t.column.IsNull(i) {
		return true
	}
	return t.dictionary != nil && t.dictionary.Dictionary().IsNull(t.dictionary.GetValueIndex(i))
}

// value gives the text of a row that is not null. It points into the column.
func (t text) value(i int) string {
	if t.dictionary != nil {
		i = t.dictionary.GetValueIndex(i)
	}
	return t.plain.Value(i)
}

// validity gives the rows that null says are there, for rows rows.
func (t text) validity(c *call, rows int) validity {
	if t.dictionary == nil || t.dictionary.Dictionary().NullN() == 0 {
		return c.intersect(rows, t.column)
	}
	bitmap := c.bitmap(rows)
	for i := range rows {
		if !t.null(i) {
			bitutil.SetBit(bitmap.Bytes(), i)
		}
	}
	return validityOf(bitmap, rows)
}

// fixedValues gives the values of a fixed-width column as a slice that starts at its first row. An
// empty column may have no buffer at all.
func fixedValues[T arrow.FixedWidthType](column arrow.Array) []T {
	return arrow.GetValues[T](column.Data(), 1)
}
