// SPDX-License-Identifier: Apache-2.0

package prebuilt_test

import (
	"context"
	"debug/elf"
	"errors"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tombolo-arrow/tombolo/bridge/dlopen/libtest"
	"github.com/tombolo-arrow/tombolo/bridge/dlopen/prebuilt"
)

// TestLibraryExportsAndNeeds holds the library to what README.md of native promises: two entry points, libc alone.
func TestLibraryExportsAndNeeds(t *testing.T) {
	file, err := elf.Open(libtest.Path(t))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()

	symbols, err := file.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	var exported []string
	for _, symbol := range symbols {
		if symbol.Section != elf.SHN_UNDEF && elf.ST_TYPE(symbol.Info) != elf.STT_SECTION {
			exported = append(exported, symbol.Name)
		}
	}
	slices.Sort(exported)
	golden, err := os.ReadFile("testdata/exports.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Fields(string(golden)), exported); diff != "" {
		t.Errorf("exports (-want +got):\n%s", diff)
	}
	needed, err := file.ImportedLibraries()
	if diff := cmp.Diff([]string{"libc.so.6"}, needed); err != nil || diff != "" {
		t.Errorf("needs (-want +got):\n%s%v", diff, err)
	}
	name, err := file.DynString(elf.DT_SONAME)
	if diff := cmp.Diff([]string{prebuilt.Name}, name); err != nil || diff != "" {
		t.Errorf("soname (-want +got):\n%s%v", diff, err)
	}
}

func TestWritesAPackage(t *testing.T) {
	library, err := os.ReadFile(libtest.Path(t))
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "island")
	written, err := prebuilt.Write(folder, library)
	if err != nil || len(written) != 3 {
		t.Fatalf("wrote %q, %v", written, err)
	}
	for _, path := range written {
		if filepath.Ext(path) != ".go" {
			continue
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.AllErrors)
		if err != nil || syntax.Name.Name != "island" {
			t.Errorf("%s: package %v, %v", path, syntax, err)
		}
	}
	if again, err := prebuilt.Write(folder, library); err != nil || !slices.Equal(written, again) {
		t.Errorf("a second time: %q, %v", again, err)
	}
}

func TestRefusesToWrite(t *testing.T) {
	library, err := os.ReadFile(libtest.Path(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := prebuilt.Write(filepath.Join(t.TempDir(), "not-an-identifier"), library); err == nil {
		t.Error("took a folder whose name is no package name")
	}
	folder := filepath.Join(t.TempDir(), "island")
	if _, err := prebuilt.Write(folder, []byte("text")); !errors.Is(err, prebuilt.ErrMachine) {
		t.Errorf("took a text: %v", err)
	}
	if _, err := os.Stat(folder); err == nil {
		t.Error("left a folder behind")
	}
}

func TestBuildWithoutACompiler(t *testing.T) {
	t.Setenv("CXX", "")
	t.Setenv("PATH", t.TempDir())
	path := filepath.Join(t.TempDir(), prebuilt.Name)
	if err := prebuilt.Build(t.Context(), path); !errors.Is(err, prebuilt.ErrNoCompiler) {
		t.Errorf("got %v", err)
	}
	t.Setenv("CXX", "no-such-compiler -m64")
	if err := prebuilt.Build(t.Context(), path); err == nil || !strings.Contains(err.Error(), "CXX") {
		t.Errorf("got %v", err)
	}
}

func TestBuildThatFailsLeavesTheOldLibrary(t *testing.T) {
	path := filepath.Join(t.TempDir(), prebuilt.Name)
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CXX", "false")
	if err := prebuilt.Build(t.Context(), path); err == nil {
		t.Skip("no program called false")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	t.Setenv("CXX", "")
	if err := prebuilt.Build(ctx, path); !errors.Is(err, context.Canceled) && !errors.Is(err, prebuilt.ErrNoCompiler) {
		t.Errorf("cancelled: %v", err)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if content, _ := os.ReadFile(path); err != nil || string(content) != "old" || len(entries) != 1 {
		t.Errorf("left %q, %v, %v", content, entries, err)
	}
}
