// SPDX-License-Identifier: Apache-2.0

package sink

import (
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

// createdBy stands in every Parquet file instead of the name and version of the writing library, so
// that files stay the same from one version to the next.
const createdBy = "tombolo"

// parquetWriter makes one row group of each batch.
type parquetWriter struct{ writer *pqarrow.FileWriter }

// NewParquet writes Parquet with zstd pages. The out stays the caller's.
func NewParquet(out io.Writer, schema *arrow.Schema) (Writer, error) {
	properties := parquet.NewWriterProperties(
		parquet.WithCompression(compress.Codecs.Zstd),
		parquet.WithCreatedBy(createdBy),
		parquet.WithMaxRowGroupLength(1<<20),
	)
	// The struct hides a Close method: the file is not the writer's to close.
	writer, err := pqarrow.NewFileWriter(
		schema, struct{ io.Writer }{out}, properties, pqarrow.DefaultWriterProps())
	if err != nil {
		return nil, err
	}
	return &parquetWriter{writer: writer}, nil
}

func (w *parquetWriter) Write(batch Batch) error {
	if batch.NumRows() == 0 {
		return nil // a row group without rows helps nobody
	}
	return w.writer.Write(batch)
}

func (w *parquetWriter) Close() error { return w.writer.Close() }

type ipcWriter struct{ writer *ipc.FileWriter }

// NewIPC writes an Arrow IPC file, uncompressed, so that readers can map it. The out stays the
// caller's.
func NewIPC(out io.Writer, schema *arrow.Schema) (Writer, error) {
	writer, err := ipc.NewFileWriter(out, ipc.WithSchema(schema))
	if err != nil {
		return nil, err
	}
	return &ipcWriter{writer: writer}, nil
}

func (w *ipcWriter) Write(batch Batch) error { return w.writer.Write(batch) }
func (w *ipcWriter) Close() error            { return w.writer.Close() }
