// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"context"
	"testing"
)

// A table gives up its growth when the context ends, as long as it has room, and loses no key by that.
func TestGrowthEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	table := newHashTable(0)
	table.ctx = ctx
	insert := func(until int) {
		for table.count < until {
			table.insert(uint64(table.count)*7919, int32(table.count))
		}
		for i := range until {
			if got := table.find(uint64(i) * 7919); int(got) != i {
				t.Fatalf("key %d has number %d, of %d", i, got, until)
			}
		}
	}
	insert(4 * keyBlockRows)
	slots := len(table.slots)
	cancel()
	insert(5 * keyBlockRows)
	if len(table.slots) != slots {
		t.Errorf("grew from %d to %d slots for nobody", slots, len(table.slots))
	}
	insert(20 * keyBlockRows)
	if len(table.slots) <= slots {
		t.Errorf("%d keys in %d slots", table.count, len(table.slots))
	}
}

// What is made beside a call is all there, or nothing.
func TestMakeWithin(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	for _, size := range []int{0, 1, besideMin} {
		if got := makeWithin[int64](ctx, size); len(got) != size {
			t.Errorf("%d elements, want %d", len(got), size)
		}
	}
	cancel()
	// Both may be ready at once; a slice that is there is whole.
	if got := makeWithin[int64](ctx, besideMin); got != nil && len(got) != besideMin {
		t.Errorf("%d elements after the end", len(got))
	}
	table := newHashTable(0)
	if table.reserveWithin(ctx, besideMin); len(table.slots) != hashSlotsMin {
		t.Errorf("%d slots after the end", len(table.slots))
	}
}
