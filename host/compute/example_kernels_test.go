// SPDX-License-Identifier: Apache-2.0

package compute_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tombolo-arrow/tombolo/host"
	"github.com/tombolo-arrow/tombolo/host/compute"
)

func open() (context.Context, *host.Engine) {
	ctx := context.Background()
	return ctx, must(host.Open(ctx))
}

func numbers(engine *host.Engine, text string) arrow.Array {
	column, _, err := array.FromJSON(
		engine.Allocator(), arrow.PrimitiveTypes.Int64, strings.NewReader(text))
	return must(column, err)
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func ExampleLess() {
	ctx, engine := open()
	defer engine.Close()

	column := numbers(engine, "[1, null, 3]")
	defer column.Release()

	small := must(compute.Less(ctx, engine, column, compute.Literal(2)))
	defer small.Release()

	fmt.Println(small)
	// Output: [true (null) false]
}

// A loop binds the kernel once and runs it on each batch.
func ExampleBindArithmetic() {
	ctx, engine := open()
	defer engine.Close()

	double := must(compute.BindArithmetic(ctx, engine, compute.DoAdd, arrow.PrimitiveTypes.Int64, nil))
	defer double.Release()

	for _, text := range []string{"[1, 2]", "[3, null]"} {
		column := numbers(engine, text)
		result := must(double.RunColumns(ctx, column, column))
		fmt.Println(result.Column(0))
		result.Release()
		column.Release()
	}
	// Output:
	// [2 4]
	// [6 (null)]
}

// A value set and a reference join a column of keys to a table.
func ExampleIndexIn() {
	ctx, engine := open()
	defer engine.Close()

	keys, names := numbers(engine, "[10, 20, 30]"), numbers(engine, "[1, 2, 3]")
	defer keys.Release()
	defer names.Release()

	set := must(compute.NewValueSet(ctx, engine, keys))
	defer set.Release()

	probe := numbers(engine, "[30, 40, 10]")
	defer probe.Release()

	rows := must(compute.IndexIn(ctx, engine, probe, set))
	defer rows.Release()

	joined := must(compute.TakeColumn(ctx, engine, names, rows))
	defer joined.Release()

	fmt.Println(rows, joined)
	// Output: [2 (null) 0] [3 (null) 1]
}

// Several goroutines gather groups of their own, which are merged in a fixed order.
func ExampleGroupBy() {
	ctx, engine := open()
	defer engine.Close()

	flights := flightBatch(engine)
	defer flights.Release()

	grouping := must(compute.GroupBy{
		Keys:       []string{"origin"},
		Aggregates: []compute.Aggregate{{Function: compute.Max, Column: "delay", Name: "worst"}},
	}.Bind(ctx, engine, flights.Schema()))
	defer grouping.Release()

	total, part := must(grouping.Open(ctx)), must(grouping.Open(ctx))
	defer total.Close()
	defer part.Close()

	for _, groups := range []*compute.Groups{total, part} {
		if err := groups.Consume(ctx, flights); err != nil {
			log.Fatal(err)
		}
	}
	if err := total.Merge(ctx, part); err != nil {
		log.Fatal(err)
	}
	result := must(total.Finish(ctx))
	defer result.Release()

	fmt.Println(result.Schema().Field(1).Name, result.Column(0), result.Column(1))
	// Output: worst ["ORD" "ATL"] [30 70]
}
