// SPDX-License-Identifier: Apache-2.0

package sink

import (
	"errors"
	"io"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
)

var errFull = errors.New("no space left")

// fullDisk takes so many bytes and no more.
type fullDisk struct{ left int }

func (d *fullDisk) Write(content []byte) (int, error) {
	if len(content) > d.left {
		written := d.left
		d.left = 0
		return written, errFull
	}
	d.left -= len(content)
	return len(content), nil
}

// A disk that fills up is an error of some call, wherever it happens, and never a panic.
func TestFullDisk(t *testing.T) {
	formats := map[string]func(io.Writer, *arrow.Schema) (Writer, error){
		"csv": NewCSV, "arrow": NewIPC, "parquet": NewParquet,
	}
	for name, open := range formats {
		t.Run(name, func(t *testing.T) {
			batch := rows(t)
			defer batch.Release()

			for bytes := 0; ; bytes += 16 {
				disk := &fullDisk{left: bytes}
				writer, err := open(disk, schema)
				if err == nil {
					err = errors.Join(writer.Write(batch), writer.Write(batch), writer.Close())
				}
				if err == nil {
					break
				}
				if !errors.Is(err, errFull) {
					t.Fatalf("after %d bytes: %v", bytes, err)
				}
			}
		})
	}
}
