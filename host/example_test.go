// SPDX-License-Identifier: Apache-2.0

package host_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tombolo-arrow/tombolo/host"
	"github.com/tombolo-arrow/tombolo/host/compute"
)

func ExampleOpen() {
	engine, err := host.Open(context.Background(), host.ForbidNative(), host.BytesMax(1<<30))
	if err != nil {
		log.Fatal(err) // names every carrier with the reason why it was not taken
	}
	defer engine.Close()

	fmt.Println(engine.Info().Carrier)
	// Output: portable
}

// Programs that never call Release let results be copied to the Go heap once.
func ExampleResultsOnGoHeap() {
	ctx := context.Background()
	engine, err := host.Open(ctx, host.ResultsOnGoHeap())
	if err != nil {
		log.Fatal(err)
	}
	defer engine.Close()

	column, _, err := array.FromJSON(
		memory.DefaultAllocator, arrow.PrimitiveTypes.Int64, strings.NewReader("[-1, 2]"))
	if err != nil {
		log.Fatal(err)
	}
	result, err := compute.Abs(ctx, engine, column)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result)
	// Output: [1 2]
}
