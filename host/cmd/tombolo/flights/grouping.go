// SPDX-License-Identifier: Apache-2.0

package flights

import (
	"context"
	"fmt"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/host"
)

// aggregate is one aggregate of a grouping; an empty column means all rows.
type aggregate struct{ function, column, name string }

// grouping is one group_by over the joined batches.
type grouping struct {
	name       string
	keys       []string
	aggregates []aggregate
	kernel     *host.Kernel
}

// The positions of the three aggregates in groupings and in Result.Tables.
const (
	ByStateMonth = iota
	ByCell
	ByRoute
)

// groupings are the aggregates of the job. The first also carries what the proof is made of: sums
// over all its groups are sums over all rows.
var groupings = []grouping{
	{
		name: "by_state_month", keys: []string{"origin_state", "month"},
		aggregates: []aggregate{
			{"count", "", "n"},
			{"mean", "delay", "mean_delay"},
			{"min", "delay", "min_delay"},
			{"max", "delay", "max_delay"},
			{"count_if", "late", "late"},
			{"sum", "miles", "miles"},
			{"count", "delay", "delays"},
			{"count", "miles", "measured"},
			{"count_if", "agrees", "agree"},
			{"sum", "delay", "delay_sum"},
			{"sum", "distance", "distance_sum"},
		},
	},
	{
		name: "by_cell", keys: []string{"cell"},
		aggregates: []aggregate{
			{"count", "", "n"},
			{"mean", "delay", "mean_delay"},
			{"mean", "origin_x", "centroid_x"},
			{"mean", "origin_y", "centroid_y"},
		},
	},
	{
		name: "by_route", keys: []string{"origin", "destination"},
		aggregates: []aggregate{
			{"count", "", "n"},
			{"mean", "delay", "mean_delay"},
		},
	},
}

// bindGrouping binds group_by to the joined columns.
func bindGrouping(
	ctx context.Context, engine *host.Engine, joined *arrow.Schema, wanted grouping,
) (*grouping, error) {
	column := func(name string) int64 { return int64(slices.Index(joinedColumns, name)) }
	var options []bridge.Option
	for _, key := range wanted.keys {
		options = append(options, bridge.Option{Name: "key", Value: column(key)})
	}
	for _, a := range wanted.aggregates {
		position := int64(-1)
		if a.column != "" {
			position = column(a.column)
		}
		options = append(options, bridge.Option{
			Name: "aggregate", Value: fmt.Sprintf("%s:%d:%s", a.function, position, a.name),
		})
	}
	kernel, err := engine.Bind(ctx, "group_by", []*arrow.Schema{joined}, options...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", wanted.name, err)
	}
	wanted.kernel = kernel
	return &wanted, nil
}
