// SPDX-License-Identifier: Apache-2.0

package tidy

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestMakeNamesTheRemedy runs make where there is no C++ compiler: it says what is used instead and what to install.
func TestMakeNamesTheRemedy(t *testing.T) {
	tools := t.TempDir()
	for _, name := range []string{"make", "bash", "sh", "awk"} {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Skip("no", name)
		}
		if err := os.Symlink(path, filepath.Join(tools, name)); err != nil {
			t.Skip(err)
		}
	}
	environment := []string{"PATH=" + tools, "HOME=" + t.TempDir()}
	tests := []struct {
		name   string
		set    []string
		silent bool
	}{
		{"nothing set", nil, false},
		{"cgo off by the user", []string{"CGO_ENABLED=0"}, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			run := exec.Command(filepath.Join(tools, "make"), "-C", filepath.Join("..", ".."), "--no-print-directory", "compiler")
			run.Env = append(environment, test.set...)
			printed, err := run.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, printed)
			}
			if named := strings.Contains(string(printed), "apt-get install g++"); named == test.silent {
				t.Errorf("printed %q", printed)
			}
		})
	}
}
