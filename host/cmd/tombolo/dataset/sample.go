// SPDX-License-Identifier: Apache-2.0

package dataset

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
)

// The embedded files, made by scripts/data -sample.
const (
	SampleEventsName    = "flights-50k.parquet"
	SampleReferenceName = "airports.csv.gz"
)

//go:embed sample/flights-50k.parquet
var sampleEvents []byte

//go:embed sample/airports.csv.gz
var sampleReference []byte

// SampleEvents is a Parquet file: rows 60, 120, 180, … of Flights, text as utf8. The reader is
// the caller's; the bytes behind it are shared and read-only.
func SampleEvents() *bytes.Reader { return bytes.NewReader(sampleEvents) }

// SampleReference is the whole of Airports as CSV, unpacked on the fly. The reader is the caller's.
func SampleReference() (io.Reader, error) {
	return gzip.NewReader(bytes.NewReader(sampleReference))
}
