// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tombolo-arrow/tombolo/bridge/dlopen/libtest"
)

// TestPrebuiltPackageCarriesTheLibrary writes a package and builds a program without cgo that finds its kernels in it.
func TestPrebuiltPackageCarriesTheLibrary(t *testing.T) {
	// The package has to lie inside this module to be built with it.
	program, err := os.MkdirTemp("testdata", "program")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(program)

	island := filepath.Join(program, "island")
	code, printed, report := command("prebuilt", "-o", island, "--library", libtest.Path(t))
	if code != 0 || !strings.Contains(printed, "provider_linux_") {
		t.Fatalf("exit code %d: %s%s", code, printed, report)
	}
	text := `package main

import (
	"context"
	"fmt"

	_ "github.com/tombolo-arrow/tombolo/bridge/dlopen"
	"github.com/tombolo-arrow/tombolo/host"
	_ "github.com/tombolo-arrow/tombolo/host/cmd/tombolo/` + filepath.ToSlash(island) + `"
)

func main() {
	engine, err := host.Open(context.Background(), host.RequireNative(), host.WithCarrier("dlopen"))
	if err != nil {
		panic(err)
	}
	defer engine.Close()
	fmt.Println(engine.Info().Carrier)
}
`
	if err := os.WriteFile(filepath.Join(program, "main.go"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	run := exec.CommandContext(t.Context(), "go", "run", "./"+program)
	run.Env = append(os.Environ(), "CGO_ENABLED=0", "TOMBOLO_LIBRARY=")
	if output, err := run.CombinedOutput(); err != nil || string(output) != "dlopen\n" {
		t.Errorf("%v\n%s", err, output)
	}
}

func TestPrebuiltRefuses(t *testing.T) {
	text := filepath.Join(t.TempDir(), "text.so")
	if err := os.WriteFile(text, []byte("no library"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, arguments := range map[string][]string{
		"no folder":   {"prebuilt"},
		"no library":  {"prebuilt", "-o", filepath.Join(t.TempDir(), "island"), "--library", text},
		"no such lib": {"prebuilt", "-o", filepath.Join(t.TempDir(), "island"), "--library", text + "x"},
		"bad name":    {"prebuilt", "-o", filepath.Join(t.TempDir(), "my-island"), "--library", libtest.Path(t)},
	} {
		if code, _, report := command(arguments...); code == 0 || strings.Count(report, "\n") != 1 {
			t.Errorf("%s: exit code %d: %q", name, code, report)
		}
	}
}
