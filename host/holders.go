// SPDX-License-Identifier: Apache-2.0

package host

import "sync/atomic"

// holders counts who holds a thing that goes with its last holder.
type holders struct{ count atomic.Int64 }

// take takes a further hold, or returns false when the last one is gone.
func (h *holders) take() bool {
	for {
		count := h.count.Load()
		if count == 0 {
			return false
		}
		if h.count.CompareAndSwap(count, count+1) {
			return true
		}
	}
}

// drop gives up a hold and says whether it was the last.
func (h *holders) drop() bool { return h.count.Add(-1) == 0 }
