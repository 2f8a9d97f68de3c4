// SPDX-License-Identifier: Apache-2.0

// Package telemetry is how an engine tells a program what its kernels do. The engine calls a
// [Collector] around each kernel call; where none is given, nothing is measured and nothing is
// paid. The package imports nothing of this module, so that adapters for logs, metrics and traces
// need only it.
package telemetry

import (
	"context"
	"time"
)

// Operation is what a call does with a kernel.
type Operation string

// The operations that an engine reports.
const (
	Bind    Operation = "bind"    // a kernel is resolved for schemas
	Prepare Operation = "prepare" // an object is made; Kernel is then its kind
	Run     Operation = "run"     // a map kernel runs on a batch
	Consume Operation = "consume" // a state takes a batch
	Merge   Operation = "merge"   // a state takes another state
	Finish  Operation = "finish"  // a state gives its result
	Push    Operation = "push"    // an emitter takes a batch
)

// Call describes one call. It holds names and counts, never a data value.
type Call struct {
	Kernel    string
	Operation Operation
	Carrier   string // the carrier that was chosen: "cgo", "portable", ...
	RowsIn    int64  // rows of the first input, or 0
}

// Result describes what a call that succeeded gave.
type Result struct {
	RowsOut  int64
	Duration time.Duration
}

// Collector hears of kernel calls. Its methods run on the goroutine of the caller, inside the call,
// and must be safe for concurrent use; they should return soon and must not call the engine.
type Collector interface {
	// Before runs ahead of the call. The context it returns, which may be the one it got, goes to
	// the kernel and to After or Error: a place for a span.
	Before(ctx context.Context, call Call) context.Context

	// After runs when the call has succeeded.
	After(ctx context.Context, call Call, result Result)

	// Error runs when the call has failed. The error holds no data value.
	Error(ctx context.Context, call Call, err error, duration time.Duration)
}
