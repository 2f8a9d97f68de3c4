// SPDX-License-Identifier: Apache-2.0

package abi_test

import (
	"context"
	"errors"
	"testing"
	"unsafe"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/bridge/abi"
	"github.com/tombolo-arrow/tombolo/bridge/abi/malformed"
	"github.com/tombolo-arrow/tombolo/ownership/arena"
	"github.com/tombolo-arrow/tombolo/ownership/ledger"
)

// Tokens that stand for the release callbacks of a tree.
const (
	releaseArray  = 101
	releaseSchema = 102
)

// producer is a caller that plays the producer of a tree: its release callbacks count.
type producer struct {
	t       testing.TB
	arrays  int
	schemas int
}

func (p *producer) Call(function, a0, _, _, _, _, _ uintptr) uintptr {
	// The address is that of a struct outside the Go heap.
	target := *(*unsafe.Pointer)(unsafe.Pointer(&a0))
	switch function {
	case releaseArray:
		p.arrays++
		(*abi.ArrowArray)(target).Release = 0
	case releaseSchema:
		p.schemas++
		(*abi.ArrowSchema)(target).Release = 0
	default:
		p.t.Errorf("a call of %d, which is no release callback of the root", function)
	}
	return 0
}

func (p *producer) Call7(function, a0, _, _, _, _, _, _ uintptr) uintptr {
	return p.Call(function, a0, 0, 0, 0, 0, 0)
}

func fuzzSeeds(f *testing.F) {
	for i := range len(malformed.SoundArrays()) {
		f.Add([]byte{byte(i)})
		f.Add([]byte{byte(i), byte(i), byte(i), byte(i * 7), byte(31 * i)})
	}
}

func builder(t testing.TB, mem *arena.Arena) func(*malformed.Node, int) *malformed.Tree {
	return func(node *malformed.Node, cover int) *malformed.Tree {
		return malformed.Build(mem, node, cover)
	}
}

// FuzzValidate changes sound arrays: validation must not crash or hang, and what it accepts in full
// it accepts by structure.
func FuzzValidate(f *testing.F) {
	mem := newArena(f)
	fuzzSeeds(f)
	f.Fuzz(func(t *testing.T, script []byte) {
		tree := malformed.Fuzz(builder(t, mem), script)
		defer tree.Free()

		ctx := context.Background()
		structure := abi.Validate(ctx, tree.Schema(), tree.Array(), abi.ValidateStructure)
		full := abi.Validate(ctx, tree.Schema(), tree.Array(), abi.ValidateFull)
		if full == nil && structure != nil {
			t.Errorf("accepted in full, refused by structure: %v", structure)
		}
		for _, err := range []error{structure, full} {
			if err != nil && !errors.Is(err, bridge.ErrInvalid) && !errors.Is(err, bridge.ErrReleased) {
				t.Errorf("an untyped error: %v", err)
			}
		}
	})
}

// FuzzImport imports what full validation accepts and reads every value; whatever happens, both
// structs are consumed exactly once and nothing stays behind.
func FuzzImport(f *testing.F) {
	mem := newArena(f)
	fuzzSeeds(f)
	f.Fuzz(func(t *testing.T, script []byte) {
		tree := malformed.Fuzz(builder(t, mem), script)
		defer tree.Free()

		importTree(t, tree)
	})
}

func importTree(t *testing.T, tree *malformed.Tree) {
	t.Helper()
	schema, array := tree.Schema(), tree.Array()
	want := &producer{}
	if schema.Release != 0 {
		schema.Release, want.schemas = releaseSchema, 1
	}
	if array.Release != 0 {
		array.Release, want.arrays = releaseArray, 1
	}
	got, l := &producer{t: t}, ledger.New()
	importer := abi.NewImporter(got, l)
	values, err := importer.ForeignArray(context.Background(), schema, array, abi.ValidateFull)
	if err == nil {
		_ = values.String()
		_ = values.NullN()
		values.Release()
	} else if code := new(bridge.Error); !errors.As(err, &code) {
		t.Errorf("an untyped error: %v", err)
	}
	importer.Close()
	if got.arrays != want.arrays || got.schemas != want.schemas {
		t.Errorf("released %d arrays and %d schemas, want %d and %d (%v)",
			got.arrays, got.schemas, want.arrays, want.schemas, err)
	}
	if schema.Release != 0 || array.Release != 0 {
		t.Error("the input is not consumed")
	}
	l.VerifyEmpty(t)
}

func TestForeignImportOfTheTable(t *testing.T) {
	mem := newArena(t)
	for _, sound := range malformed.SoundArrays() {
		t.Run(sound.Name, func(t *testing.T) {
			tree := malformed.Build(mem, sound.Node(), 0)
			defer tree.Free()

			importTree(t, tree)
		})
	}
	for _, broken := range malformed.Cases() {
		t.Run(broken.Name, func(t *testing.T) {
			tree := malformed.Build(mem, broken.Node(), 0)
			defer tree.Free()

			if broken.Break != nil {
				broken.Break(tree)
			}
			importTree(t, tree)
		})
	}
}
