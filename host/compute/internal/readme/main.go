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
	engine, err := host.Open(ctx) // native where this build has it, plain Go elsewhere
	if err != nil {
		log.Fatal(err)
	}
	defer engine.Close()

	schema := arrow.NewSchema([]arrow.Field{
		{Name: "origin", Type: arrow.BinaryTypes.String}, {Name: "delay", Type: arrow.PrimitiveTypes.Int64},
	}, nil)
	rows := `[{"origin": "ORD", "delay": 20}, {"origin": "ATL", "delay": 70}, {"origin": "ORD", "delay": 30}]`
	flights, _, err := array.RecordFromJSON(engine.Allocator(), schema, strings.NewReader(rows))
	if err != nil {
		log.Fatal(err)
	}
	defer flights.Release()

	byOrigin := compute.GroupBy{Keys: []string{"origin"}, Aggregates: []compute.Aggregate{
		{Function: compute.Count, Name: "flights"}, {Function: compute.Mean, Column: "delay"},
	}}
	result, err := byOrigin.Run(ctx, engine, flights)
	if err != nil {
		log.Fatal(err)
	}
	defer result.Release()

	fmt.Println(engine.Info().Carrier, result.Columns()) // cgo [["ORD" "ATL"] [2 1] [25 70]]
}
