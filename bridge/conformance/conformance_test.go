// SPDX-License-Identifier: Apache-2.0

package conformance_test

import (
	"context"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tombolo-arrow/tombolo/bridge"
	_ "github.com/tombolo-arrow/tombolo/bridge/cgolink"
	"github.com/tombolo-arrow/tombolo/bridge/conformance"
	"github.com/tombolo-arrow/tombolo/bridge/dlopen"
	"github.com/tombolo-arrow/tombolo/bridge/dlopen/libtest"
	_ "github.com/tombolo-arrow/tombolo/bridge/portable"
	"github.com/tombolo-arrow/tombolo/ownership/arena"
	"github.com/tombolo-arrow/tombolo/ownership/ledger"
)

// play opens a carrier and plays every case over it.
func play(t *testing.T, carrier string, goHeap bool) map[string][]string {
	t.Helper()
	l := ledger.New()
	a, err := arena.New(arena.Config{Ledger: l})
	if err != nil {
		t.Fatal(err)
	}
	mem := memory.Allocator(a)
	if goHeap {
		mem = memory.NewGoAllocator()
	}
	config := bridge.Config{Ledger: l, Arena: a, SIMDLevel: bridge.LevelMax}
	library, _, err := bridge.Open(context.Background(), config, bridge.PreferNative, carrier)
	if err != nil {
		t.Fatal(err)
	}
	transcripts := map[string][]string{}
	for _, c := range conformance.Cases() {
		transcripts[c.Name] = conformance.Play(library, mem, c)
	}
	if err := library.Close(); err != nil {
		t.Error(err)
	}
	l.VerifyEmpty(t)
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	return transcripts
}

// TestCarriersAgree plays the cases over every carrier that this build has; portable is the reference.
func TestCarriersAgree(t *testing.T) {
	want := play(t, "portable", false)
	for _, carrier := range bridge.Carriers() {
		if carrier.Unavailable != "" {
			t.Logf("%s: %s", carrier.Name, carrier.Unavailable)
			continue
		}
		for _, goHeap := range []bool{false, true} {
			name := carrier.Name + " from the arena"
			if goHeap {
				name = carrier.Name + " from the Go heap"
			}
			t.Run(name, func(t *testing.T) {
				if carrier.Name == "dlopen" {
					t.Setenv(dlopen.Variable, libtest.Path(t))
				}
				got := play(t, carrier.Name, goHeap)
				for _, c := range conformance.Cases() {
					compare(t, c.Name, got[c.Name], want[c.Name])
				}
			})
		}
	}
}

// compare reports the first lines that differ.
func compare(t *testing.T, name string, got, want []string) {
	t.Helper()
	if len(want) == 0 {
		t.Errorf("%s: empty transcript", name)
	}
	if slices.Equal(got, want) {
		return
	}
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			t.Errorf("%s, line %d: missing, want %s", name, i, want[i])
		case i >= len(want):
			t.Errorf("%s, line %d: got %s, want no more", name, i, got[i])
		case got[i] != want[i]:
			t.Errorf("%s, line %d: got %s, want %s", name, i, got[i], want[i])
		default:
			continue
		}
	}
}
