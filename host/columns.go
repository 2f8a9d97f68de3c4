// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/host/internal/input"
)

// RunColumns is Run for a kernel of one input, given its columns apart. The columns stay the
// caller's.
func (k *Kernel) RunColumns(
	ctx context.Context, columns ...arrow.Array,
) (arrow.RecordBatch, error) {
	if k == nil {
		return nil, invalid("the kernel is nil")
	}
	batch, err := k.wrap(0, columns)
	if err != nil {
		return nil, err
	}
	defer batch.Release()

	return k.Run(ctx, batch)
}

// RunWith is Run for a kernel of two inputs of which the second is one column: the mask of filter,
// the indices of take. Batch and column stay the caller's.
func (k *Kernel) RunWith(
	ctx context.Context, batch arrow.RecordBatch, column arrow.Array,
) (arrow.RecordBatch, error) {
	if k == nil {
		return nil, invalid("the kernel is nil")
	}
	second, err := k.wrap(1, []arrow.Array{column})
	if err != nil {
		return nil, err
	}
	defer second.Release()

	return k.Run(ctx, batch, second)
}

// wrap makes a batch of columns with the bound schema of an input.
func (k *Kernel) wrap(argument int, columns []arrow.Array) (arrow.RecordBatch, error) {
	fail := func(column int, text string) error {
		return bridge.ColumnError(bridge.CodeInvalid, k.name, argument, column, text)
	}
	if argument >= len(k.inputs) {
		return nil, fail(-1, "the kernel has not as many inputs")
	}
	schema := k.inputs[argument]
	if len(columns) != schema.NumFields() {
		return nil, fail(-1, "the bound schema has another number of columns")
	}
	rows := -1
	for i, column := range columns {
		if err := input.CheckColumn(k.name, argument, i, column); err != nil {
			return nil, err
		}
		switch {
		case rows >= 0 && column.Len() != rows:
			return nil, fail(i, "the columns differ in length")
		case !arrow.TypeEqual(column.DataType(), schema.Field(i).Type):
			return nil, fail(i, "the column has not the type of the bound schema")
		}
		rows = column.Len()
	}
	return array.NewRecordBatch(schema, columns, int64(max(rows, 0))), nil
}
