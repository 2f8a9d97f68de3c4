// SPDX-License-Identifier: Apache-2.0

//go:build (linux || darwin) && (amd64 || arm64)

package dlopen

import (
	"sync"
	"testing"

	"github.com/ebitengine/purego"

	"github.com/tombolo-arrow/tombolo/bridge/abi"
	"github.com/tombolo-arrow/tombolo/bridge/dlopen/libtest"
)

// weigh gives each argument a place of its own in the result.
func weigh(a0, a1, a2, a3, a4, a5 uintptr) uintptr {
	return a0 + 10*a1 + 100*a2 + 1000*a3 + 10_000*a4 + 100_000*a5
}

// TestCallPassesEveryArgument calls a Go function through C: arguments, result, and a callback on the way.
func TestCallPassesEveryArgument(t *testing.T) {
	function := purego.NewCallback(weigh)
	if got := (Caller{}).Call(function, 1, 2, 3, 4, 5, 6); got != 654_321 {
		t.Errorf("got %d", got)
	}
	// A callback that grows its stack moves the caller's.
	var deep func(n uintptr) uintptr
	deep = func(n uintptr) uintptr {
		var room [256]uintptr
		if n == 0 {
			return room[n]
		}
		return deep(n-1) + 1
	}
	growing := purego.NewCallback(func(a0, _, _, _, _, a5 uintptr) uintptr { return deep(a0) + a5 })
	if got := (Caller{}).Call(growing, 1000, 0, 0, 0, 0, 7); got != 1007 {
		t.Errorf("got %d", got)
	}
}

// TestCallsAtOnce calls from many goroutines: no call takes another's frame.
func TestCallsAtOnce(t *testing.T) {
	entry, err := Entry(libtest.Path(t))
	if err != nil {
		t.Fatal(err)
	}
	want := entry.Caller.Call(entry.Host, abi.Version, 0, 0, 0, 0, 0)
	if want == 0 {
		t.Fatal("no table")
	}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for i := range uintptr(2000) {
				version := abi.Version + i%2
				got := entry.Caller.Call(entry.Host, version, 0, 0, 0, 0, 0)
				if (got == want) != (i%2 == 0) {
					t.Errorf("call %d gave %x", i, got)
					return
				}
			}
		})
	}
	group.Wait()
	if allocs := testing.AllocsPerRun(1000, func() { entry.Caller.Call(entry.Host, abi.Version, 0, 0, 0, 0, 0) }); allocs != 0 {
		t.Errorf("%v allocations in a call", allocs)
	}
}
