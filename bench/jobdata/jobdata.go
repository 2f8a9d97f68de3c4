// SPDX-License-Identifier: Apache-2.0

// Package jobdata finds the files of the main job for the benchmark, and compares what the variants made of them.
package jobdata

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/tombolo-arrow/tombolo/host/cmd/tombolo/dataset"
)

// FullRows is the number of flights of the full data set.
const FullRows = 3_000_000

// Files are the paths of the job's inputs, as plain Parquet and CSV that every peer reads.
type Files struct{ Events, Airports string }

// Totals sums up the results of the job: whole numbers to be equal, reals to seven digits, since peers add in other
// orders and with other sines.
type Totals struct {
	Rows, Delay, Distance, Agree     int64
	StateMonths, Late, Cells, Routes int64
	Miles, X, Y, RouteDelay          float64
}

// Digest is equal for results that are equal to that measure.
func (t Totals) Digest() string {
	whole := fmt.Sprintf("rows %d delay %d distance %d agree %d groups %d/%d/%d late %d",
		t.Rows, t.Delay, t.Distance, t.Agree, t.StateMonths, t.Cells, t.Routes, t.Late)
	return whole + fmt.Sprintf(" miles %.6e x %.6e y %.6e mean %.6e", t.Miles, t.X, t.Y, t.RouteDelay)
}

// Find returns the files with that many flights: the full data set from the cache of scripts/data, or the embedded
// sample unpacked into a folder of this process.
func Find(rows int) (Files, error) {
	folder, err := dataset.CacheFolder()
	if err != nil {
		return Files{}, err
	}
	switch int64(rows) {
	case FullRows:
		events, err := dataset.Flights.Find(folder)
		if err != nil {
			return Files{}, err
		}
		airports, err := dataset.Airports.Find(folder)
		return Files{events, airports}, err
	case dataset.SampleFacts.Rows:
		return unpackSample()
	}
	return Files{}, fmt.Errorf("there is data with %d and %d flights only", dataset.SampleFacts.Rows, FullRows)
}

func unpackSample() (Files, error) {
	folder, err := os.MkdirTemp("", "tombolo-bench-sample")
	if err != nil {
		return Files{}, err
	}
	files := Files{filepath.Join(folder, "flights.parquet"), filepath.Join(folder, "airports.csv")}
	if err := write(files.Events, dataset.SampleEvents()); err != nil {
		return Files{}, err
	}
	reference, err := dataset.SampleReference()
	if err != nil {
		return Files{}, err
	}
	return files, write(files.Airports, reference)
}

func write(path string, content io.Reader) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	if _, err := io.Copy(file, content); err != nil {
		_ = file.Close()
		return err
	}
	return file.Close()
}
