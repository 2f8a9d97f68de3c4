// SPDX-License-Identifier: Apache-2.0

package cgolink

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tombolo-arrow/tombolo/native"
)

// TestUnityFilesAreComplete holds the unity files to the tree: every source is compiled exactly once.
func TestUnityFilesAreComplete(t *testing.T) {
	included := map[string]int{}
	units, err := filepath.Glob("*.cc")
	if err != nil || len(units) == 0 {
		t.Fatal("no unity files", err)
	}
	include := regexp.MustCompile(`(?m)^#include "\.\./\.\./native/(src/[^"]+\.cc)"$`)
	for _, unit := range units {
		text, err := os.ReadFile(unit)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range include.FindAllStringSubmatch(string(text), -1) {
			included[match[1]]++
		}
	}
	err = fs.WalkDir(native.Sources, "src", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".cc") {
			if count := included[path]; count != 1 {
				t.Errorf("native/%s is in %d unity files, want 1", path, count)
			}
			delete(included, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for path := range included {
		t.Errorf("a unity file includes native/%s, which is not there", path)
	}
}
