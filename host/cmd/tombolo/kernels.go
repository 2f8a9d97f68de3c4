// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/tombolo-arrow/tombolo/host/telemetry"
)

// kernelTimes adds up what the engine reports of its calls, for --stats. It is safe for concurrent
// use.
type kernelTimes struct {
	mu    sync.Mutex
	spent map[kernelCall]*kernelTime
}

type kernelCall struct{ kernel, carrier string }

type kernelTime struct {
	calls, rows int64
	spent       time.Duration
}

var _ telemetry.Collector = (*kernelTimes)(nil)

func newKernelTimes() *kernelTimes { return &kernelTimes{spent: map[kernelCall]*kernelTime{}} }

// Before adds nothing to the context.
func (k *kernelTimes) Before(ctx context.Context, _ telemetry.Call) context.Context { return ctx }

// After books a call that works on rows.
func (k *kernelTimes) After(_ context.Context, call telemetry.Call, result telemetry.Result) {
	if call.Operation != telemetry.Run && call.Operation != telemetry.Consume {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()

	key := kernelCall{call.Kernel, call.Carrier}
	if k.spent[key] == nil {
		k.spent[key] = &kernelTime{}
	}
	k.spent[key].calls++
	k.spent[key].rows += call.RowsIn
	k.spent[key].spent += result.Duration
}

// Error books nothing: the command fails.
func (k *kernelTimes) Error(context.Context, telemetry.Call, error, time.Duration) {}

// print lists the kernels, the most expensive first.
func (k *kernelTimes) print(out io.Writer) {
	k.mu.Lock()
	defer k.mu.Unlock()

	keys := make([]kernelCall, 0, len(k.spent))
	for key := range k.spent {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b kernelCall) int {
		return cmp.Or(cmp.Compare(k.spent[b].spent, k.spent[a].spent),
			cmp.Compare(a.kernel, b.kernel), cmp.Compare(a.carrier, b.carrier))
	})
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "kernel\tcarrier\tcalls\ttime\trows/s\t\n")
	for _, key := range keys {
		time := k.spent[key]
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t\n", key.kernel, key.carrier,
			grouped(time.calls), rounded(time.spent), rate(time.rows, time.spent))
	}
	table.Flush()
}
