// SPDX-License-Identifier: Apache-2.0

package source

import (
	"errors"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
)

// What can be wrong with an array that came out of a file. arrow-go hands out offsets of IPC files
// and dictionary indices of both formats as the file has them; kernels trust them, so they are
// looked at once, here.
var (
	errShortBuffer = errors.New("a buffer is too short")
	errOffsets     = errors.New("offsets do not rise within their data")
	errView        = errors.New("a view points outside its buffers")
	errIndex       = errors.New("a dictionary index is outside its dictionary")
	errUTF8        = errors.New("text is not UTF-8")
)

// check refuses an array whose buffers do not hold what its type promises. Types that the job never
// takes pass unseen.
func check(values arrow.Array) error {
	data := values.Data()
	end := data.Offset() + data.Len() // slots that must be there
	if validity := data.Buffers()[0]; validity != nil && validity.Len() > 0 {
		if validity.Len() < int(bitutil.BytesForBits(int64(end))) {
			return errShortBuffer
		}
	} else if values.NullN() > 0 {
		return errShortBuffer
	}
	if data.Len() == 0 {
		return nil
	}
	switch typ := values.DataType().(type) {
	case *arrow.DictionaryType:
		return checkDictionary(values.(*array.Dictionary), typ)
	case *arrow.StringType:
		offsets, text, err := textBuffers(data, arrow.Int32SizeBytes)
		if err != nil {
			return err
		}
		return checkText(arrow.Int32Traits.CastFromBytes(offsets), text)
	case *arrow.LargeStringType:
		offsets, text, err := textBuffers(data, arrow.Int64SizeBytes)
		if err != nil {
			return err
		}
		return checkText(arrow.Int64Traits.CastFromBytes(offsets), text)
	case *arrow.StringViewType:
		return checkViews(values)
	case arrow.FixedWidthDataType:
		buffer := data.Buffers()[1]
		if buffer == nil || buffer.Len() < int(bitutil.BytesForBits(int64(end*typ.BitWidth()))) {
			return errShortBuffer
		}
	}
	return nil
}

// textBuffers returns the offsets of the array's slots, one more than slots, and its text.
func textBuffers(data arrow.ArrayData, width int) (offsets, text []byte, err error) {
	first, last := data.Offset()*width, (data.Offset()+data.Len()+1)*width
	if data.Buffers()[1] == nil || data.Buffers()[1].Len() < last {
		return nil, nil, errShortBuffer
	}
	if data.Buffers()[2] != nil {
		text = data.Buffers()[2].Bytes()
	}
	return data.Buffers()[1].Bytes()[first:last], text, nil
}

// checkText asks for offsets that rise within the text and cut it between characters. Text under
// nulls is held to the same rule, as kernels read offsets without asking for validity.
func checkText[O int32 | int64](offsets []O, text []byte) error {
	first, last := offsets[0], offsets[len(offsets)-1]
	if first < 0 || int64(last) > int64(len(text)) {
		return errOffsets
	}
	previous := first
	for _, offset := range offsets {
		if offset < previous || offset > last {
			return errOffsets
		}
		if int(offset) < len(text) && offset < last && !utf8.RuneStart(text[offset]) {
			return errUTF8
		}
		previous = offset
	}
	if !utf8.Valid(text[first:last]) {
		return errUTF8
	}
	return nil
}

func checkViews(values arrow.Array) error {
	data := values.Data()
	headers := data.Buffers()[1]
	end := (data.Offset() + data.Len()) * arrow.ViewHeaderSizeBytes
	if headers == nil || headers.Len() < end {
		return errShortBuffer
	}
	views := arrow.ViewHeaderTraits.CastFromBytes(headers.Bytes()[:end])[data.Offset():]
	texts := data.Buffers()[2:]
	for i := range views {
		if values.IsNull(i) {
			continue
		}
		view := &views[i]
		if view.Len() < 0 {
			return errView
		}
		if view.IsInline() {
			if !utf8.Valid(view.InlineBytes()) {
				return errUTF8
			}
			continue
		}
		text, offset := int(view.BufferIndex()), int64(view.BufferOffset())
		if text < 0 || text >= len(texts) || texts[text] == nil || offset < 0 ||
			offset+int64(view.Len()) > int64(texts[text].Len()) {
			return errView
		}
		if !utf8.Valid(texts[text].Bytes()[offset : offset+int64(view.Len())]) {
			return errUTF8
		}
	}
	return nil
}

func checkDictionary(values *array.Dictionary, typ *arrow.DictionaryType) error {
	if values.Data().Dictionary() == nil {
		return errIndex
	}
	if err := check(values.Dictionary()); err != nil {
		return err
	}
	if err := check(values.Indices()); err != nil {
		return err
	}
	size := values.Dictionary().Len()
	if indices, ok := values.Indices().(*array.Int32); ok && indices.NullN() == 0 {
		return checkIndices(indices.Int32Values(), size)
	}
	// An index that overflows int comes out of GetValueIndex as negative.
	for i := range values.Len() {
		if values.IsNull(i) {
			continue
		}
		if index := values.GetValueIndex(i); index < 0 || index >= size {
			return errIndex
		}
	}
	return nil
}

// checkIndices takes the greatest index as unsigned, so that negative ones are too great as well;
// it runs over every Parquet row, so it branches on none.
func checkIndices(indices []int32, size int) error {
	greatest := uint32(0)
	for _, index := range indices {
		greatest = max(greatest, uint32(index))
	}
	if len(indices) > 0 && int64(greatest) >= int64(size) {
		return errIndex
	}
	return nil
}
