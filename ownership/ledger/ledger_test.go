// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tombolo-arrow/tombolo/ownership/buildtag"
	"github.com/tombolo-arrow/tombolo/ownership/ledger"
)

// recorder is a test that keeps its errors.
type recorder struct{ errors []string }

func (r *recorder) Helper() {}
func (r *recorder) Errorf(format string, arguments ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, arguments...))
}

func TestCountsByKind(t *testing.T) {
	l := ledger.New()
	cell := l.Cell(ledger.Pins)
	a := l.Add(ledger.ExportBlocks, 100)
	b := cell.Add(10)
	c := l.Add(ledger.Pins, 5)
	l.Resize(ledger.ExportBlocks, 28)
	snapshot := l.Snapshot()
	if got := snapshot.Of(ledger.ExportBlocks); got.Objects != 1 || got.Bytes != 128 || got.Added != 1 {
		t.Errorf("export blocks: got %+v", got)
	}
	if got := snapshot.Of(ledger.Pins); got.Objects != 2 || got.Bytes != 15 {
		t.Errorf("pins: got %+v", got)
	}
	if snapshot.Empty() {
		t.Error("a ledger with live objects says it is empty")
	}
	l.Remove(ledger.Pins, 10, b) // added through a cell, removed through the ledger
	cell.Remove(5, c)
	l.Remove(ledger.ExportBlocks, 128, a)
	l.VerifyEmpty(t)
	if got := l.Snapshot().Of(ledger.Pins).Added; got != 2 {
		t.Errorf("pins made: got %d, want 2", got)
	}
}

func TestVerifyEmptyReportsWhatIsLeft(t *testing.T) {
	l := ledger.New()
	ticket := l.Add(ledger.States, 7)
	test := &recorder{}
	start := time.Now()
	l.VerifyEmpty(test)
	if waited := time.Since(start); waited < ledger.VerifyWaitMax {
		t.Errorf("gave up after %v, want %v", waited, ledger.VerifyWaitMax)
	}
	if len(test.errors) != 1 || !strings.Contains(test.errors[0], "1 of states with 7 bytes") {
		t.Fatalf("got %q", test.errors)
	}
	named := strings.Contains(test.errors[0], "TestVerifyEmptyReportsWhatIsLeft")
	if named != buildtag.Debug {
		t.Errorf("report names the creation: %v, want %v", named, buildtag.Debug)
	}
	l.Remove(ledger.States, 7, ticket)
	l.VerifyEmpty(t)
}

func TestVerifyEmptyWaitsForForeignThreads(t *testing.T) {
	l := ledger.New()
	ticket := l.Add(ledger.ExportBlocks, 1)
	go func() {
		time.Sleep(30 * time.Millisecond)
		l.Remove(ledger.ExportBlocks, 1, ticket)
	}()
	l.VerifyEmpty(t)
}

func TestLeaksAreReportedOnce(t *testing.T) {
	l := ledger.New()
	var heard []ledger.Leak
	l.OnLeak(func(leak ledger.Leak) { heard = append(heard, leak) })
	l.Leaked(ledger.ImportedArrays, 64, l.Add(ledger.ImportedArrays, 64))
	if len(heard) != 1 || heard[0].Kind != ledger.ImportedArrays || heard[0].Bytes != 64 {
		t.Fatalf("heard %+v", heard)
	}
	if (heard[0].Stack != "") != buildtag.Debug {
		t.Errorf("leak has a stack: %q, debug %v", heard[0].Stack, buildtag.Debug)
	}
	test := &recorder{}
	l.VerifyEmpty(test)
	if len(test.errors) != 1 || !strings.Contains(test.errors[0], "1 of imported arrays forgotten") {
		t.Errorf("got %q", test.errors)
	}
	l.VerifyEmpty(t)
	if entry := l.Snapshot().Of(ledger.ImportedArrays); entry.Leaked != 1 || entry.LeakedBytes != 64 {
		t.Errorf("got %+v", entry)
	}
	l.Leaked(ledger.Views, 0, l.Add(ledger.Views, 0))
	l.ForgetLeaks()
	l.VerifyEmpty(t)
}

func TestReadsDrainFirst(t *testing.T) {
	l := ledger.New()
	ticket := l.Add(ledger.ExportBlocks, 8)
	var queue sync.Mutex
	queued := true
	stop := l.OnDrain(func() {
		queue.Lock()
		defer queue.Unlock()
		if queued {
			l.Remove(ledger.ExportBlocks, 8, ticket)
			queued = false
		}
	})
	if !l.Snapshot().Empty() {
		t.Error("a read did not take in what was queued")
	}
	stop()
	stop()
	calls := 0
	l.OnDrain(func() { calls++ })()
	l.Drain()
	if calls != 0 {
		t.Error("a deregistered drain ran")
	}
	l.VerifyEmpty(t)
}

func TestDeregistrationWaitsForARunningDrain(t *testing.T) {
	l := ledger.New()
	began, finish := make(chan struct{}), make(chan struct{})
	var once sync.Once
	ended := false
	stop := l.OnDrain(func() {
		once.Do(func() { close(began) })
		<-finish
		ended = true
	})
	go l.Drain()
	<-began
	time.AfterFunc(20*time.Millisecond, func() { close(finish) })
	stop()
	if !ended {
		t.Error("deregistration returned while the drain was running")
	}
}

func TestObservedCounts(t *testing.T) {
	l := ledger.New()
	stop := l.Observe(ledger.NativeMemory, func() (int64, int64) { return 3, 300 })
	if got := l.Snapshot().Of(ledger.NativeMemory); got.Objects != 3 || got.Bytes != 300 {
		t.Errorf("got %+v", got)
	}
	stop()
	l.VerifyEmpty(t)
}

func TestConcurrentUse(t *testing.T) {
	l := ledger.New()
	var group sync.WaitGroup
	for range 8 {
		cell := l.Cell(ledger.ArenaAllocations)
		group.Go(func() {
			for i := range 2000 {
				ticket := cell.Add(int64(i))
				if i%100 == 0 {
					for _, entry := range l.Snapshot() {
						if entry.Objects < 0 {
							t.Errorf("negative count: %+v", entry)
						}
					}
				}
				l.Remove(ledger.ArenaAllocations, int64(i), ticket)
			}
		})
	}
	group.Wait()
	l.VerifyEmpty(t)
	if got := l.Snapshot().Of(ledger.ArenaAllocations).Added; got != 16000 {
		t.Errorf("made: got %d, want 16000", got)
	}
}

func TestEveryKindHasAName(t *testing.T) {
	seen := map[string]bool{}
	for _, kind := range ledger.Kinds() {
		name := kind.String()
		if name == "" || name == "unknown kind" || seen[name] {
			t.Errorf("kind %d: name %q", kind, name)
		}
		seen[name] = true
	}
}

func BenchmarkAddRemove(b *testing.B) {
	cell := ledger.New().Cell(ledger.ExportBlocks)
	for b.Loop() {
		cell.Remove(64, cell.Add(64))
	}
}

func ExampleLedger() {
	l := ledger.New()
	ticket := l.Add(ledger.ExportBlocks, 4096)
	fmt.Println(l.Snapshot().Of(ledger.ExportBlocks).Bytes)
	l.Remove(ledger.ExportBlocks, 4096, ticket)
	fmt.Println(l.Snapshot().Empty())
	// Output:
	// 4096
	// true
}

func TestTable(t *testing.T) {
	l := ledger.New()
	l.Add(ledger.ExportBlocks, 4096)
	want := "" +
		"           kind  live  bytes  made  leaked\n" +
		"  export blocks     1   4096     1       0\n"
	if got := l.Snapshot().String(); got != want {
		t.Errorf("got\n%q, want\n%q", got, want)
	}
}
