// SPDX-License-Identifier: Apache-2.0

package abi_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/bridge/abi"
	"github.com/tombolo-arrow/tombolo/bridge/abi/malformed"
	"github.com/tombolo-arrow/tombolo/ownership/handle"
	"github.com/tombolo-arrow/tombolo/ownership/ledger"
)

// receive takes a sound struct of one column over from a producer that counts; the result's end is verified.
func receive(t *testing.T, change func(tree *malformed.Tree)) (*abi.Foreign, *producer) {
	t.Helper()
	mem, l, p := newArena(t), ledger.New(), &producer{t: t}
	tree := malformed.Build(mem, &malformed.Node{Format: "+s", Length: 1, Buffers: [][]byte{nil},
		Children: []*malformed.Node{{Format: "i", Length: 1,
			Buffers: [][]byte{nil, malformed.Values[int32](7)}}}}, 0)
	tree.Array().Release, tree.Schema().Release = releaseArray, releaseSchema
	want := producer{arrays: 1, schemas: 1}
	if change != nil {
		change(tree)
		if tree.Array().Release == 0 {
			want.arrays = 0
		}
		if tree.Schema().Release == 0 {
			want.schemas = 0
		}
	}
	importer := abi.NewImporter(p, l)
	t.Cleanup(func() {
		if p.arrays != want.arrays || p.schemas != want.schemas {
			t.Errorf("released %d arrays and %d schemas, want %d and %d", p.arrays, p.schemas,
				want.arrays, want.schemas)
		}
		if err := importer.Fault(); err != nil {
			t.Error(err)
		}
		importer.Close()
		tree.Free()
		l.VerifyEmpty(t)
	})
	f, err := importer.Receive(tree.Schema(), tree.Array())
	if err != nil {
		t.Fatal(err)
	}
	return f, p
}

func importBatch(f *abi.Foreign) error {
	batch, err := f.Batch(context.Background(), abi.ValidateFull)
	if err == nil {
		batch.Release()
	}
	return err
}

func importArray(f *abi.Foreign) error {
	values, err := f.Array(context.Background(), abi.ValidateFull)
	if err == nil {
		values.Release()
	}
	return err
}

func TestForeignStructsAreConsumedOnce(t *testing.T) {
	release := (*abi.Foreign).Release
	arrayGone := func(tree *malformed.Tree) { tree.Array().Release = 0 }
	schemaGone := func(tree *malformed.Tree) { tree.Schema().Release = 0 }
	childGone := func(tree *malformed.Tree) { tree.Arrays[1].Release = 0 }
	fieldGone := func(tree *malformed.Tree) { tree.Schemas[1].Release = 0 }
	type step = func(*abi.Foreign) error
	for name, c := range map[string]struct {
		change func(*malformed.Tree)
		steps  []step
		want   []error // nil for success
	}{
		"imported twice":     {nil, []step{importBatch, importBatch}, []error{nil, handle.ErrMoved}},
		"as array, as batch": {nil, []step{importArray, importBatch}, []error{nil, handle.ErrMoved}},
		"released after import": {nil, []step{importBatch, release, release},
			[]error{nil, handle.ErrMoved, handle.ErrMoved}},
		"released twice": {nil, []step{release, release}, []error{nil, handle.ErrDoubleRelease}},
		"imported after release": {nil, []step{release, importBatch, importArray},
			[]error{nil, handle.ErrUseAfterRelease, handle.ErrUseAfterRelease}},
		"array was released": {arrayGone, []step{importBatch, release},
			[]error{handle.ErrUseAfterRelease, handle.ErrDoubleRelease}},
		"array was released, released": {arrayGone, []step{release, release},
			[]error{handle.ErrDoubleRelease, handle.ErrDoubleRelease}},
		"schema was released": {schemaGone, []step{importArray, importArray},
			[]error{handle.ErrUseAfterRelease, handle.ErrMoved}},
		"child was released": {childGone, []step{importBatch, importBatch},
			[]error{handle.ErrUseAfterRelease, handle.ErrMoved}},
		"child schema was released": {fieldGone, []step{importBatch, release},
			[]error{handle.ErrUseAfterRelease, handle.ErrMoved}},
	} {
		t.Run(name, func(t *testing.T) {
			f, _ := receive(t, c.change)
			for i, step := range c.steps {
				err := step(f)
				if c.want[i] == nil {
					if err != nil {
						t.Errorf("step %d: %v", i, err)
					}
					continue
				}
				var failure *handle.Error
				if !errors.Is(err, c.want[i]) || !errors.Is(err, bridge.ErrReleased) ||
					!errors.As(err, &failure) {
					t.Errorf("step %d: got %v, want %v", i, err, c.want[i])
				}
			}
		})
	}
}

func TestForeignStructsThatAreRefusedAreConsumed(t *testing.T) {
	f, p := receive(t, func(tree *malformed.Tree) { tree.Arrays[1].Offset = -1 })
	if err := importBatch(f); !errors.Is(err, bridge.ErrInvalid) {
		t.Errorf("got %v", err)
	}
	if p.arrays != 1 || p.schemas != 1 {
		t.Errorf("released %d arrays and %d schemas, want 1 and 1", p.arrays, p.schemas)
	}
	if err := importBatch(f); !errors.Is(err, handle.ErrMoved) {
		t.Errorf("again: got %v", err)
	}
}

func TestForeignStructsThatAreNULL(t *testing.T) {
	mem, l, p := newArena(t), ledger.New(), &producer{t: t}
	importer := abi.NewImporter(p, l)
	defer importer.Close()
	for range 2 {
		tree := malformed.Build(mem, &malformed.Node{Format: "n"}, 0)
		tree.Array().Release, tree.Schema().Release = releaseArray, releaseSchema
		if _, err := importer.Receive(nil, tree.Array()); !errors.Is(err, bridge.ErrInvalid) {
			t.Errorf("without schema: %v", err)
		}
		if _, err := importer.ForeignBatch(
			context.Background(), tree.Schema(), nil, abi.ValidateFull); !errors.Is(err, bridge.ErrInvalid) {
			t.Errorf("without array: %v", err)
		}
		tree.Free()
	}
	if p.arrays != 2 || p.schemas != 2 {
		t.Errorf("released %d arrays and %d schemas, want 2 and 2", p.arrays, p.schemas)
	}
	l.VerifyEmpty(t)
}

// TestForeignStructsHaveOneTaker lets goroutines import and release at once: one does.
func TestForeignStructsHaveOneTaker(t *testing.T) {
	for range 50 {
		f, _ := receive(t, nil)
		var taken atomic.Int32
		var all sync.WaitGroup
		for i := range 4 {
			all.Go(func() {
				step := importBatch
				if i%2 == 1 {
					step = (*abi.Foreign).Release
				}
				if err := step(f); err == nil {
					taken.Add(1)
				} else if !errors.Is(err, bridge.ErrReleased) {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if taken.Load() != 1 {
			t.Errorf("%d took the structs, want 1", taken.Load())
		}
	}
}
