// SPDX-License-Identifier: Apache-2.0

//go:build cgo && linux && (amd64 || arm64) && !tombolo_portable

package cgolink_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/bridge/kerneltest"
	"github.com/tombolo-arrow/tombolo/bridge/portable"
	"github.com/tombolo-arrow/tombolo/ownership/arena"
	"github.com/tombolo-arrow/tombolo/ownership/ledger"
)

// libraries opens the portable library first and then the native one at every level that the machine has.
func libraries(t testing.TB) []bridge.Library {
	t.Helper()
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	all := []bridge.Library{portable.Open(bridge.Config{Allocator: mem, Ledger: ledger.New()})}
	t.Cleanup(func() {
		if err := all[0].Close(); err != nil {
			t.Error(err)
		}
		if c, ok := t.(*testing.T); ok {
			mem.AssertSize(c, 0)
		}
	})
	for level := bridge.LevelBase; level <= bridge.LevelAVX512; level++ {
		library := openLevel(t, level)
		if library.Info().SIMDLevel == level {
			all = append(all, library)
		}
	}
	return all
}

func openLevel(t testing.TB, level bridge.SIMDLevel) bridge.Library {
	t.Helper()
	l := ledger.New()
	a, err := arena.New(arena.Config{Ledger: l})
	if err != nil {
		t.Fatal(err)
	}
	config := bridge.Config{Ledger: l, Arena: a, SIMDLevel: level}
	library, _, err := bridge.Open(context.Background(), config, bridge.RequireNative, "cgo")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := library.Close(); err != nil {
			t.Error(err)
		}
		l.VerifyEmpty(t)
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return library
}

// groupCase is one use of group_by: batches, some of them given to a second state that is merged into the first.
type groupCase struct {
	schema  *arrow.Schema
	options []bridge.Option
	first   []arrow.RecordBatch
	second  []arrow.RecordBatch
}

func (g *groupCase) release() {
	for _, batch := range append(g.first, g.second...) {
		batch.Release()
	}
}

func newGroupCase(random *rand.Rand, keyTypes []arrow.DataType, nulls kerneltest.Nulls) *groupCase {
	sizes := []int{1, 3, 40, 300, 3000}
	pool := kerneltest.NewKeyPool(random, sizes[random.IntN(len(sizes))])
	c := &groupCase{}
	for i := range keyTypes {
		c.options = append(c.options, bridge.Option{Name: "key", Value: int64(i)})
	}
	for _, text := range kerneltest.GroupAggregates(random, len(keyTypes)) {
		c.options = append(c.options, bridge.Option{Name: "aggregate", Value: text})
	}
	rows := []int{0, 1, 15, 64, 129, 1024, 1025, 2500}
	for i := range 2 + random.IntN(4) {
		batch := pool.GroupBatch(random, keyTypes, rows[random.IntN(len(rows))], nulls)
		c.schema = batch.Schema()
		if i%3 == 2 {
			c.second = append(c.second, batch)
		} else {
			c.first = append(c.first, batch)
		}
	}
	return c
}

// group runs a case; split > 0 cuts every batch into pieces of as many rows.
func (g *groupCase) group(t testing.TB, library bridge.Library, split int) arrow.RecordBatch {
	t.Helper()
	ctx := context.Background()
	bound, err := library.Bind(ctx, "group_by", []*arrow.Schema{g.schema}, g.options...)
	if err != nil {
		t.Fatal(err)
	}
	defer bound.Release()

	states := make([]bridge.State, 2)
	for i, batches := range [][]arrow.RecordBatch{g.first, g.second} {
		if states[i], err = bound.NewState(ctx); err != nil {
			t.Fatal(err)
		}
		defer states[i].Close()

		for _, batch := range batches {
			consumeSplit(t, states[i], batch, split)
		}
	}
	if err := states[0].Merge(ctx, states[1]); err != nil {
		t.Fatal(err)
	}
	result, err := states[0].Finish(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if empty, err := states[1].Finish(ctx); err != nil || empty.NumRows() != 0 {
		t.Fatal("a merged state is not empty", err)
	} else {
		empty.Release()
	}
	return result
}

func consumeSplit(t testing.TB, state bridge.State, batch arrow.RecordBatch, split int) {
	t.Helper()
	if split <= 0 {
		split = max(1, int(batch.NumRows()))
	}
	for row := 0; row == 0 || row < int(batch.NumRows()); row += split {
		piece := batch.NewSlice(int64(row), min(batch.NumRows(), int64(row+split)))
		err := state.Consume(context.Background(), piece)
		piece.Release()
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestGroupByIsPortableBitForBit compares every library and every split of the batches with the portable one.
func TestGroupByIsPortableBitForBit(t *testing.T) {
	all := libraries(t)
	keyTypes := append(append([]arrow.DataType{}, kerneltest.TextTypes...), kerneltest.IntegerKeyTypes...)
	rounds := 4
	if testing.Short() {
		rounds = 1
	}
	for i, keyType := range keyTypes {
		for keys := 1; keys <= 2; keys++ {
			t.Run(fmt.Sprintf("%s/%d", keyType, keys), func(t *testing.T) {
				random := rand.New(rand.NewPCG(uint64(i), uint64(keys)))
				for round := range rounds {
					types := []arrow.DataType{keyType}
					if keys == 2 {
						types = append(types, keyTypes[random.IntN(len(keyTypes))])
					}
					nulls := kerneltest.Nulls(round % 3)
					compareGroups(t, all, newGroupCase(random, types, nulls), 1+random.IntN(700))
				}
			})
		}
	}
}

func compareGroups(t *testing.T, all []bridge.Library, c *groupCase, split int) {
	t.Helper()
	defer c.release()

	want := c.group(t, all[0], 0)
	defer want.Release()

	kerneltest.CheckShape(t, want)
	for i, library := range all {
		for _, pieces := range []int{0, split} {
			got := c.group(t, library, pieces)
			kerneltest.CheckEqual(t, got, want)
			if i > 0 {
				kerneltest.CheckShape(t, got)
			}
			got.Release()
			if t.Failed() {
				t.Fatalf("library %d (level %d), pieces of %d, keys %s", i, library.Info().SIMDLevel, pieces, c.schema)
			}
		}
	}
}

// TestIndexInIsPortableBitForBit looks columns of every type up in sets of every type of the same kind.
func TestIndexInIsPortableBitForBit(t *testing.T) {
	all := libraries(t)
	random := rand.New(rand.NewPCG(5, 6))
	kinds := [][]arrow.DataType{kerneltest.TextTypes, kerneltest.Integers()}
	for _, types := range kinds {
		for _, setType := range types {
			for _, columnType := range types {
				for _, nulls := range []kerneltest.Nulls{kerneltest.NoNulls, kerneltest.SomeNulls} {
					compareIndexIn(t, all, random, setType, columnType, nulls)
				}
			}
		}
	}
}

func compareIndexIn(
	t *testing.T, all []bridge.Library, random *rand.Rand, setType, columnType arrow.DataType, nulls kerneltest.Nulls,
) {
	t.Helper()
	sizes := []int{1, 5, 20, 300, 6000}
	pool := kerneltest.NewKeyPool(random, sizes[random.IntN(len(sizes))])
	set := kerneltest.Distinct(pool.Column(random, setType, 4*len(pool.Words), nulls, 3))
	defer set.Release()
	rows := []int{0, 1, 63, 127, 128, 129, 1024, 3000}
	batch := kerneltest.Batch(pool.Column(random, columnType, rows[random.IntN(len(rows))], nulls, random.IntN(9)))
	defer batch.Release()

	var want arrow.RecordBatch
	for i, library := range all {
		got := indexIn(t, library, set, batch)
		kerneltest.CheckShape(t, got)
		if i == 0 {
			want = got
			continue
		}
		kerneltest.CheckEqual(t, got, want)
		got.Release()
		if t.Failed() {
			t.Fatalf("level %d: %s in a set of %s", library.Info().SIMDLevel, columnType, setType)
		}
	}
	want.Release()
}

func indexIn(t testing.TB, library bridge.Library, set, batch arrow.RecordBatch) arrow.RecordBatch {
	t.Helper()
	ctx := context.Background()
	object, err := library.Prepare(ctx, "value_set", set)
	if err != nil {
		t.Fatal(err)
	}
	bound, err := library.Bind(ctx, "index_in", []*arrow.Schema{batch.Schema()},
		bridge.Option{Name: "value_set", Value: object})
	object.Release()
	if err != nil {
		t.Fatal(err)
	}
	defer bound.Release()

	result, err := bound.Run(ctx, batch)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// errorCode gives the code of a kernel's error, 0 for none.
func errorCode(err error) bridge.Code {
	var kernelError *bridge.Error
	if errors.As(err, &kernelError) {
		return kernelError.Code
	}
	return 0
}
