// SPDX-License-Identifier: Apache-2.0

package abi

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tombolo-arrow/tombolo/ownership/arena"
	"github.com/tombolo-arrow/tombolo/ownership/ledger"
)

// fakeCaller stands for C: functions are Go functions under made-up addresses. It carries the release callbacks of
// the native library, written again in Go, so that the Go parts are tested without cgo and under the race detector.
type fakeCaller struct {
	mu        sync.Mutex
	functions map[uintptr]func(a ...uintptr) uintptr
	releases  Releases
}

func newFakeCaller() *fakeCaller {
	c := &fakeCaller{functions: map[uintptr]func(a ...uintptr) uintptr{}}
	c.releases.Child = c.add(c.releaseArray)
	c.releases.Root = c.add(c.releaseArray)
	c.releases.SchemaChild = c.add(c.releaseSchema)
	c.releases.Schema = c.add(c.releaseSchema)
	return c
}

func (c *fakeCaller) add(function func(a ...uintptr) uintptr) uintptr {
	c.mu.Lock()
	defer c.mu.Unlock()

	address := uintptr(0x1000 + 16*len(c.functions))
	c.functions[address] = function
	return address
}

func (c *fakeCaller) Call(function, a0, a1, a2, a3, a4, a5 uintptr) uintptr {
	return c.Call7(function, a0, a1, a2, a3, a4, a5, 0)
}

func (c *fakeCaller) Call7(function, a0, a1, a2, a3, a4, a5, a6 uintptr) uintptr {
	c.mu.Lock()
	call := c.functions[function]
	c.mu.Unlock()
	return call(a0, a1, a2, a3, a4, a5, a6)
}

func (c *fakeCaller) releaseArray(a ...uintptr) uintptr {
	released := at[ArrowArray](a[0])
	block := at[ExportBlock](released.PrivateData)
	c.countDown(block, c.markArray(released))
	return 0
}

// markArray releases an array and what is left in it, and counts.
func (c *fakeCaller) markArray(a *ArrowArray) int32 {
	count := int32(1)
	below := span[uintptr](a.Children, int(a.NChildren))
	if a.NChildren == 0 {
		below = nil
	}
	if a.Dictionary != 0 {
		below = append(append([]uintptr{}, below...), a.Dictionary)
	}
	for _, child := range below {
		if at[ArrowArray](child).Release != 0 {
			count += c.markArray(at[ArrowArray](child))
		}
	}
	a.Release = 0
	return count
}

func (c *fakeCaller) releaseSchema(a ...uintptr) uintptr {
	at[ArrowSchema](a[0]).Release = 0
	return 0
}

func (c *fakeCaller) countDown(block *ExportBlock, count int32) {
	if atomic.AddInt32(&block.Live, -count) != 0 {
		return
	}
	head := at[uint64](uintptr(block.Queue))
	for {
		first := atomic.LoadUint64(head)
		block.Next = first
		if atomic.CompareAndSwapUint64(head, first, uint64(addressOf(block))) {
			return
		}
	}
}

// world is what the tests of one case share; it verifies at its end that nothing is left.
type world struct {
	*fakeCaller
	ledger   *ledger.Ledger
	arena    *arena.Arena
	importer *Importer
}

func newWorld(t testing.TB) *world {
	t.Helper()
	l := ledger.New()
	a, err := arena.New(arena.Config{Ledger: l})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{fakeCaller: newFakeCaller(), ledger: l, arena: a}
	w.importer = NewImporter(w.fakeCaller, l)
	t.Cleanup(func() {
		w.importer.Close()
		l.VerifyEmpty(t)
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}
