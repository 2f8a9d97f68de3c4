// SPDX-License-Identifier: Apache-2.0

package arena_test

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"github.com/tombolo-arrow/tombolo/ownership/arena"
)

// TestAgainstModel runs random operations beside a model that holds the expected content of each
// allocation: an overlap of two allocations, a lost byte or a byte that is not zeroed shows as a
// difference.
func TestAgainstModel(t *testing.T) {
	type held struct {
		got  []byte
		want []byte
		id   arena.ID
	}
	rapid.Check(t, func(t *rapid.T) {
		a, err := arena.New(arena.Config{KeepBytesMax: 1 << 20, ReserveBytes: 4 << 20})
		if err != nil {
			t.Fatal(err)
		}
		var live []held
		size := rapid.OneOf(rapid.IntRange(1, 700), rapid.IntRange(1, 20_000), rapid.IntRange(1, 300_000))
		write := func(h *held) {
			mark := rapid.Byte().Draw(t, "mark")
			for i := range h.got {
				h.got[i], h.want[i] = mark^byte(i), mark^byte(i)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"allocate": func(t *rapid.T) {
				n := size.Draw(t, "size")
				h := held{got: a.Allocate(n), want: make([]byte, n)}
				if !bytes.Equal(h.got, h.want) {
					t.Fatal("not zeroed")
				}
				found, _ := a.At(address(h.got))
				h.id = found.ID
				write(&h)
				live = append(live, h)
			},
			"reallocate": func(t *rapid.T) {
				if len(live) == 0 {
					t.Skip()
				}
				h := &live[rapid.IntRange(0, len(live)-1).Draw(t, "which")]
				n := size.Draw(t, "size")
				h.got = a.Reallocate(n, h.got)
				grown := make([]byte, n)
				copy(grown, h.want)
				h.want = grown
				found, _ := a.At(address(h.got))
				h.id = found.ID
			},
			"free": func(t *rapid.T) {
				if len(live) == 0 {
					t.Skip()
				}
				i := rapid.IntRange(0, len(live)-1).Draw(t, "which")
				a.Free(live[i].got)
				live = append(live[:i], live[i+1:]...)
			},
			"trim": func(t *rapid.T) { a.Trim() },
			"": func(t *rapid.T) {
				total := int64(0)
				for _, h := range live {
					if !bytes.Equal(h.got, h.want) {
						t.Fatal("content changed")
					}
					if found, ok := a.Lookup(h.id); !ok || found.Address != address(h.got) {
						t.Fatal("identity lost")
					}
					total += int64(len(h.got))
				}
				got := a.Stats()
				if got.Live != int64(len(live)) || got.LiveBytes != total || got.HeldBytes < total {
					t.Fatalf("%d allocations, %d bytes, stats %+v", len(live), total, got)
				}
			},
		})
		for _, h := range live {
			a.Free(h.got)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	})
}
