// SPDX-License-Identifier: Apache-2.0

package handle_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/tombolo-arrow/tombolo/ownership/buildtag"
	"github.com/tombolo-arrow/tombolo/ownership/handle"
)

var root = &handle.Subject{Kind: handle.Array, Name: "flights"}

// in brings a fresh handle into a state.
func in(t *testing.T, state handle.State) *handle.Handle {
	t.Helper()
	h, other := &handle.Handle{}, &handle.Handle{}
	var err error
	switch state {
	case handle.Owned:
		err = h.Own(root)
	case handle.Borrowed:
		err = errors.Join(other.Own(root), other.Borrow(h))
	case handle.Shared:
		err = errors.Join(h.Own(root), h.Retain())
	case handle.Moved:
		err = errors.Join(h.Own(root), h.Move(other))
	case handle.Released:
		_, release := func() (bool, error) { _ = h.Own(root); return h.Release() }()
		err = release
	}
	if err != nil || h.State() != state {
		t.Fatalf("state %v, want %v: %v", h.State(), state, err)
	}
	return h
}

func release(h *handle.Handle) error { _, err := h.Release(); return err }

func TestEveryTransition(t *testing.T) {
	operations := map[string]func(*handle.Handle) error{
		"own":       func(h *handle.Handle) error { return h.Own(root) },
		"retain":    (*handle.Handle).Retain,
		"release":   release,
		"move":      func(h *handle.Handle) error { return h.Move(&handle.Handle{}) },
		"lend":      func(h *handle.Handle) error { return h.Borrow(&handle.Handle{}) },
		"give back": (*handle.Handle).GiveBack,
		"use":       (*handle.Handle).Use,
	}
	type outcome struct {
		err   error
		state handle.State
	}
	e, o, b, s := handle.Empty, handle.Owned, handle.Borrowed, handle.Shared
	m, r := handle.Moved, handle.Released
	want := map[string]map[handle.State]outcome{
		"own": {e: {nil, o}, o: {handle.ErrOwned, o}, b: {handle.ErrOwned, b},
			s: {handle.ErrOwned, s}, m: {nil, o}, r: {nil, o}},
		"retain": {e: {handle.ErrEmpty, e}, o: {nil, s}, b: {handle.ErrBorrowed, b},
			s: {nil, s}, m: {handle.ErrMoved, m}, r: {handle.ErrUseAfterRelease, r}},
		"release": {e: {handle.ErrEmpty, e}, o: {nil, r}, b: {handle.ErrBorrowed, b},
			s: {nil, o}, m: {handle.ErrMoved, m}, r: {handle.ErrDoubleRelease, r}},
		"move": {e: {handle.ErrEmpty, e}, o: {nil, m}, b: {handle.ErrBorrowed, b},
			s: {handle.ErrShared, s}, m: {handle.ErrMoved, m}, r: {handle.ErrUseAfterRelease, r}},
		"lend": {e: {handle.ErrEmpty, e}, o: {nil, o}, b: {handle.ErrBorrowed, b},
			s: {nil, s}, m: {handle.ErrMoved, m}, r: {handle.ErrUseAfterRelease, r}},
		"give back": {e: {handle.ErrNotBorrowed, e}, o: {handle.ErrNotBorrowed, o}, b: {nil, r},
			s: {handle.ErrNotBorrowed, s}, m: {handle.ErrNotBorrowed, m}, r: {handle.ErrNotBorrowed, r}},
		"use": {e: {handle.ErrEmpty, e}, o: {nil, o}, b: {nil, b}, s: {nil, s},
			m: {handle.ErrMoved, m}, r: {handle.ErrUseAfterRelease, r}},
	}
	for name, operation := range operations {
		for state := e; state <= r; state++ {
			h := in(t, state)
			err := operation(h)
			if expected := want[name][state]; !errors.Is(err, expected.err) || h.State() != expected.state {
				t.Errorf("%s when %v: got %v, %v; want %v, %v", name, state, err, h.State(),
					expected.err, expected.state)
			}
		}
	}
}

func TestReleaseWhileBorrowed(t *testing.T) {
	h := in(t, handle.Owned)
	var first, second handle.Handle
	if err := errors.Join(h.Borrow(&first), h.Borrow(&second)); err != nil {
		t.Fatal(err)
	}
	for _, borrower := range []*handle.Handle{&first, &second} {
		if err := release(h); !errors.Is(err, handle.ErrReleaseWhileBorrowed) {
			t.Errorf("release: got %v", err)
		}
		if err := h.Move(&handle.Handle{}); !errors.Is(err, handle.ErrReleaseWhileBorrowed) {
			t.Errorf("move: got %v", err)
		}
		if err := borrower.GiveBack(); err != nil {
			t.Fatal(err)
		}
		if err := borrower.Use(); !errors.Is(err, handle.ErrUseAfterRelease) {
			t.Errorf("use after giving back: got %v", err)
		}
	}
	if last, err := h.Release(); !last || err != nil {
		t.Errorf("got %v, %v", last, err)
	}
	if h.Releases() != 3 {
		t.Errorf("%d releases, want 3: wrong calls count", h.Releases())
	}
}

func TestFailedMoveAndBorrowChangeNothing(t *testing.T) {
	h, taken := in(t, handle.Owned), in(t, handle.Owned)
	if err := h.Move(taken); !errors.Is(err, handle.ErrOwned) || h.State() != handle.Owned {
		t.Errorf("move: got %v, state %v", err, h.State())
	}
	if err := h.Borrow(taken); !errors.Is(err, handle.ErrOwned) {
		t.Errorf("borrow: got %v", err)
	}
	if last, err := h.Release(); !last || err != nil {
		t.Errorf("release after failures: got %v, %v", last, err)
	}
}

func TestSharedIsReleasedByTheLast(t *testing.T) {
	h := in(t, handle.Owned)
	for range 9 {
		if err := h.Retain(); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 10 {
		if h.Holders() != 10-i {
			t.Errorf("%d holders, want %d", h.Holders(), 10-i)
		}
		if last, err := h.Release(); last != (i == 9) || err != nil {
			t.Errorf("release %d: got %v, %v", i, last, err)
		}
	}
}

func TestViewsFailAfterRelease(t *testing.T) {
	var h handle.Handle
	if err := (handle.View{}).Check(); !errors.Is(err, handle.ErrUseAfterRelease) {
		t.Errorf("zero view: got %v", err)
	}
	if err := h.Own(&handle.Subject{Kind: handle.Batch, Name: "flights"}); err != nil {
		t.Fatal(err)
	}
	view := h.View()
	if err := view.Check(); err != nil {
		t.Error(err)
	}
	if err := release(&h); err != nil {
		t.Fatal(err)
	}
	for _, reused := range []bool{false, true} {
		if reused { // the same memory holds another batch now
			if err := h.Own(&handle.Subject{Kind: handle.Batch, Name: "airports"}); err != nil {
				t.Fatal(err)
			}
		}
		err := view.Check()
		named := err != nil && strings.Contains(err.Error(), "batch of flights")
		if !errors.Is(err, handle.ErrUseAfterRelease) || !named {
			t.Errorf("reused %v: got %v", reused, err)
		}
	}
}

func TestErrorsNameStructAndStacks(t *testing.T) {
	var h handle.Handle
	if err := h.Own(&handle.Subject{Kind: handle.Child, Name: "flights", Position: 3}); err != nil {
		t.Fatal(err)
	}
	if err := release(&h); err != nil {
		t.Fatal(err)
	}
	err := release(&h)
	want := "release: released already, child 3 of flights is released"
	if !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %q", err)
	}
	both := strings.Contains(err.Error(), "now at") &&
		strings.Contains(err.Error(), "before: release at") &&
		strings.Count(err.Error(), "TestErrorsNameStructAndStacks") >= 3
	if both != buildtag.Debug {
		t.Errorf("both stacks: %v, debug %v\n%v", both, buildtag.Debug, err)
	}
}

// TestAgainstModel compares random operations on a few handles with a plain model of who holds
// what.
func TestAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		handles := make([]handle.Handle, 3)
		holders := [3]int{}
		borrowers := [3][]*handle.Handle{}
		which := rapid.IntRange(0, 2)
		t.Repeat(map[string]func(*rapid.T){
			"own": func(t *rapid.T) {
				i := which.Draw(t, "handle")
				if err := handles[i].Own(root); (err == nil) != (holders[i] == 0) {
					t.Fatalf("%d holders: %v", holders[i], err)
				} else if err == nil {
					holders[i] = 1
				}
			},
			"retain": func(t *rapid.T) {
				i := which.Draw(t, "handle")
				if err := handles[i].Retain(); (err == nil) != (holders[i] > 0) {
					t.Fatalf("%d holders: %v", holders[i], err)
				} else if err == nil {
					holders[i]++
				}
			},
			"release": func(t *rapid.T) {
				i := which.Draw(t, "handle")
				last, err := handles[i].Release()
				sound := holders[i] > 1 || holders[i] == 1 && len(borrowers[i]) == 0
				if (err == nil) != sound || last != (sound && holders[i] == 1) {
					t.Fatalf("%d holders, %d borrowers: %v, %v", holders[i], len(borrowers[i]), last, err)
				} else if sound {
					holders[i]--
				}
			},
			"move": func(t *rapid.T) {
				i, k := which.Draw(t, "from"), which.Draw(t, "to")
				sound := holders[i] == 1 && len(borrowers[i]) == 0 && (holders[k] == 0 && i != k || i == k)
				if err := handles[i].Move(&handles[k]); (err == nil) != sound {
					t.Fatalf("%d and %d holders: %v", holders[i], holders[k], err)
				} else if sound {
					holders[i], holders[k] = 0, 1
				}
			},
			"borrow": func(t *rapid.T) {
				i, borrower := which.Draw(t, "handle"), &handle.Handle{}
				if err := handles[i].Borrow(borrower); (err == nil) != (holders[i] > 0) {
					t.Fatalf("%d holders: %v", holders[i], err)
				} else if err == nil {
					borrowers[i] = append(borrowers[i], borrower)
				}
			},
			"give back": func(t *rapid.T) {
				i := which.Draw(t, "handle")
				if n := len(borrowers[i]); n > 0 {
					if err := borrowers[i][n-1].GiveBack(); err != nil {
						t.Fatal(err)
					}
					borrowers[i] = borrowers[i][:n-1]
				}
			},
			"": func(t *rapid.T) {
				for i := range handles {
					if handles[i].Holders() != holders[i] {
						t.Fatalf("handle %d: %d holders, want %d", i, handles[i].Holders(), holders[i])
					}
				}
			},
		})
	})
}

func TestConcurrentHolders(t *testing.T) {
	h := in(t, handle.Owned)
	var group sync.WaitGroup
	for range 8 {
		if err := h.Retain(); err != nil {
			t.Fatal(err)
		}
		group.Go(func() {
			for range 500 {
				var borrower handle.Handle
				if err := errors.Join(h.Borrow(&borrower), borrower.Use(), borrower.GiveBack()); err != nil {
					t.Error(err)
				}
			}
			if last, err := h.Release(); last || err != nil {
				t.Errorf("got %v, %v", last, err)
			}
		})
	}
	group.Wait()
	if last, err := h.Release(); !last || err != nil {
		t.Errorf("got %v, %v", last, err)
	}
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	if buildtag.Debug {
		t.Skip("debug builds keep stacks")
	}
	var h, borrower handle.Handle
	if got := testing.AllocsPerRun(100, func() {
		_ = h.Own(root)
		_ = h.Borrow(&borrower)
		_ = h.View().Check()
		_ = borrower.GiveBack()
		_ = release(&h)
	}); got != 0 {
		t.Errorf("%v allocations for each", got)
	}
}

func BenchmarkOwnRelease(b *testing.B) {
	var h handle.Handle
	for b.Loop() {
		_ = h.Own(root)
		_ = release(&h)
	}
}

func BenchmarkViewCheck(b *testing.B) {
	var h handle.Handle
	_ = h.Own(root)
	view := h.View()
	for b.Loop() {
		if view.Check() != nil {
			b.Fatal("released")
		}
	}
}

func ExampleHandle() {
	var array handle.Handle
	_ = array.Own(&handle.Subject{Kind: handle.Array, Name: "flights"})
	if last, err := array.Release(); last && err == nil {
		fmt.Println("free it")
	}
	_, err := array.Release()
	fmt.Println(errors.Is(err, handle.ErrDoubleRelease))
	// Output:
	// free it
	// true
}
