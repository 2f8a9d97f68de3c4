// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"fmt"
	"os"
	"sync/atomic"

	"github.com/tombolo-arrow/tombolo/ownership/buildtag"
)

type leakCount struct {
	objects  atomic.Int64
	bytes    atomic.Int64
	reported atomic.Int64 // objects that a VerifyEmpty has named already
}

// Leak tells of one object that its owner forgot and a runtime cleanup freed.
type Leak struct {
	Kind  Kind
	Bytes int64
	Stack string // where it was made; empty in release builds
}

// Leaked counts an object as leaked and removes it: runtime cleanups call it, when they free what
// somebody forgot. Bytes and ticket are those of its Add. In debug builds the leak is reported with
// its stack, to the function of [Ledger.OnLeak] or else to standard error. It is safe for
// concurrent use.
func (l *Ledger) Leaked(kind Kind, bytes int64, ticket Ticket) {
	stack := l.trace.stack(ticket)
	l.leaks[kind].objects.Add(1)
	l.leaks[kind].bytes.Add(bytes)
	l.Remove(kind, bytes, ticket)
	leak := Leak{Kind: kind, Bytes: bytes, Stack: stack}
	if report := l.onLeak.Load(); report != nil {
		(*report)(leak)
	} else if buildtag.Debug {
		fmt.Fprintf(os.Stderr, "tombolo: leaked one of %v, made at\n%s", kind, stack)
	}
}

// OnLeak sets the function that hears of each leak; nil restores the default. It runs on the
// runtime's cleanup goroutine, must return soon and must not read the ledger. It is safe for
// concurrent use.
func (l *Ledger) OnLeak(report func(Leak)) {
	if report == nil {
		l.onLeak.Store(nil)
		return
	}
	l.onLeak.Store(&report)
}

// ForgetLeaks makes [Ledger.VerifyEmpty] overlook the leaks so far, for tests of cleanups.
// Snapshots keep them.
func (l *Ledger) ForgetLeaks() {
	for i := range l.leaks {
		l.leaks[i].reported.Store(l.leaks[i].objects.Load())
	}
}
