// SPDX-License-Identifier: Apache-2.0

package handle

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
)

const historyFrames = 16

// history keeps, in debug builds, where a struct changed hands last. In release builds it stays
// empty.
type history struct {
	mu     sync.Mutex
	placed [len(operationNames)][]uintptr
	last   []operation // in order, each once
}

func (h *Handle) record(op operation) {
	if h.history.Load() == nil {
		h.history.CompareAndSwap(nil, &history{})
	}
	h.history.Load().record(op)
}

func (h *history) record(op operation) {
	pcs := make([]uintptr, historyFrames)
	pcs = pcs[:runtime.Callers(5, pcs)]
	h.mu.Lock()
	defer h.mu.Unlock()

	h.placed[op] = pcs
	kept := h.last[:0]
	for _, other := range h.last {
		if other != op {
			kept = append(kept, other)
		}
	}
	h.last = append(kept, op)
}

// report gives the caller's stack and those of the latest changes, newest first.
func (h *history) report() string {
	if h == nil {
		return ""
	}
	pcs := make([]uintptr, historyFrames)
	pcs = pcs[:runtime.Callers(5, pcs)]
	h.mu.Lock()
	defer h.mu.Unlock()

	var text strings.Builder
	text.WriteString("now at\n" + frames(pcs))
	for i := len(h.last) - 1; i >= 0; i-- {
		fmt.Fprintf(&text, "before: %s at\n%s", operationNames[h.last[i]], frames(h.placed[h.last[i]]))
	}
	return text.String()
}

func frames(pcs []uintptr) string {
	var text strings.Builder
	list := runtime.CallersFrames(pcs)
	for more := len(pcs) > 0; more; {
		var frame runtime.Frame
		frame, more = list.Next()
		fmt.Fprintf(&text, "\t%s\n\t\t%s:%d\n", frame.Function, frame.File, frame.Line)
	}
	return text.String()
}
