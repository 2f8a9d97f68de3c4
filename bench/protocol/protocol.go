// SPDX-License-Identifier: Apache-2.0

// Package protocol is how the benchmark's orchestrator talks to a worker: one JSON object per line on the worker's
// standard input, one answer per line on its standard output. A worker is one process for one variant and may be
// written in any language; it times itself, since only it knows its own CPU time.
package protocol

// Request asks a worker for one thing. Operation is one of the Op constants.
type Request struct {
	Operation  string `json:"operation"`
	Case       string `json:"case,omitempty"`       // family/what/key=value/...
	Iterations int    `json:"iterations,omitempty"` // of a trial
}

// The operations of a worker.
const (
	OpHello   = "hello"   // who are you: answers Variant, SIMDLevel, Unsupported
	OpPrepare = "prepare" // build the case: answers Rows, Columns, Bytes, Digest
	OpTrial   = "trial"   // run Iterations: answers CPU, Wall, Allocs, AllocBytes, Crossings
	OpClose   = "close"   // drop the case
)

// Answer is a worker's reply. Error is text for a person; Unsupported says that the variant does not have the case,
// which is not a failure.
type Answer struct {
	Error       string `json:"error,omitempty"`
	Unsupported bool   `json:"unsupported,omitempty"`

	Variant   string `json:"variant,omitempty"`
	SIMDLevel string `json:"simd_level,omitempty"`
	Version   string `json:"version,omitempty"`
	Native    bool   `json:"native,omitempty"` // crossings are expected

	Rows    int64  `json:"rows,omitempty"`
	Columns int64  `json:"columns,omitempty"`
	Bytes   int64  `json:"bytes,omitempty"`  // read and written by one iteration
	Digest  string `json:"digest,omitempty"` // of the result; "" where there is nothing to compare

	CPUNs      int64 `json:"cpu_ns,omitempty"` // process CPU time of the whole trial
	WallNs     int64 `json:"wall_ns,omitempty"`
	Allocs     int64 `json:"allocs,omitempty"`
	AllocBytes int64 `json:"alloc_bytes,omitempty"`
	Crossings  int64 `json:"crossings,omitempty"`
	PeakBytes  int64 `json:"peak_bytes,omitempty"` // peak resident memory of the process in the trial
}
