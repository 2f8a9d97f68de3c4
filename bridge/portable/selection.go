// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tombolo-arrow/tombolo/bridge"
)

// selectionKernels are filter and take. Both go column by column over buffers alone; the type of a column matters
// only through its layout.
func selectionKernels() []kernel {
	return []kernel{
		{info: bridge.KernelInfo{Name: "filter", Kind: bridge.Map, Inputs: 2}, bind: bindFilter},
		{info: bridge.KernelInfo{Name: "take", Kind: bridge.Map, Inputs: -1}, bind: bindTake},
	}
}

func bindFilter(b *binding) (*bound, error) {
	if err := b.columns(1, 1); err != nil {
		return nil, err
	}
	if layoutOf(b.inputs[1].Field(0).Type).kind != layoutBits {
		return nil, b.failAt(bridge.CodeType, 1, 0, "the mask is not bool")
	}
	if err := b.selectable(0, b.inputs[0]); err != nil {
		return nil, err
	}
	behaviour, _, err := b.options.text("null_selection")
	if err != nil {
		return nil, err
	}
	emitNull := behaviour == "emit_null"
	if !emitNull && behaviour != "drop" && behaviour != "" {
		return nil, b.fail(bridge.CodeInvalid, "null_selection is drop or emit_null")
	}
	output := b.inputs[0]
	if emitNull {
		output = nullableFields(output)
	}
	return &bound{
		output: output,
		run: func(c *call, inputs []arrow.RecordBatch) ([]arrow.Array, int64, error) {
			return filterBatch(c, inputs[0], inputs[1].Column(0).Data(), emitNull)
		},
	}, nil
}

func filterBatch(
	c *call, batch arrow.RecordBatch, mask arrow.ArrayData, emitNull bool,
) ([]arrow.Array, int64, error) {
	if batch.NumRows() != int64(mask.Len()) {
		return nil, 0, c.failAt(bridge.CodeInvalid, 1, 0, "the mask has not as many rows as the batch")
	}
	rows, err := keptRowsOf(c, mask, emitNull)
	if err != nil {
		return nil, 0, err
	}
	defer rows.release()

	columns := make([]arrow.Array, batch.NumCols())
	for i := range columns {
		column, err := filterColumn(c, batch.Column(i).Data(), rows)
		if err != nil {
			return columns, 0, err
		}
		columns[i] = column
	}
	return columns, int64(rows.count), nil
}

func bindTake(b *binding) (*bound, error) {
	given, found, err := b.options.object("values", "batch")
	if err != nil {
		return nil, err
	}
	schema, argument := b.inputs[0], 1
	var prepared arrow.RecordBatch
	if found {
		prepared = given.(*batchObject).batch
		schema, argument = prepared.Schema(), 0
	}
	if len(b.inputs) != argument+1 {
		return nil, b.fail(bridge.CodeInvalid, "take has one input with values and two without")
	}
	if err := b.columns(argument, 1); err != nil {
		return nil, err
	}
	if !arrow.IsInteger(storageOf(b.inputs[argument].Field(0).Type).ID()) {
		return nil, b.failAt(bridge.CodeType, argument, 0, "the index is not an integer")
	}
	if err := b.selectable(0, schema); err != nil {
		return nil, err
	}
	return &bound{
		output: nullableFields(schema),
		run: func(c *call, inputs []arrow.RecordBatch) ([]arrow.Array, int64, error) {
			values := prepared
			if values == nil {
				values = inputs[0]
			}
			return takeBatch(c, values, inputs[argument].Column(0).Data(), argument)
		},
	}, nil
}

func takeBatch(
	c *call, batch arrow.RecordBatch, index arrow.ArrayData, argument int,
) ([]arrow.Array, int64, error) {
	rows := indexRowsOf(index)
	if err := rows.check(c, uint64(batch.NumRows()), argument); err != nil {
		return nil, 0, err
	}
	columns := make([]arrow.Array, batch.NumCols())
	for i := range columns {
		column, err := takeColumn(c, batch.Column(i).Data(), rows, i)
		if err != nil {
			return columns, 0, err
		}
		columns[i] = column
	}
	return columns, int64(rows.length()), nil
}

// selectable refuses the first column that filter and take do not take.
func (b *binding) selectable(argument int, schema *arrow.Schema) error {
	for i, field := range schema.Fields() {
		if layoutOf(field.Type).kind == layoutOther {
			return b.failAt(bridge.CodeType, argument, i, "selection takes no nested column")
		}
	}
	return nil
}

// nullableFields is the schema with every field nullable: a null in the selection gives nulls anywhere.
func nullableFields(schema *arrow.Schema) *arrow.Schema {
	fields := schema.Fields()
	for i := range fields {
		fields[i].Nullable = true
	}
	metadata := schema.Metadata()
	return arrow.NewSchema(fields, &metadata)
}

// selectedColumn makes a result column of the type of data, which gives the dictionary too.
func selectedColumn(data arrow.ArrayData, rows int, result selected) arrow.Array {
	buffers := result.buffers
	if storageOf(data.DataType()).ID() != arrow.DICTIONARY {
		return column(data.DataType(), rows, result.validity, buffers...)
	}
	dictionary := array.MakeFromData(data.Dictionary())
	defer dictionary.Release()
	return dictionaryColumn(data.DataType(), rows, result.validity, buffers[0], dictionary)
}
