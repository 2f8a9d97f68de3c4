// SPDX-License-Identifier: Apache-2.0

package source

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestHugeLengthsInMetadata opens files whose metadata claims more than a machine has memory: without a look at the
// lengths the process ends.
func TestHugeLengthsInMetadata(t *testing.T) {
	paths, err := filepath.Glob("testdata/damaged/huge-*")
	if err != nil || len(paths) != 4 {
		t.Fatalf("%q, %v", paths, err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			file, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()

			stream, err := Open(file, Options{Columns: []string{"date"}})
			if err == nil {
				stream.Close()
			}
			if !errors.Is(err, ErrDamaged) {
				t.Errorf("got %v", err)
			}
		})
	}
}
