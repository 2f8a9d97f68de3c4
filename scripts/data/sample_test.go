// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/tombolo-arrow/tombolo/host/cmd/tombolo/dataset"
)

// The checked-in sample is what this program makes today, byte for byte.
func TestSampleIsReproducible(t *testing.T) {
	cache, err := dataset.CacheFolder()
	if err != nil || !present(cache) {
		t.Skip("the full data is not in the cache; " + dataset.Remedy)
	}
	folder := t.TempDir()
	if err := makeSample(context.Background(), cache, folder); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{dataset.SampleEventsName, dataset.SampleReferenceName} {
		made, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		kept, err := os.ReadFile(filepath.Join("../../host/cmd/tombolo/dataset/sample", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(made, kept) {
			t.Errorf("%s differs from the checked-in file: %d and %d bytes",
				name, len(made), len(kept))
		}
	}
}

func packageFile(t *testing.T, entries map[string]string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "package.tgz")
	var out bytes.Buffer
	packed := gzip.NewWriter(&out)
	archive := tar.NewWriter(packed)
	for name, content := range entries {
		header := &tar.Header{Name: name, Mode: 0o644, Size: int64(len(content))}
		if err := archive.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		if _, err := archive.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(archive.Close(), packed.Close()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFetchRefuses(t *testing.T) {
	notPacked := filepath.Join(t.TempDir(), "plain.tgz")
	if err := os.WriteFile(notPacked, []byte("plain text"), 0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name    string
		archive string
		want    error
	}{
		{"a file of another kind", notPacked, nil},
		{"a package without the files",
			packageFile(t, map[string]string{"package/README.md": "x"}), nil},
		{"files with other content", packageFile(t, map[string]string{
			"package/data/flights-3m.parquet": "PAR1", "package/data/airports.csv": "iata\n",
		}), dataset.ErrDamaged},
		{"no file", filepath.Join(t.TempDir(), "absent.tgz"), os.ErrNotExist},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "cache")
			err := fetch(context.Background(), folder, test.archive)
			if err == nil {
				t.Fatal("fetch took it")
			}
			if test.want != nil && !errors.Is(err, test.want) {
				t.Fatalf("got %v, want %v", err, test.want)
			}
			left, _ := filepath.Glob(filepath.Join(folder, "*"))
			if len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestFetchWithoutNPM(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if err := fetch(context.Background(), t.TempDir(), ""); !errors.Is(err, errNoNPM) {
		t.Fatalf("got %v, want the message that names the remedy", err)
	}
}
