// SPDX-License-Identifier: Apache-2.0

package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

// parquetStream reads one batch after the other; row groups do not bound batches.
type parquetStream struct {
	reader  pqarrow.RecordReader
	columns []int // where the wanted columns are in the reader's batches
	schema  *arrow.Schema
	rows    int64
	err     error
}

func openParquet(source File, options Options) (Stream, error) {
	properties := parquet.NewReaderProperties(options.Allocator)
	// Column chunks are read through a buffer of this size instead of whole.
	properties.BufferedStreamEnabled = true
	// The struct hides a Close method: the file is not the reader's to close.
	reader, err := file.NewParquetReader(struct{ File }{source}, file.WithReadProps(properties))
	if err != nil {
		return nil, damaged(err)
	}
	arrowProperties := pqarrow.ArrowReadProperties{BatchSize: int64(options.BatchRows)}
	arrowReader, err := pqarrow.NewFileReader(reader, arrowProperties, options.Allocator)
	if err != nil {
		return nil, damaged(err)
	}
	all, err := arrowReader.Schema()
	if err != nil {
		return nil, damaged(err)
	}
	columns, err := positions(all, options.Columns)
	if err != nil {
		return nil, err
	}
	leaves := make([]int, 0, len(columns))
	for _, column := range columns {
		field := arrowReader.Manifest.Fields[column]
		if !field.IsLeaf() {
			return nil, fmt.Errorf("%w: nested: %s", ErrColumn, all.Field(column).Name)
		}
		readAsDictionary(reader, &field)
		leaves = append(leaves, field.ColIndex)
	}
	records, err := arrowReader.GetRecordReader(context.Background(), leaves, nil)
	if err != nil {
		return nil, damaged(err)
	}
	// The reader hands out columns in file order, whatever order was asked for.
	columns, err = positions(records.Schema(), options.Columns)
	if err != nil {
		records.Release()
		return nil, err
	}
	return &parquetStream{
		reader:  records,
		columns: columns,
		schema:  project(records.Schema(), columns),
		rows:    reader.NumRows(),
	}, nil
}

// readAsDictionary keeps a text column in its dictionary form where every row group has one: that
// is half the work of reading and most of the work of hashing saved. The type is set in the
// manifest because arrow-go's own switch for it loses to an Arrow schema stored in the file.
func readAsDictionary(reader *file.Reader, field *pqarrow.SchemaField) {
	switch field.Field.Type.ID() {
	case arrow.STRING, arrow.LARGE_STRING:
	default:
		return
	}
	for i := range reader.NumRowGroups() {
		chunk, err := reader.MetaData().RowGroup(i).ColumnChunk(field.ColIndex)
		if err != nil || !slices.ContainsFunc(chunk.Encodings(), isDictionary) {
			return
		}
	}
	field.Field.Type = &arrow.DictionaryType{
		IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String,
	}
}

// isDictionary tells by the encodings, as not every writer gives the offset of a dictionary page.
func isDictionary(encoding parquet.Encoding) bool {
	return encoding == parquet.Encodings.RLEDict || encoding == parquet.Encodings.PlainDict
}

func (s *parquetStream) Schema() *arrow.Schema { return s.schema }
func (s *parquetStream) Rows() int64           { return s.rows }

func (s *parquetStream) Next(ctx context.Context) (arrow.RecordBatch, error) {
	if s.err != nil {
		return nil, s.err
	}
	if s.err = ctx.Err(); s.err != nil {
		return nil, s.err
	}
	batch, err := guarded(s.read)
	if err != nil {
		s.err = err
	}
	return batch, err
}

func (s *parquetStream) read() (arrow.RecordBatch, error) {
	if !s.reader.Next() {
		if err := s.reader.Err(); err != nil && !errors.Is(err, io.EOF) {
			return nil, damaged(err)
		}
		return nil, io.EOF
	}
	batch := s.reader.RecordBatch()
	columns := make([]arrow.Array, 0, s.schema.NumFields())
	for _, column := range s.columns {
		values := batch.Column(column)
		if err := check(values); err != nil {
			return nil, fmt.Errorf("%w: column %s: %w", ErrDamaged, batch.ColumnName(column), err)
		}
		columns = append(columns, values)
	}
	return array.NewRecordBatch(s.schema, columns, batch.NumRows()), nil
}

func (s *parquetStream) Close() error {
	if s.reader == nil {
		return nil
	}
	s.reader.Release()
	s.reader = nil
	if s.err == nil {
		s.err = errClosed
	}
	return nil
}
