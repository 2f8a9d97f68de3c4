// SPDX-License-Identifier: Apache-2.0

package host

import (
	"maps"
	"sync/atomic"
)

// thresholdRows is the row count from which a kernel costs less natively, measured on one core with
// results in cache. Crossing costs a fixed part per call; below these counts the portable loop ends
// before the crossing would have begun. A kernel that is not here always runs natively.
var thresholdRows = map[string]int64{}

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

func (e *Engine) threshold(kernel string) int64 {
	if rows, ok := e.settings.thresholds[kernel]; ok {
		return rows
	}
	if e.settings.strictlyNative() {
		return 0
	}
	return thresholdRows[kernel]
}
