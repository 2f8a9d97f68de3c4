// SPDX-License-Identifier: Apache-2.0

package sink

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// Batch is short for what is written.
type Batch = arrow.RecordBatch

// ErrType says that a column has a type that no text is written for.
var ErrType = errors.New("column type cannot be written as text")

// timeLayout is ISO 8601 without zone, as the columns have none; the fraction has as many digits as
// it needs.
const timeLayout = "2006-01-02T15:04:05.999999999"

// cells appends the text of a row's value; a null is said by ok alone.
type cells func(text []byte, row int) (result []byte, ok bool)

// leaves flattens the columns of a schema: a struct column gives one leaf for each child, named
// column_child.
func leaves(schema *arrow.Schema) []arrow.Field {
	var all []arrow.Field
	for _, field := range schema.Fields() {
		nested, ok := field.Type.(*arrow.StructType)
		if !ok {
			all = append(all, field)
			continue
		}
		for _, child := range nested.Fields() {
			child.Name = field.Name + "_" + child.Name
			all = append(all, child)
		}
	}
	return all
}

// digitsAll asks for the fewest digits that read back to the same value.
const digitsAll = -1

// leafCells gives the cells of a batch in the order of leaves, floats with so many digits after the
// point.
func leafCells(batch Batch, digits int) ([]cells, error) {
	var all []cells
	for i := range int(batch.NumCols()) {
		column := batch.Column(i)
		nested, ok := column.(*array.Struct)
		if !ok {
			values, err := cellsOf(column, digits)
			if err != nil {
				return nil, fmt.Errorf("%w: %s", err, batch.ColumnName(i))
			}
			all = append(all, values)
			continue
		}
		for child := range nested.NumField() {
			values, err := cellsOf(nested.Field(child), digits)
			if err != nil {
				return nil, fmt.Errorf("%w: %s", err, batch.ColumnName(i))
			}
			all = append(all, func(text []byte, row int) ([]byte, bool) {
				if nested.IsNull(row) {
					return text, false
				}
				return values(text, row)
			})
		}
	}
	return all, nil
}

func cellsOf(column arrow.Array, digits int) (cells, error) {
	var value func(text []byte, row int) []byte
	switch values := column.(type) {
	case *array.Int64:
		value = func(text []byte, row int) []byte {
			return strconv.AppendInt(text, values.Value(row), 10)
		}
	case *array.Int32:
		value = func(text []byte, row int) []byte {
			return strconv.AppendInt(text, int64(values.Value(row)), 10)
		}
	case *array.Float64:
		value = func(text []byte, row int) []byte {
			return strconv.AppendFloat(text, values.Value(row), 'f', digits, 64)
		}
	case *array.String:
		value = func(text []byte, row int) []byte { return append(text, values.Value(row)...) }
	case *array.Timestamp:
		unit := values.DataType().(*arrow.TimestampType).Unit
		value = func(text []byte, row int) []byte {
			return values.Value(row).ToTime(unit).AppendFormat(text, timeLayout)
		}
	case *array.Date32:
		value = func(text []byte, row int) []byte {
			return values.Value(row).ToTime().AppendFormat(text, time.DateOnly)
		}
	case *array.Date64:
		value = func(text []byte, row int) []byte {
			return values.Value(row).ToTime().AppendFormat(text, time.DateOnly)
		}
	default:
		return nil, fmt.Errorf("%w: %v", ErrType, column.DataType())
	}
	return func(text []byte, row int) ([]byte, bool) {
		if column.IsNull(row) {
			return text, false
		}
		return value(text, row), true
	}, nil
}
