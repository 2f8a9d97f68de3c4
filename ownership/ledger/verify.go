// SPDX-License-Identifier: Apache-2.0

package ledger

import "time"

// VerifyWaitMax is how long [Ledger.VerifyEmpty] waits for releases on foreign threads.
const VerifyWaitMax = time.Second

// Reporter is the part of testing.TB that [Ledger.VerifyEmpty] needs.
type Reporter interface {
	Helper()
	Errorf(format string, arguments ...any)
}

// VerifyEmpty reports what is still live as errors of a test, and what was leaked and not reported
// before. It drains, and waits up to [VerifyWaitMax] for threads that are about to release. Arena
// memory counts: a test releases its batches first. Debug builds name where each object was made. A
// test ends with it:
//
//	defer engine.Ledger().VerifyEmpty(t)
//
// It is safe for concurrent use, though a test that still works in other goroutines gets what it
// asks for.
func (l *Ledger) VerifyEmpty(t Reporter) {
	t.Helper()
	deadline := time.Now().Add(VerifyWaitMax)
	snapshot := l.Snapshot()
	for pause := 50 * time.Microsecond; !snapshot.Empty() && time.Now().Before(deadline); {
		time.Sleep(pause)
		pause = min(2*pause, 20*time.Millisecond)
		snapshot = l.Snapshot()
	}
	for _, entry := range snapshot {
		if entry.Objects != 0 || entry.Bytes != 0 {
			t.Errorf("ledger is not empty: %d of %v with %d bytes not released%s",
				entry.Objects, entry.Kind, entry.Bytes, l.trace.report(entry.Kind))
		}
		leaks := &l.leaks[entry.Kind]
		if fresh := entry.Leaked - leaks.reported.Swap(entry.Leaked); fresh > 0 {
			t.Errorf("ledger counts leaks: %d of %v forgotten and freed by a cleanup", fresh, entry.Kind)
		}
	}
}
