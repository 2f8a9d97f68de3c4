// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/tombolo-arrow/tombolo/ownership/buildtag"
)

const (
	stackDepthMax    = 24 // frames kept of each creation
	stacksPrintedMax = 8  // live objects of one kind that a report shows
)

// trace keeps, in debug builds, where each live object was made. In release builds its methods are
// empty.
type trace struct {
	mu   sync.Mutex
	last Ticket
	live map[Ticket]origin
}

type origin struct {
	kind  Kind
	bytes int64
	pcs   []uintptr
}

// Trace keeps where an object is made whose count comes from an observer, so that reports can name
// the place. It does nothing in release builds. It is safe for concurrent use.
func (l *Ledger) Trace(kind Kind, bytes int64) Ticket { return l.trace.enter(kind, bytes) }

// Untrace forgets what Trace kept. It is safe for concurrent use.
func (l *Ledger) Untrace(ticket Ticket) { l.trace.leave(ticket) }

func (t *trace) enter(kind Kind, bytes int64) Ticket {
	if !buildtag.Debug {
		return 0
	}
	return t.record(kind, bytes)
}

func (t *trace) record(kind Kind, bytes int64) Ticket {
	pcs := make([]uintptr, stackDepthMax)
	pcs = pcs[:runtime.Callers(4, pcs)]
	t.mu.Lock()
	defer t.mu.Unlock()

	if t.live == nil {
		t.live = map[Ticket]origin{}
	}
	t.last++
	t.live[t.last] = origin{kind, bytes, pcs}
	return t.last
}

func (t *trace) leave(ticket Ticket) {
	if !buildtag.Debug || ticket == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()

	delete(t.live, ticket)
}

// stack returns where the object of a ticket was made, or "".
func (t *trace) stack(ticket Ticket) string {
	if !buildtag.Debug {
		return ""
	}
	t.mu.Lock()
	defer t.mu.Unlock()

	return frames(t.live[ticket].pcs)
}

// report lists the oldest live objects of a kind with their stacks.
func (t *trace) report(kind Kind) string {
	if !buildtag.Debug {
		return ""
	}
	t.mu.Lock()
	defer t.mu.Unlock()

	var tickets []Ticket
	for ticket, origin := range t.live {
		if origin.kind == kind {
			tickets = append(tickets, ticket)
		}
	}
	slices.Sort(tickets)
	var text strings.Builder
	for i, ticket := range tickets {
		if i == stacksPrintedMax {
			fmt.Fprintf(&text, "\n... and %d more", len(tickets)-i)
			break
		}
		origin := t.live[ticket]
		fmt.Fprintf(&text, "\n%d bytes, made at\n%s", origin.bytes, frames(origin.pcs))
	}
	return text.String()
}

func frames(pcs []uintptr) string {
	if len(pcs) == 0 {
		return ""
	}
	var text strings.Builder
	list := runtime.CallersFrames(pcs)
	for more := true; more; {
		var frame runtime.Frame
		frame, more = list.Next()
		fmt.Fprintf(&text, "\t%s\n\t\t%s:%d\n", frame.Function, frame.File, frame.Line)
	}
	return text.String()
}
