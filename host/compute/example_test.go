// SPDX-License-Identifier: Apache-2.0

package compute_test

import (
	"context"
	"fmt"
	"log"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tombolo-arrow/tombolo/host"
	"github.com/tombolo-arrow/tombolo/host/compute"
)

// The ten lines of the README.
func Example() {
	ctx := context.Background()
	engine, err := host.Open(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer engine.Close()

	flights := flightBatch(engine) // built with engine.Allocator(): crosses without a copy
	defer flights.Release()

	late, err := compute.Greater(ctx, engine, flights.Column(1), compute.Literal(15))
	if err != nil {
		log.Fatal(err)
	}
	defer late.Release()

	delayed, err := compute.Filter(ctx, engine, flights, late)
	if err != nil {
		log.Fatal(err)
	}
	defer delayed.Release()

	grouping := compute.GroupBy{
		Keys: []string{"origin"},
		Aggregates: []compute.Aggregate{
			{Function: compute.Count, Name: "flights"},
			{Function: compute.Mean, Column: "delay"},
		},
	}
	result, err := grouping.Run(ctx, engine, delayed)
	if err != nil {
		log.Fatal(err)
	}
	defer result.Release()

	fmt.Println(result.Column(0), result.Column(1), result.Column(2))
	// Output: ["ORD" "ATL"] [2 1] [25 70]
}

func flightBatch(engine *host.Engine) arrow.RecordBatch {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "origin", Type: arrow.BinaryTypes.String},
		{Name: "delay", Type: arrow.PrimitiveTypes.Int64},
	}, nil)
	builder := array.NewRecordBuilder(engine.Allocator(), schema)
	defer builder.Release()

	origins := []string{"ORD", "ATL", "ORD", "ATL", "ORD"}
	builder.Field(0).(*array.StringBuilder).AppendValues(origins, nil)
	builder.Field(1).(*array.Int64Builder).AppendValues([]int64{20, 70, 30, -5, 15}, nil)
	return builder.NewRecordBatch()
}
