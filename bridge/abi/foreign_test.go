// SPDX-License-Identifier: Apache-2.0

package abi

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/bridge/conformance"
	"github.com/tombolo-arrow/tombolo/ownership/ledger"
)

// fakeLibrary is a kernel library of somebody else: a table in C memory whose functions are the test's. Its one
// map kernel, echo, takes a batch of one int64 column.
type fakeLibrary struct {
	*world
	memory memory
	entry  Entry
	number int32
	table  *Library
	kernel *Kernel
	schema *ArrowSchema // of the result
	// What run does with its context, input and output.
	run func(c *Context, input, output *ArrowArray) bridge.Code
}

func newFakeLibrary(t *testing.T) *fakeLibrary {
	t.Helper()
	f := &fakeLibrary{world: newWorld(t), number: Version}
	f.table, f.kernel = at[Library](f.memory.allocate(LibraryBytes)), at[Kernel](f.memory.allocate(KernelBytes))
	host := at[Host](f.memory.allocate(HostBytes))
	text := func(value string) uintptr { return f.memory.text(value) }
	*f.table = Library{
		ABI: Version, Name: text("foreign"), Version: text("1"), KernelCount: 1, Kernels: addressOf(f.kernel),
	}
	*f.kernel = Kernel{
		Name: text("echo"), Kind: int32(bridge.Map), InputCount: 1, Bind: f.add(f.bind),
		Unbind: f.add(func(...uintptr) uintptr { return 0 }), Run: f.add(f.call),
	}
	*host = Host{
		ABI: Version, ReleaseRoot: f.releases.Root, ReleaseChild: f.releases.Child, ReleaseSchema: f.releases.Schema,
		ReleaseSchemaChild: f.releases.SchemaChild, AllocatorOpen: f.add(func(...uintptr) uintptr { return 1 }),
		AllocatorStats: f.add(func(...uintptr) uintptr { return 0 }), Validate: f.add(f.validate),
		AllocatorClose: f.add(func(...uintptr) uintptr { return 0 }),
	}
	f.entry = Entry{
		Carrier: "fake", Caller: f.fakeCaller, Foreign: true, Remedy: "take a matching build",
		Library: f.add(func(a ...uintptr) uintptr {
			if int32(a[0]) != f.number {
				return 0
			}
			return addressOf(f.table)
		}),
		Host: f.add(func(...uintptr) uintptr { return addressOf(host) }),
	}
	t.Cleanup(f.memory.close)
	return f
}

// bind answers with the schema of its input.
func (f *fakeLibrary) bind(a ...uintptr) uintptr {
	input := at[ArrowSchema](*at[uintptr](a[2]))
	*at[ArrowSchema](a[6]) = *input // release does nothing but mark
	*at[uintptr](a[5]) = 7
	return 0
}

func (f *fakeLibrary) call(a ...uintptr) uintptr {
	input := at[ArrowArray](*at[uintptr](a[2]))
	// The upper half of the register is not part of a status.
	return 0xABCD<<32 | uintptr(f.run(at[Context](a[0]), input, at[ArrowArray](a[3])))
}

func (f *fakeLibrary) validate(a ...uintptr) uintptr {
	err := Validate(context.Background(), at[ArrowSchema](a[1]), at[ArrowArray](a[2]), int32(a[3]))
	var failure *bridge.Error
	if errors.As(err, &failure) {
		f.fail(at[Context](a[0]), failure.Text)
		return uintptr(failure.Code)
	}
	return 0
}

func (f *fakeLibrary) fail(c *Context, text string) {
	copy(span[byte](c.Error, int(c.ErrorBytes)), text+"\x00")
	c.Argument, c.Column = 0, 0
}

func (f *fakeLibrary) release(a *ArrowArray) {
	f.fakeCaller.Call(a.Release, addressOf(a), 0, 0, 0, 0, 0)
}

// imitate makes an output with structs of the library's own over the buffers of the input, and returns its column.
// Its release releases the input, whatever was written to the structs.
func (f *fakeLibrary) imitate(input, output *ArrowArray) *ArrowArray {
	held := at[ArrowArray](f.memory.allocate(ArrowArrayBytes))
	column := at[ArrowArray](f.memory.allocate(ArrowArrayBytes))
	*held = *input
	*input = ArrowArray{}
	*output, *column = *held, *at[ArrowArray](*at[uintptr](held.Children))
	output.Children = f.memory.allocate(8)
	*at[uintptr](output.Children) = addressOf(column)
	output.Release = f.add(func(a ...uintptr) uintptr {
		f.release(held)
		at[ArrowArray](a[0]).Release = 0
		return 0
	})
	return column
}

// open opens the library and binds echo.
func (f *fakeLibrary) open(t *testing.T) (bridge.Library, bridge.Bound, arrow.RecordBatch) {
	t.Helper()
	library, err := Open(f.entry, bridge.Config{Arena: f.arena, Ledger: f.ledger, SIMDLevel: bridge.LevelMax})
	if err != nil {
		t.Fatal(err)
	}
	m := &conformance.Maker{Rand: rand.New(rand.NewPCG(1, 2)), Mem: f.arena}
	values := m.Array(arrow.PrimitiveTypes.Int64, 10)
	defer values.Release()
	schema := arrow.NewSchema([]arrow.Field{{Name: "n", Type: values.DataType(), Nullable: true}}, nil)
	batch := array.NewRecordBatch(schema, []arrow.Array{values}, 10)
	bound, err := library.Bind(context.Background(), "echo", []*arrow.Schema{schema})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		bound.Release()
		batch.Release()
		if err := library.Close(); err != nil {
			t.Error(err)
		}
	})
	return library, bound, batch
}

// echo moves the input to the output.
func echo(_ *Context, input, output *ArrowArray) bridge.Code {
	*output = *input
	*input = ArrowArray{Length: 0x5A5A}
	return 0
}

func TestForeignLibraryEchoes(t *testing.T) {
	f := newFakeLibrary(t)
	f.run = echo
	library, bound, batch := f.open(t)
	for range 3 {
		// The result is the exported batch itself, so its block stays out until the result is released.
		result, err := bound.Run(context.Background(), batch)
		if err != nil {
			t.Fatal(err)
		}
		if !array.RecordEqual(result, batch) {
			t.Errorf("got %v, want %v", result, batch)
		}
		if out := f.ledger.Snapshot().Of(ledger.ExportBlocks); out.Objects != 1 {
			t.Errorf("%d export blocks out, want 1", out.Objects)
		}
		result.Release()
	}
	if counters := library.Counters(); counters.Crossings != 3 || counters.Imports != 3 || counters.Exports != 3 {
		t.Errorf("counters: %+v", counters)
	}
}

// TestForeignLibraryMisbehaves gives back results that break the contract. Each is a typed error, and everything
// is released.
func TestForeignLibraryMisbehaves(t *testing.T) {
	type call = func(f *fakeLibrary, input, output *ArrowArray) bridge.Code
	spoil := func(change func(output, column *ArrowArray)) call {
		return func(f *fakeLibrary, input, output *ArrowArray) bridge.Code {
			change(output, f.imitate(input, output))
			return 0
		}
	}
	var kept ArrowArray
	for name, step := range map[string]struct {
		run  call
		want error
	}{
		"no output": {
			func(*fakeLibrary, *ArrowArray, *ArrowArray) bridge.Code { return 0 }, bridge.ErrReleased,
		},
		"negative length":  {spoil(func(_, c *ArrowArray) { c.Length = -1 }), bridge.ErrInvalid},
		"huge length":      {spoil(func(_, c *ArrowArray) { c.Length = 1 << 62 }), bridge.ErrInvalid},
		"null count":       {spoil(func(_, c *ArrowArray) { c.NullCount = 11 }), bridge.ErrInvalid},
		"buffer count":     {spoil(func(_, c *ArrowArray) { c.NBuffers = 3 }), bridge.ErrInvalid},
		"no buffers":       {spoil(func(_, c *ArrowArray) { c.Buffers = 0 }), bridge.ErrInvalid},
		"child count":      {spoil(func(o, _ *ArrowArray) { o.NChildren = 2 }), bridge.ErrInvalid},
		"no children":      {spoil(func(o, _ *ArrowArray) { o.Children = 0 }), bridge.ErrInvalid},
		"short child":      {spoil(func(o, _ *ArrowArray) { o.Length = 11 }), bridge.ErrInvalid},
		"wrong null count": {spoil(func(_, c *ArrowArray) { c.NullCount = 5 }), bridge.ErrInvalid},
		"dictionary":       {spoil(func(o, c *ArrowArray) { c.Dictionary = addressOf(o) }), bridge.ErrInvalid},
		"released child":   {spoil(func(_, c *ArrowArray) { c.Release = 0 }), bridge.ErrReleased},
		"failure": {
			func(*fakeLibrary, *ArrowArray, *ArrowArray) bridge.Code { return 9 }, bridge.ErrIndex,
		},
		"input kept": {
			func(_ *fakeLibrary, i, _ *ArrowArray) bridge.Code { kept = *i; return 7 }, bridge.ErrOverflow,
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFakeLibrary(t)
			f.run = func(c *Context, input, output *ArrowArray) bridge.Code {
				code := step.run(f, input, output)
				if code != 0 {
					f.fail(c, "text of the failure")
				}
				if input.Release != 0 && kept.Release == 0 && output.Release == 0 {
					f.release(input)
				}
				return code
			}
			_, bound, batch := f.open(t)
			result, err := bound.Run(context.Background(), batch)
			if !errors.Is(err, step.want) || result != nil {
				t.Errorf("got %v, want %v", err, step.want)
			}
			var failure *bridge.Error
			if errors.As(err, &failure) && failure.Kernel != "echo" {
				t.Errorf("kernel %q, want echo: %v", failure.Kernel, err)
			}
			if kept.Release != 0 {
				// Against the contract the callee kept its input; the batch lives until it lets go.
				f.release(&kept)
				kept = ArrowArray{}
			}
		})
	}
}

func TestABIMismatchNamesBothNumbers(t *testing.T) {
	for name, change := range map[string]func(f *fakeLibrary){
		"serves another number": func(f *fakeLibrary) { f.number, f.table.ABI = 41, 41 },
		"says another number":   func(f *fakeLibrary) { f.table.ABI = 41 },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFakeLibrary(t)
			change(f)
			_, err := Open(f.entry, bridge.Config{Arena: f.arena, Ledger: f.ledger})
			if err == nil {
				t.Fatal("opened")
			}
			for _, part := range []string{"ABI 41", "needs 1", "take a matching build"} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q is not in %q", part, err)
				}
			}
		})
	}
}
