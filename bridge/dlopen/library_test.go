// SPDX-License-Identifier: Apache-2.0

//go:build linux

package dlopen

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/bridge/dlopen/libtest"
	"github.com/tombolo-arrow/tombolo/ownership/arena"
	"github.com/tombolo-arrow/tombolo/ownership/ledger"
)

// The lies of ctests/library/double.c.
const (
	lieABI = iota + 1
	lieNull
	lieOffset
	lieKind
	lieName
)

// compileDouble makes the library that somebody else wrote.
func compileDouble(t *testing.T, lie int) string {
	t.Helper()
	compiler := "cc"
	if runtime.GOARCH == "arm64" {
		compiler = "aarch64-linux-gnu-gcc"
	}
	if _, err := exec.LookPath(compiler); err != nil {
		t.Skip("no C compiler")
	}
	path := filepath.Join(t.TempDir(), "double.so")
	compile := exec.CommandContext(t.Context(), compiler, "-std=c11", "-O1", "-Wall", "-Werror", "-fPIC", "-shared",
		fmt.Sprintf("-DLIE=%d", lie), "-I../../native/include", "../../ctests/library/double.c", "-o", path)
	if output, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	return path
}

// withDouble opens the library and gives it to a test, after which nothing may be left.
func withDouble(t *testing.T, lie int, test func(library bridge.Library, mem memory.Allocator)) error {
	t.Helper()
	own, err := Entry(libtest.Path(t))
	if err != nil {
		t.Fatal(err)
	}
	l := ledger.New()
	a, err := arena.New(arena.Config{Ledger: l})
	if err != nil {
		t.Fatal(err)
	}
	library, err := OpenLibrary(compileDouble(t, lie), own, bridge.Config{Ledger: l, Arena: a, SIMDLevel: bridge.LevelMax})
	if err == nil {
		test(library, a)
		err = library.Close()
	}
	l.VerifyEmpty(t)
	return errors.Join(err, a.Close())
}

func numbers(t *testing.T, mem memory.Allocator) arrow.RecordBatch {
	t.Helper()
	schema := arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int64, Nullable: true}}, nil)
	batch, _, err := array.RecordFromJSON(mem, schema, strings.NewReader(`[{"n": 1}, {"n": null}, {"n": -7}, {"n": 5}]`))
	if err != nil {
		t.Fatal(err)
	}
	return batch
}

func TestSomebodysLibraryRuns(t *testing.T) {
	err := withDouble(t, 0, func(library bridge.Library, mem memory.Allocator) {
		kernels := library.Kernels()
		if len(kernels) != 1 || kernels[0] != (bridge.KernelInfo{Name: "double", Kind: bridge.Map, Inputs: 1}) {
			t.Errorf("kernels %v", kernels)
		}
		for name, from := range map[string]memory.Allocator{"arena": mem, "Go heap": memory.NewGoAllocator()} {
			batch := numbers(t, from)
			sliced := batch.NewSlice(1, 4)
			bound, err := library.Bind(t.Context(), "double", []*arrow.Schema{batch.Schema()})
			if err != nil {
				t.Fatal(err)
			}
			for in, want := range map[arrow.RecordBatch]string{batch: "[2 (null) -14 10]", sliced: "[(null) -14 10]"} {
				result, err := bound.Run(t.Context(), in)
				if err != nil {
					t.Fatal(name, err)
				}
				if got := result.Column(0).String(); got != want {
					t.Errorf("%s: got %s, want %s", name, got, want)
				}
				result.Release()
			}
			bound.Release()
			sliced.Release()
			batch.Release()
		}
	})
	if err != nil {
		t.Error(err)
	}
}

func TestSomebodysLibraryRefusesATypeByItself(t *testing.T) {
	err := withDouble(t, 0, func(library bridge.Library, _ memory.Allocator) {
		text := arrow.NewSchema([]arrow.Field{{Name: "s", Type: arrow.BinaryTypes.String}}, nil)
		_, err := library.Bind(t.Context(), "double", []*arrow.Schema{text})
		if !errors.Is(err, bridge.ErrType) {
			t.Errorf("got %v", err)
		}
	})
	if err != nil {
		t.Error(err)
	}
}

// TestLibrariesThatLieInTheirTable are refused when they are opened.
func TestLibrariesThatLieInTheirTable(t *testing.T) {
	for lie, want := range map[int]string{
		lieABI: "the library has ABI 8", lieNull: "has no function run", lieKind: "is of no known kind", lieName: "without a name",
	} {
		err := withDouble(t, lie, func(bridge.Library, memory.Allocator) { t.Errorf("lie %d was taken", lie) })
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("lie %d: got %v, want %q", lie, err, want)
		}
	}
}

// TestALibraryThatLiesInItsOutput is caught by validation, before a value is read.
func TestALibraryThatLiesInItsOutput(t *testing.T) {
	err := withDouble(t, lieOffset, func(library bridge.Library, mem memory.Allocator) {
		batch := numbers(t, mem)
		defer batch.Release()
		bound, err := library.Bind(t.Context(), "double", []*arrow.Schema{batch.Schema()})
		if err != nil {
			t.Fatal(err)
		}
		defer bound.Release()
		if _, err := bound.Run(t.Context(), batch); !errors.Is(err, bridge.ErrInvalid) {
			t.Errorf("got %v", err)
		}
	})
	if err != nil {
		t.Error(err)
	}
}
