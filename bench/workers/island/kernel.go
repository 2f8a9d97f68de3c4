// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tombolo-arrow/tombolo/bench/batches"
	"github.com/tombolo-arrow/tombolo/bench/protocol"
	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/host/compute"
)

// prepareKernel runs one bound kernel on one batch of the columns id, value and group, over and over.
func (w *worker) prepareKernel(c protocol.Case) (*protocol.Prepared, error) {
	ctx := context.Background()
	rows := c.Int("rows", 1024)
	batch := batches.Measures(w.engine.Allocator(), rows, c.Int("nulls", 10))
	run, free, err := w.bindKernel(ctx, c.What, batch)
	if err != nil {
		batch.Release()
		return nil, err
	}
	return &protocol.Prepared{
		Rows: int64(rows), Columns: batch.NumCols(), Bytes: batches.Bytes(batch),
		Run: run, Crossings: w.crossings,
		Close: func() {
			free()
			batch.Release()
		},
	}, nil
}

func (w *worker) bindKernel(ctx context.Context, what string, batch arrow.RecordBatch) (
	run func() error, free func(), err error,
) {
	id, mask := batch.Column(0), batch.Column(3)
	switch what {
	case "less":
		kernel, err := compute.BindCompare(ctx, w.engine, compute.IsLess, id.DataType(), compute.Literal(int64(500)))
		if err != nil {
			return nil, nil, err
		}
		return func() error { return release(kernel.RunColumns(ctx, id)) }, kernel.Release, nil
	case "filter":
		kernel, err := compute.BindFilter(ctx, w.engine, batch.Schema(), compute.DropNulls)
		if err != nil {
			return nil, nil, err
		}
		return func() error { return release(kernel.RunWith(ctx, batch, mask)) }, kernel.Release, nil
	case "group_by":
		return w.bindGroupBy(ctx, batch)
	}
	return nil, nil, protocol.ErrUnsupported
}

func (w *worker) bindGroupBy(ctx context.Context, batch arrow.RecordBatch) (func() error, func(), error) {
	kernel, err := w.engine.Bind(ctx, "group_by", []*arrow.Schema{batch.Schema()},
		bridge.Option{Name: "key", Value: int64(2)}, bridge.Option{Name: "aggregate", Value: "sum:1:total"})
	if err != nil {
		return nil, nil, err
	}
	run := func() error {
		state, err := kernel.NewState(ctx)
		if err != nil {
			return err
		}
		defer state.Close()

		if err := state.Consume(ctx, batch); err != nil {
			return err
		}
		return release(state.Finish(ctx))
	}
	return run, kernel.Release, nil
}

func release(result arrow.RecordBatch, err error) error {
	if err == nil {
		result.Release()
	}
	return err
}
