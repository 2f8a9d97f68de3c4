// SPDX-License-Identifier: Apache-2.0

package kerneltest

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// Numbers lists the number types.
func Numbers() []arrow.DataType {
	return append(Integers(), arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64)
}

// Integers lists the integer types.
func Integers() []arrow.DataType {
	p := arrow.PrimitiveTypes
	return []arrow.DataType{p.Int8, p.Int16, p.Int32, p.Int64, p.Uint8, p.Uint16, p.Uint32, p.Uint64}
}

// Texts lists the plain text and binary types.
func Texts() []arrow.DataType {
	b := arrow.BinaryTypes
	return []arrow.DataType{b.String, b.LargeString, b.StringView, b.Binary, b.LargeBinary, b.BinaryView}
}

// Temporals lists date, time, timestamp and duration types.
func Temporals() []arrow.DataType {
	f := arrow.FixedWidthTypes
	return []arrow.DataType{
		f.Date32, f.Date64, f.Time32s, f.Time64ns, f.Timestamp_s, f.Timestamp_ms, f.Timestamp_us, f.Timestamp_ns,
		f.Duration_ms, &arrow.TimestampType{Unit: arrow.Second},
	}
}

// Dictionaries lists some dictionary types.
func Dictionaries() []arrow.DataType {
	p, b := arrow.PrimitiveTypes, arrow.BinaryTypes
	return []arrow.DataType{
		&arrow.DictionaryType{IndexType: p.Int8, ValueType: b.String},
		&arrow.DictionaryType{IndexType: p.Uint16, ValueType: b.LargeString},
		&arrow.DictionaryType{IndexType: p.Int32, ValueType: b.StringView, Ordered: true},
		&arrow.DictionaryType{IndexType: p.Int64, ValueType: p.Int64},
	}
}

// Selectables lists the types that filter, take and rechunk take.
func Selectables() []arrow.DataType {
	f := arrow.FixedWidthTypes
	types := []arrow.DataType{
		arrow.Null, f.Boolean, f.Float16, &arrow.FixedSizeBinaryType{ByteWidth: 3},
		&arrow.FixedSizeBinaryType{ByteWidth: 16}, &arrow.FixedSizeBinaryType{ByteWidth: 32},
		&arrow.Decimal32Type{Precision: 9}, &arrow.Decimal64Type{Precision: 18},
		&arrow.Decimal128Type{Precision: 38, Scale: 2}, &arrow.Decimal256Type{Precision: 76},
		f.MonthInterval, f.DayTimeInterval, f.MonthDayNanoInterval,
	}
	types = append(types, Numbers()...)
	types = append(types, Texts()...)
	types = append(types, Temporals()...)
	return append(types, Dictionaries()...)
}

// Batch makes a record batch of the columns, which it takes over, with fields c0, c1 … The batch is the caller's
// to release.
func Batch(columns ...arrow.Array) arrow.RecordBatch {
	fields := make([]arrow.Field, len(columns))
	rows := int64(0)
	for i, column := range columns {
		fields[i] = arrow.Field{Name: "c" + string(rune('0'+i%10)), Type: column.DataType(), Nullable: true}
		rows = int64(column.Len())
	}
	batch := array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, rows)
	for _, column := range columns {
		column.Release()
	}
	return batch
}
