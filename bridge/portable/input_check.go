// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"encoding/binary"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tombolo-arrow/tombolo/bridge"
)

// Batches come from Go code that may build arrays of any buffers. What costs nothing per row is
// checked before a kernel runs, as the exporter of bridge/abi does: lengths, buffers, their sizes,
// first and last offsets. The values are checked only when a kernel panicked, to tell a caller's
// malformed batch from a fault of ours.

const (
	problemReleased   = "the column was released"
	problemData       = "the column has no data"
	problemLength     = "the column has another length than its batch"
	problemSize       = "length or offset out of range"
	problemBuffers    = "the array has too few buffers"
	problemShort      = "a buffer is shorter than its array"
	problemValidity   = "the array has nulls and no validity bitmap"
	problemOffsets    = "offsets reach outside their values"
	problemChildren   = "the array has another number of children than its type"
	problemChild      = "a child is shorter than its parent"
	problemDictionary = "a dictionary array without a dictionary"
	problemIndex      = "a dictionary index reaches outside the dictionary"
	problemView       = "a view reaches outside its buffers"
)

// lengthMax keeps size computations below overflow.
const lengthMax = 1 << 40

// checkColumns checks the columns of a batch that was not released; full looks at every value.
func checkColumns(kernel string, argument int, batch arrow.RecordBatch, full bool) error {
	rows := batch.NumRows()
	for i, column := range batch.Columns() {
		code, problem := bridge.CodeInvalid, ""
		data, ok := column.Data().(*array.Data)
		switch {
		case !ok:
			problem = problemData
		case data == nil:
			code, problem = bridge.CodeReleased, problemReleased
		case int64(data.Len()) != rows:
			problem = problemLength
		default:
			problem = checkData(data, full)
		}
		if problem != "" {
			return bridge.ColumnError(code, kernel, argument, i, problem)
		}
	}
	return nil
}

// malformed is the error of the first of the batches that breaks the Arrow format, or nil.
func malformed(kernel string, batches []arrow.RecordBatch) error {
	for argument, batch := range batches {
		if batch == nil {
			continue
		}
		if len(batch.Columns()) != batch.Schema().NumFields() {
			return bridge.ColumnError(bridge.CodeReleased, kernel, argument, -1,
				"the batch was released")
		}
		if err := checkColumns(kernel, argument, batch, true); err != nil {
			return err
		}
	}
	return nil
}

// checkData checks one array and all below it, and returns what is wrong with it.
func checkData(data *array.Data, full bool) (problem string) {
	length, offset := data.Len(), data.Offset()
	if uint64(length)|uint64(offset) >= lengthMax {
		return problemSize
	}
	if length == 0 {
		offset = 0 // an empty array may lack its buffers, whatever was sliced
	}
	end := offset + length
	storage := storageOf(data.DataType())
	switch storage.ID() {
	case arrow.NULL:
		return ""
	case arrow.RUN_END_ENCODED, arrow.SPARSE_UNION, arrow.DENSE_UNION:
		return checkUnion(data, storage, end, full)
	}
	if problem = checkValidity(data, end); problem != "" {
		return problem
	}
	switch t := storage.(type) {
	case *arrow.DictionaryType:
		return checkDictionary(data, t, end, full)
	case *arrow.StructType:
		return checkChildren(data, t.NumFields(), end, full)
	case *arrow.FixedSizeListType:
		return checkFixedList(data, int(t.Len()), end, full)
	case *arrow.StringViewType, *arrow.BinaryViewType:
		return checkViews(data, end, full)
	case *arrow.StringType, *arrow.BinaryType:
		return checkText[int32](data, end, full)
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		return checkText[int64](data, end, full)
	case *arrow.ListType, *arrow.MapType:
		return checkList[int32](data, end, full)
	case *arrow.LargeListType:
		return checkList[int64](data, end, full)
	case *arrow.ListViewType, *arrow.LargeListViewType:
		return checkChildren(data, 1, 0, full)
	case arrow.FixedWidthDataType:
		return checkFixed(data, t.BitWidth(), end)
	}
	return ""
}

// checkFixed checks the buffer of values of so many bits. It divides, since a product may overflow.
func checkFixed(data *array.Data, bits, end int) string {
	if bits%8 != 0 {
		return checkBuffer(data, 1, (end+7)/8)
	}
	problem := checkBuffer(data, 1, 0)
	if width := bits / 8; problem == "" && width > 0 && len(bufferBytes(data, 1))/width < end {
		return problemShort
	}
	return problem
}

func checkFixedList(data *array.Data, size, end int, full bool) string {
	problem := checkChildren(data, 1, 0, full)
	if problem == "" && size > 0 && data.Children()[0].Len()/size < end {
		return problemChild
	}
	return problem
}

func checkBuffer(data *array.Data, i, needed int) string {
	switch {
	case len(data.Buffers()) <= i:
		return problemBuffers
	case len(bufferBytes(data, i)) < needed:
		return problemShort
	}
	return ""
}

func checkValidity(data *array.Data, end int) string {
	if len(data.Buffers()) == 0 {
		return problemBuffers
	}
	switch bitmap := bufferBytes(data, 0); {
	case len(bitmap) == 0:
		if data.NullN() > 0 && data.Len() > 0 {
			return problemValidity
		}
	case len(bitmap) < (end+7)/8:
		return problemShort
	}
	return ""
}

// validAt says whether a row is valid, given that the validity bitmap is as long as it must be.
func validAt(data *array.Data, row int) bool {
	bitmap := bufferBytes(data, 0)
	bit := data.Offset() + row
	return len(bitmap) == 0 || bitmap[bit/8]>>(bit%8)&1 != 0
}

func checkChildren(data *array.Data, count, needed int, full bool) string {
	children := data.Children()
	if len(children) != count {
		return problemChildren
	}
	for _, child := range children {
		below, ok := child.(*array.Data)
		if !ok || below == nil {
			return problemChildren
		}
		if below.Len() < needed {
			return problemChild
		}
		if problem := checkData(below, full); problem != "" {
			return problem
		}
	}
	return ""
}

// checkUnion checks what has no validity bitmap of its own.
func checkUnion(data *array.Data, storage arrow.DataType, end int, full bool) string {
	union, ok := storage.(arrow.UnionType)
	if !ok {
		return checkChildren(data, 2, 0, full) // run ends and values
	}
	if problem := checkBuffer(data, 1, end); problem != "" {
		return problem
	}
	if union.Mode() == arrow.SparseMode {
		return checkChildren(data, union.NumFields(), end, full)
	}
	if problem := checkBuffer(data, 2, 4*end); problem != "" {
		return problem
	}
	return checkChildren(data, union.NumFields(), 0, full)
}

// checkOffsets checks offsets into values of so many bytes or rows.
func checkOffsets[O int32 | int64](data *array.Data, end, values int, full bool) string {
	if data.Len() == 0 {
		return ""
	}
	width := 4
	if O(math.MaxInt32)+1 > 0 {
		width = 8
	}
	if problem := checkBuffer(data, 1, (end+1)*width); problem != "" {
		return problem
	}
	offsets := offsetsOf[O](data)
	first, last := offsets[0], offsets[len(offsets)-1]
	if first < 0 || last < first || int64(last) > int64(values) {
		return problemOffsets
	}
	if !full {
		return ""
	}
	for i := range offsets[1:] {
		if offsets[i+1] < offsets[i] {
			return problemOffsets
		}
	}
	return ""
}

func checkText[O int32 | int64](data *array.Data, end int, full bool) string {
	if len(data.Buffers()) < 3 {
		return problemBuffers
	}
	return checkOffsets[O](data, end, len(bufferBytes(data, 2)), full)
}

func checkList[O int32 | int64](data *array.Data, end int, full bool) string {
	if problem := checkChildren(data, 1, 0, full); problem != "" {
		return problem
	}
	return checkOffsets[O](data, end, data.Children()[0].Len(), full)
}

func checkViews(data *array.Data, end int, full bool) string {
	problem := checkBuffer(data, 1, end*arrow.ViewHeaderSizeBytes)
	if problem != "" || !full {
		return problem
	}
	buffers := data.Buffers()[2:]
	for row, view := range slots[arrow.ViewHeader](data) {
		if !validAt(data, row) {
			continue
		}
		switch size := view.Len(); {
		case size < 0:
			return problemView
		case view.IsInline():
		case view.BufferIndex() < 0 || int(view.BufferIndex()) >= len(buffers):
			return problemView
		case view.BufferOffset() < 0 ||
			int(view.BufferOffset())+size > len(bufferBytes(data, 2+int(view.BufferIndex()))):
			return problemView
		}
	}
	return ""
}

func checkDictionary(data *array.Data, t *arrow.DictionaryType, end int, full bool) string {
	width := t.BitWidth() / 8
	if problem := checkBuffer(data, 1, end*width); problem != "" {
		return problem
	}
	values, ok := data.Dictionary().(*array.Data)
	if !ok || values == nil {
		return problemDictionary
	}
	if problem := checkData(values, full); problem != "" || !full {
		return problem
	}
	indices := bufferBytes(data, 1)
	signed := arrow.IsSignedInteger(t.IndexType.ID())
	for row := range data.Len() {
		index := dictionaryIndex(indices[(data.Offset()+row)*width:], width, signed)
		if index >= uint64(values.Len()) && validAt(data, row) {
			return problemIndex
		}
	}
	return ""
}

// dictionaryIndex reads a dictionary index; a negative one becomes too large for any dictionary.
func dictionaryIndex(bytes []byte, width int, signed bool) uint64 {
	var index uint64
	switch width {
	case 1:
		index = uint64(bytes[0])
	case 2:
		index = uint64(binary.LittleEndian.Uint16(bytes))
	case 4:
		index = uint64(binary.LittleEndian.Uint32(bytes))
	default:
		index = binary.LittleEndian.Uint64(bytes)
	}
	if shift := 64 - 8*width; signed {
		index = uint64(int64(index<<shift) >> shift)
	}
	return index
}
