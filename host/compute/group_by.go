// SPDX-License-Identifier: Apache-2.0

package compute

import (
	"context"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/host"
	"github.com/tombolo-arrow/tombolo/host/internal/input"
)

// Function is an aggregate function.
type Function string

// The aggregate functions.
const (
	Count   Function = "count"    // rows that are not null; all rows without a column
	CountIf Function = "count_if" // rows of a bool column that are true
	Sum     Function = "sum"      // int64 or uint64, which wrap; float64, compensated
	Mean    Function = "mean"     // float64
	Min     Function = "min"
	Max     Function = "max"
)

// Aggregate is one aggregate of a grouping.
type Aggregate struct {
	Function Function
	Column   string // "" counts all rows, with Count
	// Name is that of the result column; "" gives the function, an underscore and the column. No two
	// columns of a result may have one name, keys included (ErrInvalid).
	Name string
}

// GroupBy describes a grouping: one row of the result for each distinct combination of the keys, in
// order of first appearance, with the key columns first. A null is a key like any other.
type GroupBy struct {
	Keys       []string // one or two columns: integer, date, timestamp, bool or text
	Aggregates []Aggregate
}

// Run groups one batch.
func (g GroupBy) Run(
	ctx context.Context, engine *host.Engine, batch arrow.RecordBatch,
) (arrow.RecordBatch, error) {
	if input.IsNil(batch) {
		return nil, fail(bridge.CodeInvalid, groupBy, "the batch is nil")
	}
	options, err := g.options(batch.Schema())
	if err != nil {
		return nil, err
	}
	bind := func(ctx context.Context) (*Kernel, error) {
		return engine.Bind(ctx, groupBy, []*arrow.Schema{batch.Schema()}, options...)
	}
	return engine.Call(ctx, host.Key{Kernel: groupBy, Options: optionText(options)}, bind, batch)
}

// Bind resolves the grouping for batches of a schema. The grouping is the caller's to release.
func (g GroupBy) Bind(
	ctx context.Context, engine *host.Engine, schema *arrow.Schema,
) (*Grouping, error) {
	if schema == nil {
		return nil, fail(bridge.CodeInvalid, groupBy, "the schema is nil")
	}
	options, err := g.options(schema)
	if err != nil {
		return nil, err
	}
	kernel, err := engine.Bind(ctx, groupBy, []*arrow.Schema{schema}, options...)
	if err != nil {
		return nil, err
	}
	return &Grouping{kernel: kernel}, nil
}

// Grouping is a bound GroupBy. It is safe for concurrent use; each goroutine opens its own
// [Groups].
type Grouping struct{ kernel *Kernel }

// Output is the schema of the result; nil for a nil grouping.
func (g *Grouping) Output() *arrow.Schema {
	if g == nil {
		return nil
	}
	return g.kernel.Output()
}

// Release gives up the grouping; open groups keep what they need. A second call does nothing.
func (g *Grouping) Release() {
	if g != nil {
		g.kernel.Release()
	}
}

// Groups gathers batches. It belongs to one goroutine at a time and is the caller's to close.
type Groups struct{ state *host.State }

// Open starts with no groups.
func (g *Grouping) Open(ctx context.Context) (*Groups, error) {
	if g == nil {
		return nil, fail(bridge.CodeInvalid, groupBy, "the grouping is nil")
	}
	state, err := g.kernel.NewState(ctx)
	if err != nil {
		return nil, err
	}
	return &Groups{state: state}, nil
}

// Consume adds the rows of a batch of the bound schema, which stays the caller's.
func (g *Groups) Consume(ctx context.Context, batch arrow.RecordBatch) error {
	return g.inside().Consume(ctx, batch)
}

// Merge adds the groups of other, of the same grouping, after those that are here, and leaves other
// empty; other must still be closed. Merging in a fixed order gives the same bits in every run.
func (g *Groups) Merge(ctx context.Context, other *Groups) error {
	return g.inside().Merge(ctx, other.inside())
}

// Finish gives the result, which is the caller's to release, and starts again with no groups.
func (g *Groups) Finish(ctx context.Context) (arrow.RecordBatch, error) {
	return g.inside().Finish(ctx)
}

// Close frees the groups. A second call does nothing.
func (g *Groups) Close() { g.inside().Close() }

// inside is nil for nil groups: methods of a nil state fail with a typed error.
func (g *Groups) inside() *host.State {
	if g == nil {
		return nil
	}
	return g.state
}

const groupBy = "group_by"

// options resolves column names to numbers.
func (g GroupBy) options(schema *arrow.Schema) ([]bridge.Option, error) {
	options := make([]bridge.Option, 0, len(g.Keys)+len(g.Aggregates))
	for _, key := range g.Keys {
		column, err := columnNumber(schema, key)
		if err != nil {
			return nil, err
		}
		options = append(options, bridge.Option{Name: "key", Value: int64(column)})
	}
	for _, aggregate := range g.Aggregates {
		column, err := -1, error(nil)
		if aggregate.Column != "" || aggregate.Function != Count {
			column, err = columnNumber(schema, aggregate.Column)
		}
		if err != nil {
			return nil, err
		}
		text := string(aggregate.Function) + ":" + strconv.Itoa(column) + ":" + aggregate.name()
		options = append(options, bridge.Option{Name: "aggregate", Value: text})
	}
	return options, nil
}

func (a Aggregate) name() string {
	switch {
	case a.Name != "":
		return a.Name
	case a.Column == "":
		return string(a.Function)
	}
	return string(a.Function) + "_" + a.Column
}

// columnNumber finds a column by its name, which must be there once.
func columnNumber(schema *arrow.Schema, name string) (int, error) {
	switch found := schema.FieldIndices(name); len(found) {
	case 1:
		return found[0], nil
	case 0:
		return 0, fail(bridge.CodeInvalid, groupBy, "no column of this name: "+name)
	}
	return 0, fail(bridge.CodeInvalid, groupBy, "more than one column of this name: "+name)
}

// optionText spells options out for a cache key.
func optionText(options []bridge.Option) string {
	var text strings.Builder
	for _, option := range options {
		text.WriteString(option.Name)
		text.WriteByte('=')
		switch value := option.Value.(type) {
		case int64:
			text.WriteString(strconv.FormatInt(value, 10))
		case string:
			text.WriteString(strconv.Quote(value))
		}
		text.WriteByte(';')
	}
	return text.String()
}
