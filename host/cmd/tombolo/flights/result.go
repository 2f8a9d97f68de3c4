// SPDX-License-Identifier: Apache-2.0

package flights

import (
	"cmp"
	"context"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tombolo-arrow/tombolo/host"
)

// Table is one finished aggregate, rows with the greatest n first and equal ones in the order of
// their keys.
type Table struct {
	Name  string
	Batch arrow.RecordBatch
}

// Result is what a run gives besides the joined batches.
type Result struct {
	Rows        int64
	Measured    int64   // rows with a computed distance: both ends are in the reference
	Agree       int64   // rows whose distance is within 1.5 % of the given one
	DelaySum    int64   // minutes
	DistanceSum float64 // miles, as given
	Tables      []Table // at ByStateMonth, ByCell and ByRoute
	Stats       Stats
}

// Release releases the tables. A second call does nothing.
func (r *Result) Release() {
	for _, table := range r.Tables {
		table.Batch.Release()
	}
	r.Tables = nil
}

// finish makes the result of the states, which are left empty.
func (j *Job) finish(ctx context.Context, states []*host.State) (*Result, error) {
	result := &Result{}
	for i, state := range states {
		groups, err := state.Finish(ctx)
		if err != nil {
			result.Release()
			return nil, err
		}
		if i == ByStateMonth {
			result.addUp(groups)
		}
		table, err := j.tidy(ctx, i, groups)
		groups.Release()
		if err != nil {
			result.Release()
			return nil, err
		}
		result.Tables = append(result.Tables, Table{Name: j.groups[i].name, Batch: table})
	}
	return result, nil
}

// addUp sums over the groups of the first aggregate what holds for all rows.
func (r *Result) addUp(groups arrow.RecordBatch) {
	r.Rows = sumOf[int64](groups, "n")
	r.Measured = sumOf[int64](groups, "measured")
	r.Agree = sumOf[int64](groups, "agree")
	r.DelaySum = sumOf[int64](groups, "delay_sum")
	switch named(groups, "distance_sum").(type) {
	case *array.Int64:
		r.DistanceSum = float64(sumOf[int64](groups, "distance_sum"))
	case *array.Float64:
		r.DistanceSum = sumOf[float64](groups, "distance_sum")
	}
}

func sumOf[T int64 | float64](batch arrow.RecordBatch, name string) T {
	values, ok := named(batch, name).(interface{ Value(int) T })
	if !ok {
		return 0
	}
	var sum T
	for row := range int(batch.NumRows()) {
		// The slot under a null is zero.
		sum += values.Value(row)
	}
	return sum
}

func named(batch arrow.RecordBatch, name string) arrow.Array {
	return batch.Column(batch.Schema().FieldIndices(name)[0])
}

// tidy turns the groups of a kernel into a table for people: derived columns, then sorted.
func (j *Job) tidy(
	ctx context.Context, which int, groups arrow.RecordBatch,
) (arrow.RecordBatch, error) {
	groups = withPlainText(j.engine.Allocator(), groups)
	defer groups.Release()

	table := groups
	switch which {
	case ByStateMonth:
		table = withLatePercent(j.engine.Allocator(), groups)
	case ByCell:
		table = withCellNumbers(j.engine.Allocator(), groups)
	default:
		table.Retain()
	}
	defer table.Release()

	order := sortedRows(j.engine.Allocator(), table)
	defer order.Release()

	take, err := j.engine.Bind(ctx, "take", []*arrow.Schema{table.Schema(), order.Schema()})
	if err != nil {
		return nil, err
	}
	defer take.Release()

	return take.Run(ctx, table, order)
}

// withPlainText makes utf8 of text in any other form, so that tables, their order and their files
// do not depend on it.
func withPlainText(allocator memory.Allocator, groups arrow.RecordBatch) arrow.RecordBatch {
	fields, columns := groups.Schema().Fields(), slices.Clone(groups.Columns())
	for i, column := range columns {
		if isText(column.DataType()) && column.DataType().ID() != arrow.STRING {
			text, _ := plainText(allocator, column)
			defer text.Release()

			fields[i].Type, columns[i] = text.DataType(), text
		}
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, groups.NumRows())
}

// withLatePercent keeps what the table shows and adds the share of late flights among those whose
// delay is known.
func withLatePercent(allocator memory.Allocator, groups arrow.RecordBatch) arrow.RecordBatch {
	builder := array.NewFloat64Builder(allocator)
	defer builder.Release()

	late := named(groups, "late").(*array.Int64)
	delays := named(groups, "delays").(*array.Int64)
	for row := range int(groups.NumRows()) {
		if delays.Value(row) == 0 {
			builder.AppendNull()
			continue
		}
		builder.Append(100 * float64(late.Value(row)) / float64(delays.Value(row)))
	}
	percent := builder.NewArray()
	defer percent.Release()

	return assemble(groups, map[string]arrow.Array{"late_percent": percent},
		"origin_state", "month", "n", "mean_delay", "min_delay", "max_delay", "late_percent",
		"miles")
}

// withCellNumbers splits the number of a cell into its column and row in the grid.
func withCellNumbers(allocator memory.Allocator, groups arrow.RecordBatch) arrow.RecordBatch {
	x, y := array.NewInt32Builder(allocator), array.NewInt32Builder(allocator)
	defer x.Release()
	defer y.Release()

	cells := named(groups, "cell").(*array.Int64)
	for row := range int(groups.NumRows()) {
		if cells.IsNull(row) {
			x.AppendNull()
			y.AppendNull()
			continue
		}
		x.Append(int32(cells.Value(row) >> 32))
		y.Append(int32(cells.Value(row)))
	}
	columns := map[string]arrow.Array{"cell_x": x.NewArray(), "cell_y": y.NewArray()}
	defer columns["cell_x"].Release()
	defer columns["cell_y"].Release()

	return assemble(groups, columns,
		"cell_x", "cell_y", "n", "mean_delay", "centroid_x", "centroid_y")
}

// assemble makes a batch of named columns, made ones before those of the batch.
func assemble(
	batch arrow.RecordBatch, made map[string]arrow.Array, names ...string,
) arrow.RecordBatch {
	var (
		fields  []arrow.Field
		columns []arrow.Array
	)
	for _, name := range names {
		column := made[name]
		if column == nil {
			column = named(batch, name)
		}
		fields = append(fields, arrow.Field{Name: name, Type: column.DataType(), Nullable: true})
		columns = append(columns, column)
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, batch.NumRows())
}

// sortedRows gives the row numbers in the order of the table: greatest n first, then by the columns
// before n, nulls last.
func sortedRows(allocator memory.Allocator, table arrow.RecordBatch) arrow.RecordBatch {
	keys := table.Schema().FieldIndices("n")[0]
	n := table.Column(keys).(*array.Int64)
	order := make([]int64, table.NumRows())
	for row := range order {
		order[row] = int64(row)
	}
	slices.SortStableFunc(order, func(a, b int64) int {
		result := cmp.Compare(n.Value(int(b)), n.Value(int(a)))
		for key := 0; key < keys && result == 0; key++ {
			result = compareRows(table.Column(key), int(a), int(b))
		}
		return result
	})
	builder := array.NewInt64Builder(allocator)
	defer builder.Release()

	builder.AppendValues(order, nil)
	column := builder.NewArray()
	defer column.Release()

	schema := arrow.NewSchema([]arrow.Field{{Name: "row", Type: column.DataType()}}, nil)
	return array.NewRecordBatch(schema, []arrow.Array{column}, int64(len(order)))
}

func compareRows(column arrow.Array, a, b int) int {
	switch {
	case column.IsNull(a) && column.IsNull(b):
		return 0
	case column.IsNull(a):
		return 1
	case column.IsNull(b):
		return -1
	}
	switch values := column.(type) {
	case *array.String:
		return cmp.Compare(values.Value(a), values.Value(b))
	case *array.Int64:
		return cmp.Compare(values.Value(a), values.Value(b))
	case *array.Int32:
		return cmp.Compare(values.Value(a), values.Value(b))
	}
	return 0
}
