// SPDX-License-Identifier: Apache-2.0

package prebuilt_test

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/tombolo-arrow/tombolo/bridge/dlopen/libtest"
)

// TestLoadsUnderMusl loads the library, which was linked to glibc, into a program of musl's.
func TestLoadsUnderMusl(t *testing.T) {
	compiler, err := exec.LookPath("musl-gcc")
	if err != nil {
		t.Skip("no musl-gcc (Debian, Ubuntu: apt-get install musl-tools)")
	}
	machine, err := exec.CommandContext(t.Context(), compiler, "-dumpmachine").Output()
	if want := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH]; err != nil ||
		!strings.HasPrefix(string(machine), want) {
		t.Skipf("musl-gcc is for %s, %v", machine, err)
	}
	program := filepath.Join(t.TempDir(), "load")
	compile := exec.CommandContext(t.Context(), compiler, "-std=c11", "-Wall", "-Werror", "-D_GNU_SOURCE",
		"-I../../../native/include", "testdata/load.c", "-o", program)
	if output, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	output, err := exec.CommandContext(t.Context(), program, libtest.Path(t)).CombinedOutput()
	if err != nil || string(output) != "7\n" {
		t.Errorf("%v\n%s", err, output)
	}
}
