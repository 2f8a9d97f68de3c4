// SPDX-License-Identifier: Apache-2.0

// The example of the README, which a test keeps equal to this file.
package main

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

func main() {
	ctx := context.Background()
	engine := must(host.Open(ctx))
	defer engine.Close()

	flights := must(readFlights(engine)) // in engine memory: crosses without a copy
	defer flights.Release()

	late := must(compute.Greater(ctx, engine, flights.Column(1), compute.Literal(15)))
	defer late.Release()

	delayed := must(compute.Filter(ctx, engine, flights, late))
	defer delayed.Release()

	result := must(compute.GroupBy{
		Keys:       []string{"origin"},
		Aggregates: []compute.Aggregate{{Function: compute.Mean, Column: "delay"}},
	}.Run(ctx, engine, delayed))
	defer result.Release()

	fmt.Println(result.Column(0), result.Column(1))
}

func readFlights(engine *host.Engine) (arrow.RecordBatch, error) {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "origin", Type: arrow.BinaryTypes.String},
		{Name: "delay", Type: arrow.PrimitiveTypes.Int64},
	}, nil)
	text := strings.NewReader(`[{"origin": "ORD", "delay": 20}, {"origin": "ATL", "delay": 70},
		{"origin": "ORD", "delay": 30}, {"origin": "ATL", "delay": -5}]`)
	batch, _, err := array.RecordFromJSON(engine.Allocator(), schema, text)
	return batch, err
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
