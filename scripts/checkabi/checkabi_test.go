// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// build compiles source into a shared library and an archive.
func build(t *testing.T, source string, flags ...string) (shared, archive string) {
	t.Helper()
	for _, tool := range []string{"g++", "ar", "nm", "objdump"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("no", tool)
		}
	}
	dir := t.TempDir()
	input := filepath.Join(dir, "input.cc")
	if err := os.WriteFile(input, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	object := filepath.Join(dir, "input.o")
	shared, archive = filepath.Join(dir, "lib.so"), filepath.Join(dir, "lib.a")
	run := func(name string, arguments ...string) {
		t.Helper()
		if output, err := exec.Command(name, arguments...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, output)
		}
	}
	run("g++", append(flags, "-std=c++20", "-O3", "-fPIC", "-c", input, "-o", object)...)
	run("g++", "-shared", object, "-o", shared)
	run("ar", "rcs", archive, object)
	return shared, archive
}

const sound = `
extern "C" int tombolo_host_open() { return 1; }
extern "C" int tombolo_library_open() { return 2; }
`

func TestCheckShared(t *testing.T) {
	tests := []struct {
		name, source string
		want         []string
	}{
		{"one export more", sound + `extern "C" int stray() { return 3; }`, []string{"exports [stray"}},
		{"one export less", `extern "C" int tombolo_host_open() { return 1; }`, []string{"exports [tombolo_host_open]"}},
		{"operator new", sound + `int* make() { return new int(4); }`,
			[]string{"needs libstdc++", "wants _Znwm"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			shared, _ := build(t, test.source)
			faults, err := checkShared(shared)
			if err != nil {
				t.Fatal(err)
			}
			all := strings.Join(faults, "\n")
			for _, want := range test.want {
				if !strings.Contains(all, want) {
					t.Errorf("faults %q lack %q", all, want)
				}
			}
		})
	}
}

func TestCheckArchive(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("ymm registers are of amd64")
	}
	const weak = `
inline __attribute__((noinline)) void widen(float* a) { for (int i = 0; i < 64; i++) a[i] *= 2; }
void use(float* a) { widen(a); }
`
	tests := []struct {
		name, source string
		flags        []string
		want         string
	}{
		{"a weak function for every machine", weak, nil, ""},
		{"a weak function for AVX2", weak, []string{"-mavx2"}, "weak function holds wide"},
		{"a constructor", `int f(); int value = f();`, nil, "a global constructor"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, archive := build(t, test.source, test.flags...)
			faults, err := checkArchive(archive)
			if err != nil {
				t.Fatal(err)
			}
			all := strings.Join(faults, "\n")
			if test.want == "" && all != "" || !strings.Contains(all, test.want) {
				t.Errorf("faults %q, want %q", all, test.want)
			}
		})
	}
}
