// SPDX-License-Identifier: Apache-2.0

package tidy

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/modfile"
)

// TestDependenciesAreRecorded holds DEPENDENCIES.md to the direct requirements of every module of the repository.
func TestDependenciesAreRecorded(t *testing.T) {
	root := filepath.Join("..", "..")
	required := map[string]bool{}
	for _, folder := range []string{".", "bench", "ctests/crossing"} {
		path := filepath.Join(root, folder, "go.mod")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		file, err := modfile.Parse(path, text, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, requirement := range file.Require {
			if !requirement.Indirect && requirement.Mod.Path != module {
				required[requirement.Mod.Path] = true
			}
		}
	}
	text, err := os.ReadFile(filepath.Join(root, "DEPENDENCIES.md"))
	if err != nil {
		t.Fatal(err)
	}
	recorded := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| [^|]+ \\| [^|]+ \\|$").FindAllSubmatch(text, -1) {
		recorded[string(row[1])] = true
	}
	if diff := cmp.Diff(sorted(required), sorted(recorded)); diff != "" {
		t.Errorf("go.mod and DEPENDENCIES.md (-required +recorded)\n%s", diff)
	}
}

func sorted(set map[string]bool) []string {
	var names []string
	for name := range set {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
