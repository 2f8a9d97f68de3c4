// SPDX-License-Identifier: Apache-2.0

package pin_test

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"unsafe"

	"github.com/tombolo-arrow/tombolo/ownership/arena"
	"github.com/tombolo-arrow/tombolo/ownership/buildtag"
	"github.com/tombolo-arrow/tombolo/ownership/ledger"
	"github.com/tombolo-arrow/tombolo/ownership/pin"
)

func address(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

func TestPinsAreCountedWhileTheyAreHeld(t *testing.T) {
	l := ledger.New()
	table := pin.NewTable(l)
	set := table.Set()
	buffers := make([][]byte, 24)
	for i := range buffers {
		buffers[i] = make([]byte, 100+i)
		if got := set.Pin(buffers[i]); got != address(buffers[i]) {
			t.Fatalf("buffer %d: address %#x, want %#x", i, got, address(buffers[i]))
		}
	}
	if set.Pin(nil) != 0 {
		t.Error("a nil slice has an address")
	}
	runtime.GC()
	if got := l.Snapshot().Of(ledger.Pins); got.Objects != 1 || set.Buffers() != 24 {
		t.Errorf("got %+v, %d buffers", got, set.Buffers())
	}
	set.Release()
	set.Unpin() // nothing is left to unpin
	if n, bytes := table.Totals(); n != 24 || bytes != 24*100+276 {
		t.Errorf("totals: %d buffers, %d bytes", n, bytes)
	}
	l.VerifyEmpty(t)
}

func TestCheckKnowsWhatMayCross(t *testing.T) {
	l := ledger.New()
	mem, err := arena.New(arena.Config{Ledger: l})
	if err != nil {
		t.Fatal(err)
	}
	defer mem.Close()

	table := pin.NewTable(l)
	set := table.Set()
	inArena, pinned, loose := mem.Allocate(100), make([]byte, 100), make([]byte, 100)
	set.Pin(pinned)
	for _, step := range []struct {
		name    string
		address uintptr
		length  int
		crosses bool
	}{
		{"arena", address(inArena), 100, true},
		{"past the arena allocation", address(inArena), 200, false},
		{"pinned", address(pinned), 100, true},
		{"inside pinned", address(pinned[10:]), 90, true},
		{"past pinned", address(pinned), 101, false},
		{"unpinned", address(loose), 1, false},
		{"NULL", 0, 0, true},
	} {
		err := table.Check(step.address, step.length, mem)
		if want := buildtag.Debug && !step.crosses; errors.Is(err, pin.ErrUnpinned) != want {
			t.Errorf("%s: got %v, refused should be %v", step.name, err, want)
		}
	}
	set.Unpin()
	if err := table.Check(address(pinned), 1, mem); (err != nil) != buildtag.Debug {
		t.Errorf("after unpin: got %v", err)
	}
	mem.Free(inArena)
	l.VerifyEmpty(t)
}

func TestOffHeapMemoryNeedsNoPin(t *testing.T) {
	l := ledger.New()
	mem, err := arena.New(arena.Config{Ledger: l})
	if err != nil {
		t.Fatal(err)
	}
	defer mem.Close()

	set := pin.NewTable(l).Set()
	b := mem.Allocate(10)
	if set.Pin(b) != address(b) {
		t.Error("wrong address")
	}
	set.Release()
	mem.Free(b)
	l.VerifyEmpty(t)
}

func TestConcurrentSets(t *testing.T) {
	l := ledger.New()
	table := pin.NewTable(l)
	shared := make([]byte, 1000)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for i := range 300 {
				set := table.Set()
				for range i % 12 {
					set.Pin(shared)
				}
				_ = table.Check(address(shared), 10)
				set.Release()
			}
		})
	}
	group.Wait()
	l.VerifyEmpty(t)
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	if buildtag.Debug {
		t.Skip("debug builds keep stacks")
	}
	table := pin.NewTable(ledger.New())
	buffers := make([][]byte, 24)
	for i := range buffers {
		buffers[i] = make([]byte, 4096)
	}
	got := testing.AllocsPerRun(200, func() {
		set := table.Set()
		for _, b := range buffers {
			set.Pin(b)
		}
		set.Release()
	})
	if got != 0 {
		t.Errorf("%v allocations for each", got)
	}
}

func BenchmarkPin(b *testing.B) {
	for _, n := range []int{1, 3, 24} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			set := pin.NewTable(ledger.New()).Set()
			buffers := make([][]byte, n)
			for i := range buffers {
				buffers[i] = make([]byte, 8192)
			}
			b.ReportAllocs()
			for b.Loop() {
				for _, buffer := range buffers {
					set.Pin(buffer)
				}
				set.Unpin()
			}
		})
	}
}

func ExampleSet() {
	table := pin.NewTable(ledger.New())
	set := table.Set()
	defer set.Release()

	address := set.Pin([]byte("read by native code during the call"))
	fmt.Println(address != 0, set.Buffers())
	// Output: true 1
}
