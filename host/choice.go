// SPDX-License-Identifier: Apache-2.0

package host

import (
	"maps"
	"slices"
	"sync/atomic"

	"github.com/tombolo-arrow/tombolo/bridge"
)

// thresholdRows is the row count from which a kernel costs less natively: where the lines of
// BenchmarkBreakEven in host/compute cross, in CPU time of whole calls, results in cache, AVX-512.
// Crossing costs about a microsecond more than a call in plain Go; what a row saves decides where
// that comes back. Kernels that are not here cross for free or nearly so (arithmetic, comparisons,
// where the portable form has a fixed cost of its own) or save most from the first rows on
// (group_by): they always run natively.
var thresholdRows = map[string]int64{
	"cast":                  256,
	"filter":                128,
	"great_circle_distance": 32,
	"grid_cell":             256,
	"index_in":              256,
	"month":                 128,
	"take":                  64,
	"web_mercator_forward":  192,
	"web_mercator_inverse":  256,
}

// Thresholds returns the default row counts from which kernels run natively; kernels that are
// absent always do. The map is the caller's. [Threshold] overrides one of them.
func Thresholds() map[string]int64 { return maps.Clone(thresholdRows) }

// choice is what an engine knows of one kernel: its threshold and how often each side was taken.
type choice struct {
	threshold int64
	native    atomic.Int64
	portable  atomic.Int64
	fallbacks atomic.Int64
}

// choiceOf returns the one choice of a kernel name.
func (e *Engine) choiceOf(kernel string) *choice {
	e.mu.Lock()
	defer e.mu.Unlock()

	c := e.choices[kernel]
	if c == nil {
		c = &choice{threshold: e.threshold(kernel)}
		e.choices[kernel] = c
	}
	return c
}

// checkThresholds refuses a threshold of a kernel that no library of the engine has.
func (e *Engine) checkThresholds() error {
	if len(e.settings.thresholds) == 0 {
		return nil
	}
	known := e.portable.Kernels()
	if e.native != nil {
		known = slices.Concat(known, e.native.Kernels())
	}
	for kernel := range e.settings.thresholds {
		if !slices.ContainsFunc(known, func(k bridge.KernelInfo) bool { return k.Name == kernel }) {
			return invalid("open: a threshold of a kernel that is not there: " + kernel)
		}
	}
	return nil
}

func (e *Engine) threshold(kernel string) int64 {
	if rows, ok := e.settings.thresholds[kernel]; ok {
		return rows
	}
	if e.settings.strictlyNative() {
		return 0
	}
	return thresholdRows[kernel]
}
