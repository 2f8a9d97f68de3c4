// SPDX-License-Identifier: Apache-2.0

package arena_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tombolo-arrow/tombolo/ownership/arena"
	"github.com/tombolo-arrow/tombolo/ownership/buildtag"
	"github.com/tombolo-arrow/tombolo/ownership/ledger"
)

// open opens an arena that must be empty and closed without complaint when the test ends.
func open(t testing.TB, config arena.Config) *arena.Arena {
	t.Helper()
	a, err := arena.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		a.Ledger().VerifyEmpty(t)
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

func address(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

func isZero(b []byte) bool {
	for _, x := range b {
		if x != 0 {
			return false
		}
	}
	return true
}

var sizes = []int{1, 63, 64, 65, 511, 512, 513, 640, 641, 1000, 4096, 8192, 16384, 16385, 65536,
	65537, 100_000, 1 << 20, 1<<20 + 1, 5 << 20}

func TestAllocationsAreZeroedAlignedAndExact(t *testing.T) {
	a := open(t, arena.Config{})
	for round := range 3 { // fresh, then reused
		for _, size := range sizes {
			b := a.Allocate(size)
			switch {
			case len(b) != size || cap(b) != size:
				t.Errorf("size %d: len %d, cap %d", size, len(b), cap(b))
			case address(b)%64 != 0:
				t.Errorf("size %d: address is not aligned", size)
			case !isZero(b):
				t.Errorf("size %d, round %d: not zeroed", size, round)
			case !a.Contains(address(b), size):
				t.Errorf("size %d: the arena does not contain its allocation", size)
			}
			found, ok := a.At(address(b))
			whole := unsafe.Slice(unsafe.SliceData(b), found.Capacity)
			if buildtag.ASan {
				whole = b // the sanitizer guards the slack
			}
			if !ok || !isZero(whole) {
				t.Errorf("size %d, round %d: slack is not zero", size, round)
			}
			for i := range b {
				b[i] = 0xFF
			}
			a.Free(b)
		}
	}
}

func TestEmptyAllocationNeedsNoFree(t *testing.T) {
	a := open(t, arena.Config{})
	b := a.Allocate(0)
	if len(b) != 0 || cap(b) != 0 || !a.Contains(address(b), 0) {
		t.Errorf("len %d, cap %d, contained %v", len(b), cap(b), a.Contains(address(b), 0))
	}
	if err := a.TryFree(b); err != nil {
		t.Error(err)
	}
	if err := a.TryFree(nil); err != nil {
		t.Error(err)
	}
}

func TestReallocateKeepsContentAndZeroesGrowth(t *testing.T) {
	a := open(t, arena.Config{})
	for _, from := range sizes {
		for _, to := range sizes {
			b := a.Allocate(from)
			for i := range b {
				b[i] = byte(i | 1)
			}
			b = a.Reallocate(to, b)
			if len(b) != to || cap(b) != to {
				t.Fatalf("%d to %d: len %d, cap %d", from, to, len(b), cap(b))
			}
			for i := range min(from, to) {
				if b[i] != byte(i|1) {
					t.Fatalf("%d to %d: byte %d changed", from, to, i)
				}
			}
			b = a.Reallocate(max(from, to), b)
			if !isZero(b[min(from, to):]) {
				t.Fatalf("%d to %d and back: growth is not zero", from, to)
			}
			a.Free(b[:0])
		}
	}
	b := a.Reallocate(100, nil)
	if b = a.Reallocate(0, b); len(b) != 0 {
		t.Errorf("reallocated to 0: len %d", len(b))
	}
}

func TestIdentities(t *testing.T) {
	a := open(t, arena.Config{})
	seen := map[arena.ID]bool{}
	for range 100 {
		b := a.Allocate(3000)
		found, ok := a.At(address(b) + 1234) // an address inside
		if !ok || found.Address != address(b) || found.Length != 3000 || found.Capacity < 3000 {
			t.Fatalf("got %+v, %v", found, ok)
		}
		if found.ID == 0 || seen[found.ID] {
			t.Fatalf("id %#x is zero or was given before", found.ID)
		}
		seen[found.ID] = true
		if again, ok := a.Lookup(found.ID); !ok || again != found {
			t.Errorf("lookup: got %+v, %v, want %+v", again, ok, found)
		}
		a.Free(b)
		if _, ok := a.Lookup(found.ID); ok {
			t.Error("a freed allocation is found by its id")
		}
		if _, ok := a.At(address(b)); ok {
			t.Error("a freed allocation is found by its address")
		}
	}
	for _, id := range []arena.ID{0, ^arena.ID(0), 1 << 63} {
		if _, ok := a.Lookup(id); ok {
			t.Errorf("id %#x is found", id)
		}
	}
}

func TestContainsAndLive(t *testing.T) {
	a := open(t, arena.Config{})
	heap := make([]byte, 64)
	if a.Contains(address(heap), 1) || a.Live(address(heap), 1) {
		t.Error("Go-heap memory is said to be of the arena")
	}
	b := a.Allocate(100)
	for length, live := range map[int]bool{0: true, 100: true, 128: true, 129: false, -1: false} {
		if got := a.Live(address(b), length); got != live {
			t.Errorf("live over %d bytes: got %v", length, got)
		}
	}
	if a.Contains(address(b), 1<<62) || a.Contains(^uintptr(0), 2) {
		t.Error("a range past the end is contained")
	}
	a.Free(b)
	if a.Live(address(b), 1) {
		t.Error("freed memory is live")
	}
}

func TestMisuseIsRefused(t *testing.T) {
	var heard []error
	a := open(t, arena.Config{Misuse: func(err error) { heard = append(heard, err) }})
	b, other := a.Allocate(1000), a.Allocate(1000)
	for _, step := range []struct {
		name string
		free []byte
		want error
	}{
		{"Go heap", make([]byte, 10), arena.ErrForeign},
		{"inside an allocation", b[64:], arena.ErrForeign},
		{"first free", b, nil},
		{"second free", b, arena.ErrDoubleFree},
		{"never handed out", unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(&other[0]), 10240)), 8),
			arena.ErrForeign},
	} {
		err := a.TryFree(step.free)
		if !errors.Is(err, step.want) {
			t.Errorf("%s: got %v, want %v", step.name, err, step.want)
		}
		if named := err != nil && strings.Contains(err.Error(), "TestMisuseIsRefused"); step.want ==
			arena.ErrDoubleFree && named != buildtag.Debug {
			t.Errorf("%s: names the first free: %v, debug %v", step.name, named, buildtag.Debug)
		}
	}
	a.Free(b)
	if len(heard) != 1 || !errors.Is(heard[0], arena.ErrDoubleFree) || a.Stats().Misuses != 1 {
		t.Errorf("heard %v, stats %+v", heard, a.Stats())
	}
	if got := a.Stats(); got.Live != 1 || got.LiveBytes != 1000 {
		t.Errorf("after misuse: %+v", got)
	}
	a.Free(other)
}

func TestFreedMemoryIsPoisonedInDebugBuilds(t *testing.T) {
	if !buildtag.Debug {
		t.Skip("needs -tags tombolo_debug")
	}
	if buildtag.ASan {
		t.Skip("the sanitizer refuses the read that this test makes")
	}
	var heard []error
	a := open(t, arena.Config{Misuse: func(err error) { heard = append(heard, err) }})
	b := a.Allocate(64)
	a.Free(b)
	if b[10] != arena.FreedByte {
		t.Errorf("freed memory reads %#x", b[10])
	}
	b[10] = 1
	a.Free(a.Allocate(64))
	if len(heard) != 1 || !errors.Is(heard[0], arena.ErrOverwritten) {
		t.Errorf("a late write: heard %v", heard)
	}
}

func TestBoundIsHeld(t *testing.T) {
	const bound = 4 << 20
	a := open(t, arena.Config{BytesMax: bound})
	var held [][]byte
	for {
		b, err := a.TryAllocate(300_000)
		if err != nil {
			if !errors.Is(err, arena.ErrLimit) {
				t.Fatal(err)
			}
			break
		}
		held = append(held, b)
	}
	if len(held) < 10 || a.Stats().HeldBytes > bound {
		t.Errorf("%d allocations, %+v", len(held), a.Stats())
	}
	failing := func() (err error) {
		defer arena.Recover(&err)
		a.Allocate(1 << 20)
		return nil
	}
	if err := failing(); !errors.Is(err, arena.ErrLimit) {
		t.Errorf("got %v", err)
	}
	for _, b := range held {
		a.Free(b)
	}
	// What was kept in one size makes room for another.
	a.Free(a.Allocate(3 << 20))
	if err := tryAll(a, -1, 1<<60); err != nil {
		t.Error(err)
	}
}

func tryAll(a *arena.Arena, sizes ...int) error {
	for _, size := range sizes {
		if _, err := a.TryAllocate(size); !errors.Is(err, arena.ErrSize) {
			return fmt.Errorf("size %d: got %w", size, err)
		}
	}
	return nil
}

func TestBoundDrainsTheLedgerFirst(t *testing.T) {
	l := ledger.New()
	a := open(t, arena.Config{BytesMax: 1 << 20, Ledger: l})
	b := a.Allocate(1 << 20)
	stop := l.OnDrain(func() { a.Free(b); b = nil })
	defer stop()
	if c, err := a.TryAllocate(900_000); err != nil {
		t.Error(err)
	} else {
		a.Free(c)
	}
}

func TestKeptMemoryIsBounded(t *testing.T) {
	const keep = 8 << 20
	a := open(t, arena.Config{KeepBytesMax: keep})
	var held [][]byte
	for range 64 {
		for _, size := range []int{8192, 300_000, 2 << 20} {
			held = append(held, a.Allocate(size))
		}
	}
	for _, b := range held {
		a.Free(b)
	}
	if got := a.Stats(); got.KeptBytes > keep || got.HeldBytes != got.KeptBytes {
		t.Errorf("got %+v", got)
	}
	a.Trim()
	if got := a.Stats(); got.HeldBytes != 0 || got.KeptBytes != 0 {
		t.Errorf("after trim: %+v", got)
	}
	b := a.Allocate(2 << 20)
	if !isZero(b) {
		t.Error("memory taken back from the system is not zero")
	}
	a.Free(b)
}

func TestMoreRegionsWhenTheFirstIsFull(t *testing.T) {
	a := open(t, arena.Config{ReserveBytes: 1 << 20})
	var held [][]byte
	for _, size := range []int{800_000, 800_000, 100, 9 << 20} {
		b := a.Allocate(size)
		if found, ok := a.At(address(b)); !ok || found.Length != int64(size) {
			t.Errorf("size %d: got %+v, %v", size, found, ok)
		}
		if !a.Contains(address(b), size) || a.Contains(address(b), 1<<40) {
			t.Errorf("size %d: contains is wrong", size)
		}
		held = append(held, b)
	}
	for _, b := range held {
		a.Free(b)
	}
}

func TestCloseWaitsForLiveAllocations(t *testing.T) {
	l := ledger.New()
	a, err := arena.New(arena.Config{Ledger: l})
	if err != nil {
		t.Fatal(err)
	}
	b := a.Allocate(5000)
	for range 2 {
		if err := a.Close(); !errors.Is(err, arena.ErrLive) {
			t.Fatalf("got %v", err)
		}
	}
	b[4999] = 7 // still mapped
	if _, err := a.TryAllocate(10); !errors.Is(err, arena.ErrClosed) {
		t.Errorf("allocation after close: got %v", err)
	}
	if _, err := a.TryAllocate(1 << 22); !errors.Is(err, arena.ErrClosed) {
		t.Errorf("large allocation after close: got %v", err)
	}
	a.Free(b)
	l.VerifyEmpty(t)
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	if err := a.TryFree(b); !errors.Is(err, arena.ErrDoubleFree) {
		t.Errorf("free after the end: got %v", err)
	}
}

func TestConcurrentUse(t *testing.T) {
	a := open(t, arena.Config{KeepBytesMax: 1 << 20})
	handed := make(chan []byte, 16)
	var makers, takers sync.WaitGroup
	for range 4 {
		makers.Go(func() {
			for i := range 1500 {
				b := a.Allocate(sizes[i%(len(sizes)-3)])
				b[0], b[len(b)-1] = 1, 1
				handed <- a.Reallocate(len(b)+100, b)
			}
		})
		takers.Go(func() {
			for b := range handed { // freed by another goroutine than the maker
				if _, ok := a.At(address(b)); !ok || b[0] != 1 {
					t.Error("allocation lost between goroutines")
				}
				a.Free(b)
			}
		})
	}
	makers.Wait()
	close(handed)
	takers.Wait()
}

func TestBuildersOfArrow(t *testing.T) {
	a := open(t, arena.Config{})
	builder := array.NewStringBuilder(a)
	defer builder.Release()
	for i := range 10_000 {
		builder.Append(strings.Repeat("x", i%17))
	}
	strings := builder.NewStringArray()
	defer strings.Release()
	for _, buffer := range strings.Data().Buffers() {
		if buffer != nil && !a.Live(address(buffer.Buf()), len(buffer.Buf())) {
			t.Error("a buffer of the builder is not in the arena")
		}
	}
	if arrow.TypeEqual(strings.DataType(), arrow.PrimitiveTypes.Int8) {
		t.Error("wrong type")
	}
}

func TestSteadyStateAllocatesNothingInGo(t *testing.T) {
	if buildtag.Debug || buildtag.ASan {
		t.Skip("debug and sanitizer builds allocate")
	}
	a := open(t, arena.Config{})
	if got := testing.AllocsPerRun(200, func() { a.Free(a.Allocate(8192)) }); got != 0 {
		t.Errorf("%v Go allocations for each", got)
	}
}

func BenchmarkAllocateFree(b *testing.B) {
	for _, size := range []int{64, 8192, 1 << 20} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			a := open(b, arena.Config{})
			for b.Loop() {
				a.Free(a.Allocate(size))
			}
		})
	}
}

func BenchmarkContains(b *testing.B) {
	a := open(b, arena.Config{})
	at := address(a.Allocate(0))
	for b.Loop() {
		if !a.Contains(at, 100) {
			b.Fatal("not contained")
		}
	}
}

func ExampleArena() {
	mem, err := arena.New(arena.Config{BytesMax: 1 << 30})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer mem.Close()

	builder := array.NewInt64Builder(mem)
	builder.AppendValues([]int64{1, 2, 3}, nil)
	numbers := builder.NewInt64Array()
	builder.Release()
	fmt.Println(numbers, mem.Stats().Live)
	numbers.Release()
	fmt.Println(mem.Stats().Live)
	// Output:
	// [1 2 3] 2
	// 0
}
