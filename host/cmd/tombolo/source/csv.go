// SPDX-License-Identifier: Apache-2.0

package source

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// RowsMax bounds a table that is read whole.
const RowsMax = 20_000_000

// ReadAllPath reads the table at path whole: Parquet, Arrow IPC, or CSV with a header line, plain
// or packed by gzip. The batches are the caller's to release; on error there are none. CSV columns
// are text, an empty field is a null, and NA is text like any other.
func ReadAllPath(ctx context.Context, path string, options Options) ([]arrow.RecordBatch, error) {
	stream, err := OpenPath(path, options)
	if err == nil {
		defer stream.Close()
		return readAll(ctx, stream)
	}
	if !errors.Is(err, ErrFormat) {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()

	batch, err := ReadCSV(ctx, file, options)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return []arrow.RecordBatch{batch}, nil
}

func readAll(ctx context.Context, stream Stream) (batches []arrow.RecordBatch, err error) {
	defer func() {
		if err != nil {
			for _, batch := range batches {
				batch.Release()
			}
			batches = nil
		}
	}()
	for rows := int64(0); ; {
		batch, err := stream.Next(ctx)
		if errors.Is(err, io.EOF) {
			return batches, nil
		}
		if err != nil {
			return batches, err
		}
		batches = append(batches, batch)
		if rows += batch.NumRows(); rows > RowsMax {
			return batches, fmt.Errorf("%w: more than %d rows", ErrRows, RowsMax)
		}
	}
}

// ReadCSV reads a CSV table whole, plain or packed by gzip, as one batch of text columns, which is
// the caller's to release.
func ReadCSV(ctx context.Context, reader io.Reader, options Options) (arrow.RecordBatch, error) {
	options = options.withDefaults()
	buffered := bufio.NewReader(reader)
	if magic, _ := buffered.Peek(len(magicGzip)); slices.Equal(magic, magicGzip) {
		plain, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, damaged(err)
		}
		buffered = bufio.NewReader(plain)
	}
	// The mark that some spreadsheets put before the header is no part of the first name.
	if mark, _ := buffered.Peek(3); string(mark) == "\ufeff" {
		_, _ = buffered.Discard(len(mark)) // it was just peeked
	}
	records := csv.NewReader(buffered)
	records.ReuseRecord = true
	header, err := records.Read()
	if err != nil {
		return nil, damaged(err)
	}
	fields := make([]arrow.Field, 0, len(header))
	for _, name := range header {
		fields = append(fields, arrow.Field{
			Name: strings.Clone(name), Type: arrow.BinaryTypes.String, Nullable: true,
		})
	}
	all := arrow.NewSchema(fields, nil)
	columns, err := positions(all, options.Columns)
	if err != nil {
		return nil, err
	}
	return readRecords(ctx, records, project(all, columns), columns, options)
}

func readRecords(
	ctx context.Context, records *csv.Reader, schema *arrow.Schema, columns []int, options Options,
) (arrow.RecordBatch, error) {
	builder := array.NewRecordBuilder(options.Allocator, schema)
	defer builder.Release()

	for row := 0; ; row++ {
		if row%options.BatchRows == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if row > RowsMax {
			return nil, fmt.Errorf("%w: more than %d rows", ErrRows, RowsMax)
		}
		record, err := records.Read()
		if errors.Is(err, io.EOF) {
			return builder.NewRecordBatch(), nil
		}
		if err != nil {
			return nil, damaged(err)
		}
		for i, column := range columns {
			field := builder.Field(i).(*array.StringBuilder)
			switch {
			case record[column] == "":
				field.AppendNull()
			case utf8.ValidString(record[column]):
				field.Append(record[column])
			default:
				return nil, fmt.Errorf("%w: %w", ErrDamaged, errUTF8)
			}
		}
	}
}
