// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"time"

	"github.com/tombolo-arrow/tombolo/host/telemetry"
)

// observe runs work and tells the collector, where there is one, before and after.
func (e *Engine) observe(
	ctx context.Context, call telemetry.Call, work func(context.Context) (rowsOut int64, err error),
) error {
	if e.collector == nil {
		_, err := work(ctx)
		return err
	}
	ctx = e.collector.Before(ctx, call)
	start := time.Now()
	rows, err := work(ctx)
	took := time.Since(start)
	if err != nil {
		e.collector.Error(ctx, call, err, took)
		return err
	}
	e.collector.After(ctx, call, telemetry.Result{RowsOut: rows, Duration: took})
	return nil
}
