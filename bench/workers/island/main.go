// SPDX-License-Identifier: Apache-2.0

// Command island is the benchmark's worker for tombolo itself. Its first argument is the variant: a carrier (cgo,
// dlopen, portable), auto for the engine's own choice per batch, or floor and floor+dlopen.
package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tombolo-arrow/tombolo/bench/batches"
	"github.com/tombolo-arrow/tombolo/bench/protocol"
	"github.com/tombolo-arrow/tombolo/host"
)

type worker struct {
	variant string
	engine  *host.Engine
}

func newWorker(ctx context.Context, variant string) (*worker, error) {
	var options []host.Option
	switch variant {
	case "floor", "auto":
	case "floor+dlopen":
		options = append(options, host.WithCarrier("dlopen"))
	default:
		options = append(options, host.WithCarrier(variant))
	}
	if variant == "cgo" || variant == "dlopen" {
		// Every batch crosses, however small: the benchmark shows where that does not pay.
		for kernel := range host.Thresholds() {
			options = append(options, host.Threshold(kernel, 0))
		}
	}
	engine, err := host.Open(ctx, options...)
	if err != nil {
		return nil, err
	}
	return &worker{variant, engine}, nil
}

func (w *worker) Hello() protocol.Answer {
	info := w.engine.Info()
	return protocol.Answer{
		Variant: w.variant, SIMDLevel: info.SIMDLevel.String(), Version: info.Version, Native: info.Native,
	}
}

func (w *worker) crossings() int64 { return w.engine.Counters().Library.Crossings }

func (w *worker) Prepare(c protocol.Case) (*protocol.Prepared, error) {
	switch {
	case strings.HasPrefix(w.variant, "floor"):
		if c.Family != "roundtrip" || c.Text("mem", "arena") != "arena" {
			return nil, protocol.ErrUnsupported
		}
		return prepareFloor(c)
	case c.Family == "roundtrip":
		return w.prepareRoundtrip(c)
	case c.Family == "kernel":
		return w.prepareKernel(c)
	case c.Family == "job":
		return w.prepareJob(c)
	}
	return nil, protocol.ErrUnsupported
}

// prepareRoundtrip crosses with one batch to a consumer that reads every struct field.
func (w *worker) prepareRoundtrip(c protocol.Case) (*protocol.Prepared, error) {
	var allocator memory.Allocator = w.engine.Allocator()
	placement := c.Text("mem", "arena")
	if placement != "arena" {
		allocator = memory.NewGoAllocator()
	}
	columns, rows := c.Int("cols", 8), c.Int("rows", 1024)
	ctx := context.Background()
	batch := batches.Mixed(allocator, columns, rows, c.Int("nulls", 0))
	kernel, err := w.engine.Bind(ctx, "touch", []*arrow.Schema{batch.Schema()})
	if err != nil {
		return nil, err
	}
	state, err := kernel.NewState(ctx)
	if err != nil {
		return nil, err
	}
	consume := func() error { return state.Consume(ctx, batch) }
	if placement == "copied" {
		consume = func() error { return consumeCopy(ctx, state, batch, w.engine.Allocator()) }
	}
	if err := consume(); err != nil {
		return nil, err
	}
	result, err := state.Finish(ctx)
	if err != nil {
		return nil, err
	}
	defer result.Release()

	return &protocol.Prepared{
		Rows: int64(rows), Columns: int64(columns), Bytes: batches.Bytes(batch),
		Digest: strconv.FormatInt(result.Column(0).(*array.Int64).Value(0), 10),
		Run:    consume, Crossings: w.crossings,
		Close: func() {
			state.Close()
			kernel.Release()
			batch.Release()
		},
	}, nil
}

// consumeCopy is what a batch on the Go heap costs when it must outlive the call: one copy into the arena.
func consumeCopy(ctx context.Context, state *host.State, batch arrow.RecordBatch, allocator memory.Allocator) error {
	columns := make([]arrow.Array, batch.NumCols())
	for i, column := range batch.Columns() {
		columns[i] = copyColumn(column.Data(), allocator)
	}
	copied := array.NewRecordBatch(batch.Schema(), columns, batch.NumRows())
	defer copied.Release()

	for _, column := range columns {
		column.Release()
	}
	return state.Consume(ctx, copied)
}

func copyColumn(data arrow.ArrayData, allocator memory.Allocator) arrow.Array {
	buffers := make([]*memory.Buffer, len(data.Buffers()))
	for i, buffer := range data.Buffers() {
		if buffer == nil {
			continue
		}
		buffers[i] = memory.NewResizableBuffer(allocator)
		buffers[i].Resize(buffer.Len())
		copy(buffers[i].Bytes(), buffer.Bytes())
	}
	copied := array.NewData(data.DataType(), data.Len(), buffers, nil, data.NullN(), data.Offset())
	defer copied.Release()

	for _, buffer := range buffers {
		if buffer != nil {
			buffer.Release()
		}
	}
	return array.MakeFromData(copied)
}

func main() {
	variant := "cgo"
	if len(os.Args) > 1 {
		variant = os.Args[1]
	}
	worker, err := newWorker(context.Background(), variant)
	if err == nil {
		defer worker.engine.Close()
		err = protocol.Serve(worker)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "island worker:", err)
		os.Exit(1)
	}
}
