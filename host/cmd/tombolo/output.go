// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"io"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tombolo-arrow/tombolo/host/cmd/tombolo/flights"
	"github.com/tombolo-arrow/tombolo/host/cmd/tombolo/sink"
)

// format is one kind of result file.
type format struct {
	suffix string
	open   func(io.Writer, *arrow.Schema) (sink.Writer, error)
}

var (
	formatCSV     = format{".csv", sink.NewCSV}
	formatParquet = format{".parquet", sink.NewParquet}
	formatArrow   = format{".arrow", sink.NewIPC}
)

// rowsName is what the files of the joined rows are called.
const rowsName = "flights"

// output is where the rows and tables of a run go: files, if a folder is given, and the first rows
// for the terminal.
type output struct {
	allocator memory.Allocator
	schema    *arrow.Schema
	folder    *sink.Folder // nil without one
	writers   []sink.Writer
	copied    atomic.Int64 // bytes of text made utf8

	shown  int
	first  []arrow.RecordBatch
	firsts int64 // rows in first
}

// newOutput opens the files of the rows in folder, if that is not empty. The caller ends with
// commit or abort.
func newOutput(
	folder string, allocator memory.Allocator, joined *arrow.Schema, shown int,
) (*output, error) {
	o := &output{allocator: allocator, schema: flights.RowSchema(joined), shown: shown}
	if folder == "" {
		return o, nil
	}
	var err error
	if o.folder, err = sink.NewFolder(folder); err != nil {
		return nil, err
	}
	for _, format := range []format{formatCSV, formatParquet, formatArrow} {
		writer, err := o.open(rowsName, format, o.schema)
		if err != nil {
			o.abort()
			return nil, err
		}
		o.writers = append(o.writers, writer)
	}
	return o, nil
}

func (o *output) open(name string, format format, schema *arrow.Schema) (sink.Writer, error) {
	file, err := o.folder.Create(name + format.suffix)
	if err != nil {
		return nil, err
	}
	return format.open(file, schema)
}

// shape makes rows of joined batches.
func (o *output) shape() func(arrow.RecordBatch) (arrow.RecordBatch, error) {
	return func(joined arrow.RecordBatch) (arrow.RecordBatch, error) {
		if o.folder == nil && joined.NumRows() > int64(o.shown) {
			joined = joined.NewSlice(0, int64(o.shown))
			defer joined.Release()
		}
		rows, copied := flights.Rows(o.allocator, o.schema, joined)
		o.copied.Add(copied)
		return rows, nil
	}
}

// consumers are the writers, and the keeper of the first rows.
func (o *output) consumers() []flights.Consumer {
	list := []flights.Consumer{o.keep}
	for _, writer := range o.writers {
		list = append(list, func(_ context.Context, rows arrow.RecordBatch) error {
			return writer.Write(rows)
		})
	}
	return list
}

func (o *output) keep(_ context.Context, rows arrow.RecordBatch) error {
	if missing := int64(o.shown) - o.firsts; missing > 0 && rows.NumRows() > 0 {
		kept := rows.NewSlice(0, min(missing, rows.NumRows()))
		o.first = append(o.first, kept)
		o.firsts += kept.NumRows()
	}
	return nil
}

// columnsShown is how many columns of a row fit a terminal: those before the cell and the points.
const columnsShown = 10

// firstRows is the first rows as one batch, the caller's to release.
func (o *output) firstRows() (arrow.RecordBatch, error) {
	schema := arrow.NewSchema(o.schema.Fields()[:columnsShown], nil)
	builder := array.NewRecordBuilder(o.allocator, schema)
	defer builder.Release()

	columns := make([]arrow.Array, 0, columnsShown)
	defer func() {
		for _, column := range columns {
			column.Release()
		}
	}()
	for i := range columnsShown {
		chunks := make([]arrow.Array, 0, len(o.first))
		for _, batch := range o.first {
			chunks = append(chunks, batch.Column(i))
		}
		if len(chunks) == 0 {
			columns = append(columns, builder.Field(i).NewArray())
			continue
		}
		column, err := array.Concatenate(chunks, o.allocator)
		if err != nil {
			return nil, err
		}
		columns = append(columns, column)
	}
	return array.NewRecordBatch(schema, columns, o.firsts), nil
}

// commit ends the files of the rows, writes those of the tables, and gives all of them their names.
func (o *output) commit(ctx context.Context, result *flights.Result) error {
	if o.folder == nil {
		return nil
	}
	for _, writer := range o.writers {
		if err := writer.Close(); err != nil {
			return err
		}
	}
	o.writers = nil
	for _, table := range result.Tables {
		for _, format := range []format{formatCSV, formatParquet} {
			writer, err := o.open(table.Name, format, table.Batch.Schema())
			if err != nil {
				return err
			}
			if err := writer.Write(table.Batch); err != nil {
				return err
			}
			if err := writer.Close(); err != nil {
				return err
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return o.folder.Commit()
}

// abort releases the first rows and removes files without names; after commit there are none.
func (o *output) abort() {
	for _, batch := range o.first {
		batch.Release()
	}
	o.first = nil
	for _, writer := range o.writers {
		_ = writer.Close() // frees what it holds; the file is removed anyway
	}
	o.writers = nil
	if o.folder != nil {
		o.folder.Abort()
	}
}
