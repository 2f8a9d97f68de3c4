// SPDX-License-Identifier: Apache-2.0

// Package dataset knows the real data of the main job: the embedded sample, the full files, their
// checksums and the sums that a right reader must arrive at.
//
// It finds and checks files; it neither parses nor downloads them (scripts/data downloads). It is
// part of the command and under no promise of compatibility.
package dataset

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// The npm package that holds the full files.
const (
	PackageName    = "vega-datasets"
	PackageVersion = "3.2.1"
)

// Remedy is the command that fetches the full files.
const Remedy = "run: go run ./scripts/data"

// ErrMissing says that the full files are not in the cache folder.
var ErrMissing = errors.New("the full data is not in the cache; " + Remedy)

// ErrDamaged says that a file is not the one this program was written for.
var ErrDamaged = errors.New("checksum differs from the recorded one; " + Remedy)

// File is one file of the package, under the folder data of it.
type File struct {
	Name   string
	SHA256 string
	Bytes  int64
}

// The two files that the job reads.
var (
	Flights = File{
		Name:   "flights-3m.parquet",
		SHA256: "dbeb920c90f59b6ccaff823dcc3d08f25a97fa1ce128d93f40be4e931f5900b0",
		Bytes:  13_493_022,
	}
	Airports = File{
		Name:   "airports.csv",
		SHA256: "903c7169e6d558eefb95295fe2947ec8503135fbb855ea5c737cf4a90ea603ad",
		Bytes:  210_365,
	}
)

// Facts are the figures that the events of a known data set add up to.
type Facts struct {
	Rows         int64
	DelaySum     int64
	DistanceSum  int64 // miles
	Routes       int   // distinct pairs of origin and destination
	Origins      int   // distinct origins
	ReferenceLen int64 // rows of the airports
}

// What is known of the two event files.
var (
	SampleFacts = Facts{
		Rows: 50_000, DelaySum: 322_356, DistanceSum: 36_633_091,
		Routes: 3_232, Origins: 226, ReferenceLen: 3_376,
	}
	FullFacts = Facts{
		Rows: 3_000_000, DelaySum: 20_003_603, DistanceSum: 2_194_861_208,
		Routes: 3_399, Origins: 229, ReferenceLen: 3_376,
	}
)

// CacheFolder is where the full files are kept unless told otherwise: a folder of this program and
// data version under the user's cache folder.
func CacheFolder() (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no cache folder for this user; name one with --data: %w", err)
	}
	return filepath.Join(base, "tombolo", PackageName+"-"+PackageVersion), nil
}

// Find returns the path of the file in folder. A file that is absent gives ErrMissing, one of
// another size ErrDamaged; the content is not read (see Check).
func (f File) Find(folder string) (string, error) {
	path := filepath.Join(folder, f.Name)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "", fmt.Errorf("%s: %w", f.Name, ErrMissing)
	case err != nil:
		return "", err
	case info.Size() != f.Bytes:
		return "", fmt.Errorf("%s: %w", f.Name, ErrDamaged)
	}
	return path, nil
}

// Check reads the file at path and compares its checksum; a difference gives ErrDamaged.
func (f File) Check(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()

	digest := sha256.New()
	if _, err := io.Copy(digest, file); err != nil {
		return err
	}
	if hex.EncodeToString(digest.Sum(nil)) != f.SHA256 {
		return fmt.Errorf("%s: %w", f.Name, ErrDamaged)
	}
	return nil
}
