// SPDX-License-Identifier: Apache-2.0

package flights

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/host"
)

// step is one kernel call on named columns. A result may take the name of an earlier column, which
// it then stands for.
type step struct {
	kernel  string
	inputs  []string
	outputs []string
	options []bridge.Option
}

// joinedColumns are the columns of a joined batch, in order.
var joinedColumns = []string{
	"date", "delay", "distance", "origin", "destination", "origin_state", "destination_state",
	"month", "miles", "error_miles", "late", "agrees", "cell",
	"origin_x", "origin_y", "destination_x", "destination_y",
}

// steps is the job up to its aggregates. Left joins are index_in, which gives a null for a key that
// the reference does not have, and take, which makes nulls of it.
func steps(events *arrow.Schema, set, airports, late, agree *host.Object) []step {
	var list []step
	if delay := events.Field(1).Type; delay.ID() != arrow.INT64 {
		list = append(list, step{"cast", []string{"delay"}, []string{"delay"}, to(arrow.INT64)})
	}
	if distance := events.Field(2).Type; arrow.IsInteger(distance.ID()) {
		if distance.ID() != arrow.INT64 {
			list = append(list,
				step{"cast", []string{"distance"}, []string{"distance"}, to(arrow.INT64)})
		}
		list = append(list,
			step{"cast", []string{"distance"}, []string{"given"}, to(arrow.FLOAT64)})
	} else {
		list = append(list,
			step{"cast", []string{"distance"}, []string{"distance"}, to(arrow.FLOAT64)},
			step{"cast", []string{"distance"}, []string{"given"}, to(arrow.FLOAT64)})
	}
	for _, end := range []string{"origin", "destination"} {
		list = append(list,
			step{"index_in", []string{end}, []string{end + "_row"},
				[]bridge.Option{{Name: "value_set", Value: set}}},
			step{"take", []string{end + "_row"},
				[]string{end + "_state", end + "_latitude", end + "_longitude"},
				[]bridge.Option{{Name: "values", Value: airports}}},
			step{"web_mercator_forward", []string{end + "_longitude", end + "_latitude"},
				[]string{end + "_x", end + "_y"}, nil})
	}
	return append(list,
		step{"great_circle_distance", []string{"origin_latitude", "origin_longitude",
			"destination_latitude", "destination_longitude"}, []string{"miles"}, nil},
		step{"subtract", []string{"miles", "given"}, []string{"difference"}, nil},
		step{"abs", []string{"difference"}, []string{"error_miles"}, nil},
		// A distance below zero agrees with nothing; divided by itself it would agree with all.
		step{"abs", []string{"given"}, []string{"magnitude"}, nil},
		step{"divide", []string{"error_miles", "magnitude"}, []string{"fraction"}, nil},
		step{"less_equal", []string{"fraction"}, []string{"agrees"},
			[]bridge.Option{{Name: "right", Value: agree}}},
		step{"greater", []string{"delay"}, []string{"late"},
			[]bridge.Option{{Name: "right", Value: late}}},
		step{"month", []string{"date"}, []string{"month"}, nil},
		step{"grid_cell", []string{"origin_x", "origin_y"}, []string{"cell"},
			[]bridge.Option{{Name: "size", Value: float64(cellMetres)}}},
	)
}

func to(id arrow.Type) []bridge.Option {
	typ := arrow.DataType(arrow.PrimitiveTypes.Float64)
	if id == arrow.INT64 {
		typ = arrow.PrimitiveTypes.Int64
	}
	return []bridge.Option{{Name: "to", Value: typ}}
}

// plan is the list of steps bound to types: names are slots now. It is immutable.
type plan struct {
	events *arrow.Schema
	calls  []call
	slots  int
	joined []int // slot of each column of output
	output *arrow.Schema
}

// call is a bound step.
type call struct {
	kernel  *host.Kernel
	names   []string // of the inputs
	schema  *arrow.Schema
	inputs  []int
	outputs []int
}

func bindPlan(
	ctx context.Context, engine *host.Engine, events *arrow.Schema, list []step,
) (*plan, error) {
	p := &plan{events: events}
	names := map[string]int{}
	var fields []arrow.Field // by slot
	define := func(name string, field arrow.Field) int {
		names[name] = p.slots
		field.Name = name
		fields = append(fields, field)
		p.slots++
		return p.slots - 1
	}
	for _, field := range events.Fields() {
		field.Nullable = true
		define(field.Name, field)
	}
	for _, step := range list {
		bound := call{names: step.inputs}
		var inputs []arrow.Field
		for _, name := range step.inputs {
			bound.inputs = append(bound.inputs, names[name])
			inputs = append(inputs, fields[names[name]])
		}
		bound.schema = arrow.NewSchema(inputs, nil)
		kernel, err := engine.Bind(ctx, step.kernel, []*arrow.Schema{bound.schema}, step.options...)
		if err != nil {
			p.release()
			return nil, fmt.Errorf("column %s: %w", strings.Join(step.inputs, ", "), err)
		}
		bound.kernel = kernel
		for i, name := range step.outputs {
			bound.outputs = append(bound.outputs, define(name, kernel.Output().Field(i)))
		}
		p.calls = append(p.calls, bound)
	}
	var joined []arrow.Field
	for _, name := range joinedColumns {
		p.joined = append(p.joined, names[name])
		joined = append(joined, fields[names[name]])
	}
	p.output = arrow.NewSchema(joined, nil)
	return p, nil
}

func (p *plan) release() {
	for _, call := range p.calls {
		call.kernel.Release()
	}
}

// run computes the joined batch of a batch of events, which stays the caller's; the result is the
// caller's to release. It may run on several goroutines at once.
func (p *plan) run(ctx context.Context, events arrow.RecordBatch) (arrow.RecordBatch, error) {
	columns := make([]arrow.Array, p.slots)
	defer func() {
		for _, column := range columns {
			if column != nil {
				column.Release()
			}
		}
	}()
	for i := range events.Columns() {
		columns[i] = events.Column(i)
		columns[i].Retain()
	}
	for i := range p.calls {
		if err := p.calls[i].run(ctx, columns, events.NumRows()); err != nil {
			return nil, err
		}
	}
	joined := make([]arrow.Array, 0, len(p.joined))
	for _, slot := range p.joined {
		joined = append(joined, columns[slot])
	}
	return array.NewRecordBatch(p.output, joined, events.NumRows()), nil
}

// run fills the output slots.
func (c *call) run(ctx context.Context, columns []arrow.Array, rows int64) error {
	inputs := make([]arrow.Array, 0, len(c.inputs))
	for _, slot := range c.inputs {
		inputs = append(inputs, columns[slot])
	}
	batch := array.NewRecordBatch(c.schema, inputs, rows)
	defer batch.Release()

	result, err := c.kernel.Run(ctx, batch)
	if err != nil {
		return c.refusal(err)
	}
	defer result.Release()

	for i, slot := range c.outputs {
		columns[slot] = result.Column(i)
		columns[slot].Retain()
	}
	return nil
}

// refusal names the column that a kernel gives by its position.
func (c *call) refusal(err error) error {
	var refused *bridge.Error
	if !errors.As(err, &refused) || refused.Argument > 0 ||
		refused.Column < 0 || refused.Column >= len(c.names) {
		return err
	}
	unplaced := *refused
	unplaced.Column = -1
	return &ColumnError{Column: c.names[refused.Column], Err: &unplaced}
}
