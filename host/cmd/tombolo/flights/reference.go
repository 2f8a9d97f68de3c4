// SPDX-License-Identifier: Apache-2.0

package flights

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// Schemas of the prepared reference. The order of values is that of the take steps. States are few
// and have many rows each: taken as dictionary indices they cost half, and group faster.
var (
	keysSchema = arrow.NewSchema([]arrow.Field{
		{Name: "iata", Type: arrow.BinaryTypes.String, Nullable: true},
	}, nil)
	valuesSchema = arrow.NewSchema([]arrow.Field{
		{Name: "state", Nullable: true, Type: &arrow.DictionaryType{
			IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String,
		}},
		{Name: "latitude", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
		{Name: "longitude", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
	}, nil)
)

// referenceBatches gathers the reference into one batch of keys and one of values, row by row the
// same, both the caller's to release. Rows without a key are left out: a null key joins with
// nothing, as in SQL.
func referenceBatches(
	allocator memory.Allocator, reference []arrow.RecordBatch,
) (keys, values arrow.RecordBatch, err error) {
	keyBuilder := array.NewRecordBuilder(allocator, keysSchema)
	defer keyBuilder.Release()
	valueBuilder := array.NewRecordBuilder(allocator, valuesSchema)
	defer valueBuilder.Release()

	seen := map[string]struct{}{}
	for _, batch := range reference {
		if err := appendReference(keyBuilder, valueBuilder, batch, seen); err != nil {
			return nil, nil, err
		}
	}
	return keyBuilder.NewRecordBatch(), valueBuilder.NewRecordBatch(), nil
}

func appendReference(
	keys, values *array.RecordBuilder, batch arrow.RecordBatch, seen map[string]struct{},
) error {
	if int(batch.NumCols()) != len(ReferenceColumns) {
		return fmt.Errorf("%w: the reference must have the columns %s in this order",
			ErrColumnType, strings.Join(ReferenceColumns, ", "))
	}
	iata, state := textAt(batch.Column(0)), textAt(batch.Column(1))
	latitude, longitude := numberAt(batch.Column(2)), numberAt(batch.Column(3))
	for i, fits := range []bool{iata != nil, state != nil, latitude != nil, longitude != nil} {
		if !fits {
			return fmt.Errorf("%w: %s of the reference cannot be %v",
				ErrColumnType, ReferenceColumns[i], batch.Column(i).DataType())
		}
	}
	for row := range int(batch.NumRows()) {
		key, ok := iata(row)
		if !ok {
			continue
		}
		if _, twice := seen[key]; twice {
			return ErrDuplicate
		}
		seen[strings.Clone(key)] = struct{}{}
		keys.Field(0).(*array.StringBuilder).Append(key)
		if text, ok := state(row); ok {
			states := values.Field(0).(*array.BinaryDictionaryBuilder)
			if err := states.AppendString(text); err != nil {
				return err
			}
		} else {
			values.Field(0).AppendNull()
		}
		for i, number := range []func(int) (float64, bool, error){latitude, longitude} {
			switch degrees, ok, err := number(row); {
			case err != nil:
				return fmt.Errorf("%w: column %s", ErrReference, ReferenceColumns[2+i])
			case ok:
				values.Field(1 + i).(*array.Float64Builder).Append(degrees)
			default:
				values.Field(1 + i).AppendNull()
			}
		}
	}
	return nil
}

// textAt reads any form of text; it is nil for other types. The strings borrow the column's memory.
func textAt(column arrow.Array) func(row int) (text string, ok bool) {
	switch values := column.(type) {
	case array.StringLike:
		return func(row int) (string, bool) {
			if values.IsNull(row) {
				return "", false
			}
			return values.Value(row), true
		}
	case *array.Dictionary:
		text := textAt(values.Dictionary())
		if text == nil {
			return nil
		}
		return func(row int) (string, bool) {
			if values.IsNull(row) {
				return "", false
			}
			return text(values.GetValueIndex(row))
		}
	}
	return nil
}

// numberAt reads any number, and text that spells one, as CSV has it; it is nil for other types.
func numberAt(column arrow.Array) func(row int) (number float64, ok bool, err error) {
	if isText(column.DataType()) {
		text := textAt(column)
		return func(row int) (float64, bool, error) {
			value, ok := text(row)
			if !ok {
				return 0, false, nil
			}
			number, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			return number, true, err
		}
	}
	var value func(row int) float64
	switch values := column.(type) {
	case *array.Float64:
		value = values.Value
	case *array.Float32:
		value = func(row int) float64 { return float64(values.Value(row)) }
	case *array.Int64:
		value = func(row int) float64 { return float64(values.Value(row)) }
	case *array.Int32:
		value = func(row int) float64 { return float64(values.Value(row)) }
	default:
		return nil
	}
	return func(row int) (float64, bool, error) {
		if column.IsNull(row) {
			return 0, false, nil
		}
		return value(row), true, nil
	}
}

// scalarBatch is one value as a batch of one row and one column.
func scalarBatch(allocator memory.Allocator, value any) arrow.RecordBatch {
	var builder array.Builder
	switch value := value.(type) {
	case int64:
		integers := array.NewInt64Builder(allocator)
		integers.Append(value)
		builder = integers
	case float64:
		reals := array.NewFloat64Builder(allocator)
		reals.Append(value)
		builder = reals
	}
	defer builder.Release()

	column := builder.NewArray()
	defer column.Release()

	schema := arrow.NewSchema([]arrow.Field{{Name: "value", Type: column.DataType()}}, nil)
	return array.NewRecordBatch(schema, []arrow.Array{column}, 1)
}
