// SPDX-License-Identifier: Apache-2.0

package host

import (
	"slices"
	"strings"

	"github.com/tombolo-arrow/tombolo/bridge"
)

// Counters counts what an engine has done since it was opened.
type Counters struct {
	Native      int64           // calls that ran natively
	Portable    int64           // calls that ran in plain Go
	Fallbacks   int64           // of those: native code is there, but does not take the types
	CopiedBytes int64           // results copied to the Go heap for ResultsOnGoHeap
	Library     bridge.Counters // the traffic of the native library
	Kernels     []KernelCounters
}

// KernelCounters counts the calls of one kernel by where they ran.
type KernelCounters struct {
	Kernel    string
	Threshold int64 // rows from which it runs natively
	Native    int64
	Portable  int64
	Fallbacks int64
}

// Counters returns what was done so far, kernels sorted by name. It is safe for concurrent use; a
// nil engine has done nothing.
func (e *Engine) Counters() Counters {
	if e == nil {
		return Counters{}
	}
	counters := Counters{CopiedBytes: e.copied.Load()}
	if e.native != nil {
		counters.Library = e.native.Counters()
	}
	e.mu.Lock()
	for name, c := range e.choices {
		counters.Kernels = append(counters.Kernels, KernelCounters{
			Kernel:    name,
			Threshold: c.threshold,
			Native:    c.native.Load(),
			Portable:  c.portable.Load(),
			Fallbacks: c.fallbacks.Load(),
		})
	}
	e.mu.Unlock()

	for _, kernel := range counters.Kernels {
		counters.Native += kernel.Native
		counters.Portable += kernel.Portable
		counters.Fallbacks += kernel.Fallbacks
	}
	slices.SortFunc(counters.Kernels, func(a, b KernelCounters) int {
		return strings.Compare(a.Kernel, b.Kernel)
	})
	return counters
}
