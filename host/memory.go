// SPDX-License-Identifier: Apache-2.0

package host

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tombolo-arrow/tombolo/bridge"
)

// deliver gives a result to the caller in the memory that the options ask for.
func (e *Engine) deliver(result arrow.RecordBatch, library bridge.Library) arrow.RecordBatch {
	if !e.settings.goHeap || (library == e.portable && !borrows(result.Schema())) {
		return result
	}
	result, copied := onGoHeap(result)
	e.copied.Add(copied)
	return result
}

// borrows says whether a portable result, which lies on the Go heap already, may hold on to memory
// of its input: dictionaries and view buffers are kept by reference.
func borrows(schema *arrow.Schema) bool {
	for i := range schema.NumFields() {
		if dataType := schema.Field(i).Type; !arrow.IsPrimitive(dataType.ID()) {
			switch dataType.ID() {
			case arrow.BOOL, arrow.NULL, arrow.STRING, arrow.BINARY, arrow.LARGE_STRING,
				arrow.LARGE_BINARY, arrow.FIXED_SIZE_BINARY, arrow.DECIMAL128, arrow.DECIMAL256:
			default:
				return true
			}
		}
	}
	return false
}

// onGoHeap copies a result to the Go heap and releases it. It returns the bytes copied as well.
func onGoHeap(batch arrow.RecordBatch) (arrow.RecordBatch, int64) {
	defer batch.Release()

	var copied int64
	columns := make([]arrow.Array, batch.NumCols())
	for i, column := range batch.Columns() {
		data := copyData(column.Data(), &copied)
		columns[i] = array.MakeFromData(data)
		data.Release()
	}
	result := array.NewRecordBatch(batch.Schema(), columns, batch.NumRows())
	for _, column := range columns {
		column.Release()
	}
	return result, copied
}

func copyData(data arrow.ArrayData, copied *int64) *array.Data {
	buffers := make([]*memory.Buffer, len(data.Buffers()))
	for i, buffer := range data.Buffers() {
		if buffer == nil {
			continue
		}
		fresh := memory.NewResizableBuffer(memory.DefaultAllocator)
		fresh.Resize(buffer.Len())
		copy(fresh.Bytes(), buffer.Bytes())
		*copied += int64(buffer.Len())
		buffers[i] = fresh
	}
	children := make([]arrow.ArrayData, len(data.Children()))
	for i, child := range data.Children() {
		children[i] = copyData(child, copied)
	}
	dictionary, _ := data.Dictionary().(*array.Data)
	if dictionary == nil {
		return array.NewData(
			data.DataType(), data.Len(), buffers, children, data.NullN(), data.Offset())
	}
	values := copyData(dictionary, copied)
	return array.NewDataWithDictionary(
		data.DataType(), data.Len(), buffers, data.NullN(), data.Offset(), values)
}
