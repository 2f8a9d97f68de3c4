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

// Measures makes a batch of an int64 id below 1,000, a float64 value, a text group of 16, and a bool mask that is half
// true. Every nullEvery-th row of id and value is null, 0 = none. The batch is the caller's to release.
func Measures(allocator memory.Allocator, rows, nullEvery int) arrow.RecordBatch {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "value", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
		{Name: "group", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "mask", Type: arrow.FixedWidthTypes.Boolean, Nullable: true},
	}, nil)
	builder := array.NewRecordBuilder(allocator, schema)
	defer builder.Release()

	id, value := builder.Field(0).(*array.Int64Builder), builder.Field(1).(*array.Float64Builder)
	group, mask := builder.Field(2).(*array.StringBuilder), builder.Field(3).(*array.BooleanBuilder)
	random := uint64(88172645463325252)
	for row := range rows {
		random ^= random << 13
		random ^= random >> 7
		random ^= random << 17
		if nullEvery > 0 && row%nullEvery == nullEvery-1 {
			id.AppendNull()
			value.AppendNull()
		} else {
			id.Append(int64(random % 1000))
			value.Append(float64(random%100_000) / 7)
		}
		group.Append("group" + strconv.Itoa(int(random>>32%16)))
		mask.Append(random>>16&1 == 1)
	}
	return builder.NewRecordBatch()
}
