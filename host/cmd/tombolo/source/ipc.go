// SPDX-License-Identifier: Apache-2.0

package source

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
)

// ipcStream cuts the batches of an IPC file or stream, which may be of any size, into batches of a
// bounded number of rows. The slices share memory with what was read.
type ipcStream struct {
	read    func() (arrow.RecordBatch, error) // owned by the caller; io.EOF after the last
	close   func() error
	columns []int
	schema  *arrow.Schema
	rows    int // most rows of a batch handed out

	whole arrow.RecordBatch // checked and projected; nil before the first
	next  int64             // first row of whole not handed out
	err   error
}

// openIPCFile reads the batches by position. The number of rows stands in no footer, so Rows is -1.
func openIPCFile(source File, options Options) (Stream, error) {
	if err := checkIPCFile(source, options.fileBytes); err != nil {
		return nil, damaged(err)
	}
	reader, err := ipc.NewFileReader(source, limits(options)...)
	if err != nil {
		return nil, damaged(err)
	}
	i := 0
	return newIPCStream(&ipcStream{
		read: func() (arrow.RecordBatch, error) {
			if i == reader.NumRecords() {
				return nil, io.EOF
			}
			i++
			return reader.RecordBatchAt(i - 1)
		},
		close: reader.Close,
	}, reader.Schema(), options)
}

func openIPCStream(source File, options Options) (Stream, error) {
	if err := checkIPCStream(source, options.fileBytes); err != nil {
		return nil, damaged(err)
	}
	reader, err := ipc.NewReader(source, limits(options)...)
	if err != nil {
		return nil, damaged(err)
	}
	return newIPCStream(&ipcStream{
		read: func() (arrow.RecordBatch, error) {
			if !reader.Next() {
				if err := reader.Err(); err != nil && !errors.Is(err, io.EOF) {
					return nil, err
				}
				return nil, io.EOF
			}
			batch := reader.RecordBatch()
			batch.Retain()
			return batch, nil
		},
		close: func() error { reader.Release(); return nil },
	}, reader.Schema(), options)
}

// limits let no message be larger than the file it is in.
func limits(options Options) []ipc.Option {
	return []ipc.Option{
		ipc.WithAllocator(options.Allocator),
		ipc.WithMetadataSizeLimit(options.fileBytes),
		ipc.WithBodySizeLimit(options.fileBytes),
	}
}

func newIPCStream(stream *ipcStream, schema *arrow.Schema, options Options) (Stream, error) {
	columns, err := positions(schema, options.Columns)
	if err != nil {
		return nil, errors.Join(err, stream.close())
	}
	stream.columns = columns
	stream.schema = project(schema, columns)
	stream.rows = options.BatchRows
	return stream, nil
}

func (s *ipcStream) Schema() *arrow.Schema { return s.schema }
func (s *ipcStream) Rows() int64           { return -1 }

func (s *ipcStream) Next(ctx context.Context) (arrow.RecordBatch, error) {
	for s.err == nil {
		if s.err = ctx.Err(); s.err != nil {
			break
		}
		if s.whole != nil && s.next < s.whole.NumRows() {
			end := min(s.next+int64(s.rows), s.whole.NumRows())
			slice := s.whole.NewSlice(s.next, end)
			s.next = end
			return slice, nil
		}
		s.err = s.advance()
	}
	return nil, s.err
}

// advance replaces the whole batch with the next of the file.
func (s *ipcStream) advance() error {
	s.drop()
	whole, err := guarded(s.load)
	if errors.Is(err, io.EOF) && !errors.Is(err, ErrDamaged) {
		return io.EOF
	}
	s.whole, s.next = whole, 0
	return damaged(err)
}

// load reads, checks and projects the next batch of the file.
func (s *ipcStream) load() (arrow.RecordBatch, error) {
	batch, err := s.read()
	if err != nil {
		return nil, err
	}
	defer batch.Release()

	columns := make([]arrow.Array, 0, len(s.columns))
	for _, column := range s.columns {
		values := batch.Column(column)
		if err := check(values); err != nil {
			return nil, fmt.Errorf("%w: column %s: %w", ErrDamaged, batch.ColumnName(column), err)
		}
		columns = append(columns, values)
	}
	return array.NewRecordBatch(s.schema, columns, batch.NumRows()), nil
}

func (s *ipcStream) drop() {
	if s.whole != nil {
		s.whole.Release()
		s.whole = nil
	}
}

func (s *ipcStream) Close() error {
	s.drop()
	if s.err == nil || errors.Is(s.err, io.EOF) {
		s.err = errClosed
	}
	if s.close == nil {
		return nil
	}
	close := s.close
	s.close = nil
	return close()
}
