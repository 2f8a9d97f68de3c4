// SPDX-License-Identifier: Apache-2.0

// Package source reads tables for the main job: Parquet, Arrow IPC (file and stream) and CSV, as
// Arrow batches of the columns asked for.
//
// It knows nothing of flights and computes nothing. It trusts no file: what it hands out has been
// checked, and a reader that panics on a damaged file is an error here. It is part of the command
// and under no promise of compatibility.
package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tombolo-arrow/tombolo/ownership/arena"
)

// Sentinels for errors.Is.
var (
	// ErrFormat: the first bytes are of no known format.
	ErrFormat = errors.New("neither Parquet nor Arrow IPC")
	// ErrDamaged: the format is known, the content is wrong.
	ErrDamaged = errors.New("damaged file")
	// ErrColumn: a column asked for is not there, or is there twice.
	ErrColumn = errors.New("missing column")
	// ErrRows: a table that is read whole is over its bound.
	ErrRows = errors.New("table is larger than allowed")
)

// errClosed is what Next gives after Close.
var errClosed = errors.New("stream is closed")

// errContent stands for what a reader says by a panic, which is no text for a user.
var errContent = fmt.Errorf("%w: its parts contradict each other", ErrDamaged)

// BatchRowsDefault is how many rows a batch has at most unless told otherwise.
const BatchRowsDefault = 65_536

// File is what a table is read from; *os.File and *bytes.Reader are files.
type File interface {
	io.Reader
	io.ReaderAt
	io.Seeker
}

// Options say how to read.
type Options struct {
	Columns   []string         // wanted, in this order; each must be there once
	BatchRows int              // most rows of a batch; 0 = BatchRowsDefault
	Allocator memory.Allocator // for the batches; nil = memory.DefaultAllocator

	fileBytes int64
}

// Stream hands out the batches of a table in order. It belongs to one goroutine at a time.
type Stream interface {
	// Schema has the columns asked for, in that order, in the types the file has them in.
	Schema() *arrow.Schema

	// Rows is how many rows the table has, or -1 when the format does not say.
	Rows() int64

	// Next returns a batch, which is the caller's to release, or io.EOF after the last. After an
	// error it returns the same error.
	Next(ctx context.Context) (arrow.RecordBatch, error)

	// Close frees what the stream holds; batches handed out stay valid. A second call does nothing.
	Close() error
}

// Magic bytes of the formats.
var (
	magicParquet = []byte("PAR1")
	magicFile    = []byte("ARROW1")
	magicStream  = []byte{0xff, 0xff, 0xff, 0xff}
	magicGzip    = []byte{0x1f, 0x8b}
)

// OpenPath opens the Parquet or Arrow IPC file at path. The stream closes the file. Errors are of
// the file system, ErrFormat, ErrDamaged or ErrColumn, and name the path.
func OpenPath(path string, options Options) (Stream, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	stream, err := Open(file, options)
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &named{Stream: stream, path: path, file: file}, nil
}

// Open opens a Parquet or Arrow IPC table; the first bytes tell which. The file stays the caller's
// to close, after the stream. Errors are ErrFormat, ErrDamaged or ErrColumn.
func Open(file File, options Options) (Stream, error) {
	options = options.withDefaults()
	magic := make([]byte, 8)
	n, err := file.ReadAt(magic, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	magic = magic[:n]
	var open func(File, Options) (Stream, error)
	switch {
	case bytes.HasPrefix(magic, magicParquet):
		open = openParquet
	case bytes.HasPrefix(magic, magicFile):
		open = openIPCFile
	case bytes.HasPrefix(magic, magicStream):
		open = openIPCStream
	default:
		return nil, ErrFormat
	}
	if options.Allocator, options.fileBytes, err = bounded(file, options.Allocator); err != nil {
		return nil, err
	}
	return guarded(func() (Stream, error) { return open(file, options) })
}

func (o Options) withDefaults() Options {
	if o.BatchRows <= 0 {
		o.BatchRows = BatchRowsDefault
	}
	if o.Allocator == nil {
		o.Allocator = memory.DefaultAllocator
	}
	return o
}

// guarded turns a panic of a file reader into ErrDamaged: arrow-go's readers panic on some damaged
// files, and a user's file must not end the program.
func guarded[T any](call func() (T, error)) (result T, err error) {
	defer func() {
		switch caught := recover().(type) {
		case nil:
		case *arena.Error:
			err = caught // an allocator has no other way to say so
		case error:
			if err = caught; !errors.Is(err, ErrDamaged) {
				err = errContent
			}
		default:
			err = errContent
		}
	}()
	return call()
}

// damaged marks an error of a file reader. Errors of the context and of the file system keep their
// own kind.
func damaged(err error) error {
	var path *os.PathError
	if err == nil || errors.As(err, &path) || errors.Is(err, context.Canceled) ||
		errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrDamaged) {
		return err
	}
	// arrow-go makes errors of some of its panics.
	if strings.Contains(err.Error(), "runtime error") {
		return errContent
	}
	// Readers quote what they found over several lines; one line is enough to act on.
	text, _, _ := strings.Cut(err.Error(), "\n")
	return fmt.Errorf("%w: %s", ErrDamaged, text)
}

// positions finds the wanted columns in a schema.
func positions(schema *arrow.Schema, wanted []string) ([]int, error) {
	var missing []string
	found := make([]int, 0, len(wanted))
	for _, name := range wanted {
		switch indices := schema.FieldIndices(name); len(indices) {
		case 1:
			found = append(found, indices[0])
		case 0:
			missing = append(missing, name)
		default:
			return nil, fmt.Errorf("%w: more than one is named %q", ErrColumn, name)
		}
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("%w: %s", ErrColumn, strings.Join(missing, ", "))
	}
	return found, nil
}

// project picks fields by position and drops what file formats attach to them.
func project(schema *arrow.Schema, columns []int) *arrow.Schema {
	fields := make([]arrow.Field, 0, len(columns))
	for _, column := range columns {
		field := schema.Field(column)
		field.Metadata = arrow.Metadata{}
		fields = append(fields, field)
	}
	return arrow.NewSchema(slices.Clip(fields), nil)
}

// named adds the path to errors, and where damage ended the reading; it owns the file.
type named struct {
	Stream
	path string
	file *os.File
	rows int64 // handed out
}

func (n *named) Next(ctx context.Context) (arrow.RecordBatch, error) {
	batch, err := n.Stream.Next(ctx)
	switch {
	case err == nil:
		n.rows += batch.NumRows()
	case errors.Is(err, ErrDamaged):
		err = fmt.Errorf("%s: %w; reading stopped after row %d", n.path, err, n.rows)
	case !errors.Is(err, io.EOF):
		err = fmt.Errorf("%s: %w", n.path, err)
	}
	return batch, err
}

func (n *named) Close() error { return errors.Join(n.Stream.Close(), n.file.Close()) }
