// SPDX-License-Identifier: Apache-2.0

package native_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tombolo-arrow/tombolo/bridge/dlopen/prebuilt"
)

// TestFlagsAgree holds the compile options of the CMake build and of package prebuilt to those of the cgo build. Include paths differ by
// nature and are left out.
func TestFlagsAgree(t *testing.T) {
	cgo := flagsOf(t, "../bridge/cgolink/cgolink.go", regexp.MustCompile(`(?m)#cgo CXXFLAGS: (.*)$`))
	cmake := flagsOf(t, "../cmake/TomboloFlags.cmake", regexp.MustCompile(`set\(TOMBOLO_COMPILE_OPTIONS ([^)]*)\)`))
	if len(cgo) == 0 || !slices.Equal(cgo, cmake) {
		t.Errorf("cgo compiles with %q, CMake with %q", cgo, cmake)
	}
	if own := slices.Sorted(slices.Values(prebuilt.CompileFlags)); !slices.Equal(cgo, own) {
		t.Errorf("cgo compiles with %q, prebuilt with %q", cgo, own)
	}
}

func flagsOf(t *testing.T, path string, pattern *regexp.Regexp) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var flags []string
	for _, match := range pattern.FindAllStringSubmatch(string(text), -1) {
		for _, flag := range strings.Fields(match[1]) {
			if !strings.HasPrefix(flag, "-I") {
				flags = append(flags, flag)
			}
		}
	}
	slices.Sort(flags)
	return flags
}
