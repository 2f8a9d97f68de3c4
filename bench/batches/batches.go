// SPDX-License-Identifier: Apache-2.0

// Package batches makes the input of benchmark cases, the same for every variant.
package batches

import (
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

var columnTypes = []arrow.DataType{
	arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Float64, arrow.BinaryTypes.String, arrow.FixedWidthTypes.Boolean,
}

// Mixed makes a batch of int64, float64, utf8 and bool columns in turn; every nullEvery-th value is null, 0 = none.
// The batch is the caller's to release.
func Mixed(allocator memory.Allocator, columns, rows, nullEvery int) arrow.RecordBatch {
	fields := make([]arrow.Field, columns)
	for i := range fields {
		fields[i] = arrow.Field{
			Name: "c" + strconv.Itoa(i), Type: columnTypes[i%len(columnTypes)], Nullable: true,
		}
	}
	builder := array.NewRecordBuilder(allocator, arrow.NewSchema(fields, nil))
	defer builder.Release()

	for i := range fields {
		for row := range rows {
			if nullEvery > 0 && row%nullEvery == 0 {
				builder.Field(i).AppendNull()
				continue
			}
			switch column := builder.Field(i).(type) {
			case *array.Int64Builder:
				column.Append(int64(row))
			case *array.Float64Builder:
				column.Append(float64(row))
			case *array.StringBuilder:
				column.Append("hello world")
			case *array.BooleanBuilder:
				column.Append(row&1 == 0)
			}
		}
	}
	return builder.NewRecordBatch()
}

// Bytes returns the size of a batch's buffers.
func Bytes(batch arrow.RecordBatch) int64 {
	var total int64
	for _, column := range batch.Columns() {
		for _, buffer := range column.Data().Buffers() {
			if buffer != nil {
				total += int64(buffer.Len())
			}
		}
	}
	return total
}
