// SPDX-License-Identifier: Apache-2.0

package compute

import (
	"context"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/host"
	"github.com/tombolo-arrow/tombolo/host/internal/input"
)

// Kernel is a kernel bound to the schemas of its inputs: Run takes batches, RunColumns the columns
// of the one input apart, RunWith a batch and a column. It is safe for concurrent use and the
// caller's to release.
type Kernel = host.Kernel

func fail(code bridge.Code, kernel, text string) error {
	return bridge.NewError(code, kernel, text)
}

func columnError(code bridge.Code, kernel string, column int, text string) error {
	return bridge.ColumnError(code, kernel, 0, column, text)
}

// batchOf wraps columns into a batch whose fields are named by their position. The caller releases
// it.
func batchOf(kernel string, columns ...arrow.Array) (arrow.RecordBatch, error) {
	fields := make([]arrow.Field, len(columns))
	for i, column := range columns {
		if err := input.CheckColumn(kernel, 0, i, column); err != nil {
			return nil, err
		}
		if column.Len() != columns[0].Len() {
			return nil, columnError(bridge.CodeInvalid, kernel, i, "the columns differ in length")
		}
		fields[i] = arrow.Field{Name: strconv.Itoa(i), Type: column.DataType(), Nullable: true}
	}
	rows := int64(0)
	if len(columns) > 0 {
		rows = int64(columns[0].Len())
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, rows), nil
}

// schemaOf is the schema of batchOf.
func schemaOf(types ...arrow.DataType) *arrow.Schema {
	fields := make([]arrow.Field, len(types))
	for i, dataType := range types {
		fields[i] = arrow.Field{Name: strconv.Itoa(i), Type: dataType, Nullable: true}
	}
	return arrow.NewSchema(fields, nil)
}

func checkTypes(kernel string, types ...arrow.DataType) error {
	for i, dataType := range types {
		if input.IsNil(dataType) {
			return columnError(bridge.CodeInvalid, kernel, i, "the type is nil")
		}
	}
	return nil
}

// bindColumns binds a kernel of one input that has columns of the given types.
func bindColumns(
	ctx context.Context, engine *host.Engine, kernel string, types []arrow.DataType,
	options ...bridge.Option,
) (*Kernel, error) {
	if err := checkTypes(kernel, types...); err != nil {
		return nil, err
	}
	return engine.Bind(ctx, kernel, []*arrow.Schema{schemaOf(types...)}, options...)
}

// callColumns runs a kernel of one input once.
func callColumns(
	ctx context.Context, engine *host.Engine, key host.Key, options []bridge.Option,
	columns ...arrow.Array,
) (arrow.RecordBatch, error) {
	bind := func(ctx context.Context) (*Kernel, error) {
		types := make([]arrow.DataType, len(columns))
		for i, column := range columns {
			types[i] = column.DataType()
		}
		return bindColumns(ctx, engine, key.Kernel, types, options...)
	}
	return engine.CallColumns(ctx, key, bind, columns...)
}

// firstColumn takes the only column out of a result.
func firstColumn(result arrow.RecordBatch, err error) (arrow.Array, error) {
	if err != nil {
		return nil, err
	}
	defer result.Release()

	column := result.Column(0)
	column.Retain()
	return column, nil
}

// twoColumns takes both columns out of a result.
func twoColumns(result arrow.RecordBatch, err error) (first, second arrow.Array, failed error) {
	if err != nil {
		return nil, nil, err
	}
	defer result.Release()

	first, second = result.Column(0), result.Column(1)
	first.Retain()
	second.Retain()
	return first, second, nil
}
