// SPDX-License-Identifier: Apache-2.0

// Command arrowgo is the benchmark's worker for arrow-go's own compute package.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/compute"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tombolo-arrow/tombolo/bench/batches"
	"github.com/tombolo-arrow/tombolo/bench/protocol"
)

type worker struct{}

func (worker) Hello() protocol.Answer {
	return protocol.Answer{Variant: "arrow-go", Version: arrow.PkgVersion}
}

func (worker) Prepare(c protocol.Case) (*protocol.Prepared, error) {
	if c.Family != "kernel" {
		return nil, protocol.ErrUnsupported
	}
	ctx := compute.WithAllocator(context.Background(), memory.NewGoAllocator())
	rows := c.Int("rows", 1024)
	batch := batches.Measures(memory.NewGoAllocator(), rows, c.Int("nulls", 10))
	run, err := call(ctx, c.What, batch)
	if err != nil {
		batch.Release()
		return nil, err
	}
	return &protocol.Prepared{
		Rows: int64(rows), Columns: batch.NumCols(), Bytes: batches.Bytes(batch), Run: run, Close: batch.Release,
	}, nil
}

func call(ctx context.Context, what string, batch arrow.RecordBatch) (func() error, error) {
	arguments := func(values ...any) []compute.Datum {
		data := make([]compute.Datum, len(values))
		for i, value := range values {
			data[i] = compute.NewDatum(value)
		}
		return data
	}
	switch what {
	case "less":
		data := arguments(batch.Column(0), int64(500))
		return func() error { return release(compute.CallFunction(ctx, "less", nil, data...)) }, nil
	case "filter":
		data := arguments(batch, batch.Column(3))
		options := compute.DefaultFilterOptions()
		return func() error { return release(compute.CallFunction(ctx, "filter", options, data...)) }, nil
	}
	return nil, protocol.ErrUnsupported
}

func release(result compute.Datum, err error) error {
	if err == nil {
		result.Release()
	}
	return err
}

func main() {
	if err := protocol.Serve(worker{}); err != nil {
		fmt.Fprintln(os.Stderr, "arrowgo worker:", err)
		os.Exit(1)
	}
}
