// SPDX-License-Identifier: Apache-2.0

package compute

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/host"
	"github.com/tombolo-arrow/tombolo/host/internal/input"
)

// NullSelection says what filter does with a row whose mask is null.
type NullSelection string

// The ways of filter with null masks.
const (
	DropNulls NullSelection = "drop"      // the row goes
	EmitNulls NullSelection = "emit_null" // the row stays, with nulls in all columns
)

// Filter gives the rows whose mask is true, in order. A null in the mask drops its row; FilterWith
// keeps it as nulls.
func Filter(
	ctx context.Context, engine *host.Engine, batch arrow.RecordBatch, mask arrow.Array,
) (arrow.RecordBatch, error) {
	return FilterWith(ctx, engine, batch, mask, DropNulls)
}

// FilterWith is Filter with a choice for null masks.
func FilterWith(
	ctx context.Context, engine *host.Engine, batch arrow.RecordBatch, mask arrow.Array,
	nulls NullSelection,
) (arrow.RecordBatch, error) {
	key := host.Key{Kernel: "filter", Options: string(nulls)}
	return callWith(ctx, engine, key, batch, mask,
		bridge.Option{Name: "null_selection", Value: string(nulls)})
}

// FilterColumn is Filter for one column.
func FilterColumn(
	ctx context.Context, engine *host.Engine, column, mask arrow.Array,
) (arrow.Array, error) {
	batch, err := batchOf("filter", column)
	if err != nil {
		return nil, err
	}
	defer batch.Release()

	return firstColumn(Filter(ctx, engine, batch, mask))
}

// BindFilter binds filter for batches of a schema. Run it with RunWith(ctx, batch, mask).
func BindFilter(
	ctx context.Context, engine *host.Engine, schema *arrow.Schema, nulls NullSelection,
) (*Kernel, error) {
	inputs := []*arrow.Schema{schema, schemaOf(arrow.FixedWidthTypes.Boolean)}
	return engine.Bind(ctx, "filter", inputs,
		bridge.Option{Name: "null_selection", Value: string(nulls)})
}

// Take gives for each index that row of the batch. A null index gives a row of nulls; an index
// outside the batch is ErrIndex. Indices are of any integer type.
func Take(
	ctx context.Context, engine *host.Engine, batch arrow.RecordBatch, indices arrow.Array,
) (arrow.RecordBatch, error) {
	return callWith(ctx, engine, host.Key{Kernel: "take"}, batch, indices)
}

// TakeColumn is Take for one column.
func TakeColumn(
	ctx context.Context, engine *host.Engine, column, indices arrow.Array,
) (arrow.Array, error) {
	batch, err := batchOf("take", column)
	if err != nil {
		return nil, err
	}
	defer batch.Release()

	return firstColumn(Take(ctx, engine, batch, indices))
}

// BindTake binds take for batches of a schema and indices of a type. Run it with
// RunWith(ctx, batch, indices).
func BindTake(
	ctx context.Context, engine *host.Engine, schema *arrow.Schema, indices arrow.DataType,
) (*Kernel, error) {
	if err := checkTypes("take", indices); err != nil {
		return nil, err
	}
	return engine.Bind(ctx, "take", []*arrow.Schema{schema, schemaOf(indices)})
}

// callWith runs a kernel of a batch and one more column once.
func callWith(
	ctx context.Context, engine *host.Engine, key host.Key, batch arrow.RecordBatch,
	column arrow.Array, options ...bridge.Option,
) (arrow.RecordBatch, error) {
	if err := input.CheckColumn(key.Kernel, 1, 0, column); err != nil {
		return nil, err
	}
	second := array.NewRecordBatch(
		schemaOf(column.DataType()), []arrow.Array{column}, int64(column.Len()))
	defer second.Release()

	bind := func(ctx context.Context) (*Kernel, error) {
		inputs := []*arrow.Schema{batch.Schema(), second.Schema()}
		return engine.Bind(ctx, key.Kernel, inputs, options...)
	}
	return engine.Call(ctx, key, bind, batch, second)
}
