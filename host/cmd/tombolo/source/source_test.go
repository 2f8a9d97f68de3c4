// SPDX-License-Identifier: Apache-2.0

package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

// table is 1,000 rows of a number and a text in the given type, a null in every seventh row.
func table(t *testing.T, text arrow.DataType) arrow.RecordBatch {
	t.Helper()
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "unused", Type: arrow.FixedWidthTypes.Boolean, Nullable: true},
		{Name: "text", Type: text, Nullable: true},
		{Name: "number", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
	}, nil)
	builder := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer builder.Release()

	for i := range 1000 {
		builder.Field(0).AppendNull()
		builder.Field(2).(*array.Int64Builder).Append(int64(i))
		if i%7 == 0 {
			builder.Field(1).AppendNull()
		} else if err := builder.Field(1).AppendValueFromString(word(i)); err != nil {
			t.Fatal(err)
		}
	}
	return builder.NewRecordBatch()
}

func word(i int) string { return fmt.Sprintf("a word of many letters %d", i%50) }

var textTypes = map[string]arrow.DataType{
	"utf8":       arrow.BinaryTypes.String,
	"large_utf8": arrow.BinaryTypes.LargeString,
	"utf8_view":  arrow.BinaryTypes.StringView,
	"dictionary": &arrow.DictionaryType{
		IndexType: arrow.PrimitiveTypes.Uint8, ValueType: arrow.BinaryTypes.String,
	},
}

func asIPCFile(t *testing.T, batch arrow.RecordBatch) []byte {
	t.Helper()
	return packedIPC()(t, batch)
}

func packedIPC(packing ...ipc.Option) func(*testing.T, arrow.RecordBatch) []byte {
	return func(t *testing.T, batch arrow.RecordBatch) []byte {
		t.Helper()
		return ipcFile(t, batch, append(packing, ipc.WithSchema(batch.Schema()))...)
	}
}

func ipcFile(t *testing.T, batch arrow.RecordBatch, options ...ipc.Option) []byte {
	t.Helper()
	var out bytes.Buffer
	writer, err := ipc.NewFileWriter(&out, options...)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(writer.Write(batch), writer.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func asIPCStream(t *testing.T, batch arrow.RecordBatch) []byte {
	t.Helper()
	var out bytes.Buffer
	writer := ipc.NewWriter(&out, ipc.WithSchema(batch.Schema()))
	if err := errors.Join(writer.Write(batch), writer.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func asParquet(properties ...parquet.WriterProperty) func(*testing.T, arrow.RecordBatch) []byte {
	return func(t *testing.T, batch arrow.RecordBatch) []byte {
		t.Helper()
		var out bytes.Buffer
		writer, err := pqarrow.NewFileWriter(batch.Schema(), &out,
			parquet.NewWriterProperties(properties...),
			pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema()))
		if err != nil {
			t.Fatal(err)
		}
		// Two row groups, so that batches run over the border.
		for _, part := range [][2]int64{{0, 600}, {600, batch.NumRows()}} {
			slice := batch.NewSlice(part[0], part[1])
			err = errors.Join(err, writer.Write(slice))
			slice.Release()
		}
		if err := errors.Join(err, writer.Close()); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
}

func textOf(column arrow.Array, row int) string {
	if column.IsNull(row) {
		return "null"
	}
	return column.ValueStr(row)
}

// Every format and text type gives the rows that were written, in batches of bounded size, and the
// columns in the order asked for.
func TestReadsWhatWasWritten(t *testing.T) {
	formats := map[string]func(*testing.T, arrow.RecordBatch) []byte{
		"ipc file":      asIPCFile,
		"ipc file zstd": packedIPC(ipc.WithZstd()),
		"ipc file lz4":  packedIPC(ipc.WithLZ4()),
		"ipc stream":    asIPCStream,
		"parquet":       asParquet(),
		"parquet plain": asParquet(parquet.WithDictionaryDefault(false)),
		"parquet zstd":  asParquet(parquet.WithCompression(compress.Codecs.Zstd)),
		"parquet overflowed": asParquet(parquet.WithDictionaryPageSizeLimit(64),
			parquet.WithDataPageSize(256), parquet.WithBatchSize(16)),
		"parquet delta": asParquet(parquet.WithDictionaryDefault(false),
			parquet.WithEncodingFor("number", parquet.Encodings.DeltaBinaryPacked),
			parquet.WithEncodingFor("text", parquet.Encodings.DeltaByteArray)),
		"parquet delta lengths": asParquet(parquet.WithDictionaryDefault(false),
			parquet.WithEncodingFor("text", parquet.Encodings.DeltaLengthByteArray)),
	}
	for format, write := range formats {
		for text, typ := range textTypes {
			t.Run(format+"/"+text, func(t *testing.T) {
				if text == "utf8_view" && strings.HasPrefix(format, "parquet") {
					t.Skip("arrow-go does not write views to Parquet")
				}
				allocator := memory.NewCheckedAllocator(memory.DefaultAllocator)
				defer allocator.AssertSize(t, 0)

				batch := table(t, typ)
				defer batch.Release()

				file := bytes.NewReader(write(t, batch))
				stream, err := Open(file, Options{
					Columns: []string{"number", "text"}, BatchRows: 128, Allocator: allocator,
				})
				if err != nil {
					t.Fatal(err)
				}
				defer stream.Close()

				checkRows(t, stream)
			})
		}
	}
}

func checkRows(t *testing.T, stream Stream) {
	t.Helper()
	row := 0
	for {
		batch, err := stream.Next(context.Background())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if batch.NumRows() > 128 || !batch.Schema().Equal(stream.Schema()) {
			t.Fatalf("batch of %d rows, schema %v", batch.NumRows(), batch.Schema())
		}
		for i := range int(batch.NumRows()) {
			want := word(row)
			if row%7 == 0 {
				want = "null"
			}
			if got := textOf(batch.Column(1), i); got != want {
				t.Fatalf("row %d: text %q, want %q", row, got, want)
			}
			if got := batch.Column(0).(*array.Int64).Value(i); got != int64(row) {
				t.Fatalf("row %d: number %d", row, got)
			}
			row++
		}
		batch.Release()
	}
	if row != 1000 {
		t.Errorf("%d rows, want 1000", row)
	}
}

func TestOpenRefuses(t *testing.T) {
	batch := table(t, arrow.BinaryTypes.String)
	defer batch.Release()

	twice := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{
		{Name: "text", Type: arrow.BinaryTypes.String},
		{Name: "text", Type: arrow.BinaryTypes.String},
	}, nil), []arrow.Array{batch.Column(1), batch.Column(1)}, batch.NumRows())
	defer twice.Release()

	tests := []struct {
		name    string
		content []byte
		columns []string
		want    error
	}{
		{"empty file", nil, []string{"text"}, ErrFormat},
		{"other format", []byte("iata,name\n"), []string{"text"}, ErrFormat},
		{"parquet magic alone", []byte("PAR1"), []string{"text"}, ErrDamaged},
		{"ipc magic alone", []byte("ARROW1\x00\x00"), []string{"text"}, ErrDamaged},
		{"stream mark alone", []byte{0xff, 0xff, 0xff, 0xff}, []string{"text"}, ErrDamaged},
		{"parquet without the column", asParquet()(t, batch), []string{"absent"}, ErrColumn},
		{"ipc without the column", asIPCFile(t, batch), []string{"text", "absent"}, ErrColumn},
		{"column twice", asIPCFile(t, twice), []string{"text"}, ErrColumn},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			stream, err := Open(bytes.NewReader(test.content), Options{Columns: test.columns})
			if err == nil {
				stream.Close()
			}
			if !errors.Is(err, test.want) {
				t.Fatalf("got %v, want %v", err, test.want)
			}
		})
	}
}

// A file with one byte changed is read or refused; it never ends the program and never gives text
// from outside its buffers.
func TestDamagedBytes(t *testing.T) {
	formats := map[string]func(*testing.T, arrow.RecordBatch) []byte{
		"ipc file": asIPCFile, "ipc file zstd": packedIPC(ipc.WithZstd()),
		"ipc stream": asIPCStream, "parquet": asParquet(),
	}
	for format, write := range formats {
		for text, typ := range textTypes {
			if text == "utf8_view" && format == "parquet" {
				continue
			}
			t.Run(format+"/"+text, func(t *testing.T) {
				batch := table(t, typ)
				defer batch.Release()

				whole := write(t, batch)
				stride := max(1, len(whole)/100)
				for at := 0; at < len(whole); at += stride {
					for _, flip := range []byte{0x01, 0x80, 0xff} {
						damaged := bytes.Clone(whole)
						damaged[at] ^= flip
						checkPlain(t, drain(damaged))
					}
					checkPlain(t, drain(whole[:at]))
				}
			})
		}
	}
}

// checkPlain wants an error in words for the user, without those of the Go runtime.
func checkPlain(t *testing.T, err error) {
	t.Helper()
	for _, word := range []string{"runtime error", "gave up", "\n"} {
		if err != nil && strings.Contains(err.Error(), word) {
			t.Errorf("%q in %q", word, err)
		}
	}
}

// drain reads a table to its end or first error, which it returns, and looks at every value.
func drain(content []byte) error {
	options := Options{Columns: []string{"text"}, BatchRows: 300}
	stream, err := Open(bytes.NewReader(content), options)
	if err != nil {
		return err
	}
	defer stream.Close()

	for {
		batch, err := stream.Next(context.Background())
		if err != nil {
			return err
		}
		for row := range int(batch.NumRows()) {
			_ = textOf(batch.Column(0), row)
		}
		batch.Release()
	}
}

func TestNextAfterTheEnd(t *testing.T) {
	batch := table(t, arrow.BinaryTypes.String)
	defer batch.Release()

	for format, content := range map[string][]byte{
		"ipc file": asIPCFile(t, batch), "parquet": asParquet()(t, batch),
	} {
		t.Run(format, func(t *testing.T) {
			stream, err := Open(bytes.NewReader(content), Options{Columns: []string{"text"}})
			if err != nil {
				t.Fatal(err)
			}
			cancelled, cancel := context.WithCancel(context.Background())
			cancel()
			if _, err := stream.Next(cancelled); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v, want the error of the context", err)
			}
			if err := errors.Join(stream.Close(), stream.Close()); err != nil {
				t.Error(err)
			}
			if _, err := stream.Next(context.Background()); err == nil || errors.Is(err, io.EOF) {
				t.Errorf("got %v after Close, want an error", err)
			}
		})
	}
}

func TestReadCSV(t *testing.T) {
	tests := []struct {
		name, content string
		want          []string
		err           error
	}{
		{"plain", "iata,state\nORD,IL\nXXX,NA\n", []string{"ORD IL", "XXX NA"}, nil},
		{"other order", "state,name,iata\nIL,O'Hare,ORD\n", []string{"ORD IL"}, nil},
		{"empty field", "iata,state\nORD,\n", []string{"ORD null"}, nil},
		{"quotes and breaks", "iata,state\r\n\"O\"\"RD\",\"I,L\"\r\n", []string{`O"RD I,L`}, nil},
		{"mark", "\ufeffiata,state\nORD,IL\n", []string{"ORD IL"}, nil},
		{"header alone", "iata,state\n", nil, nil},
		{"nothing", "", nil, ErrDamaged},
		{"missing column", "iata,name\nORD,O'Hare\n", nil, ErrColumn},
		{"ragged", "iata,state\nORD\n", nil, ErrDamaged},
		{"open quote", "iata,state\n\"ORD,IL\n", nil, ErrDamaged},
		{"no UTF-8", "iata,state\nORD,\xff\n", nil, ErrDamaged},
		{"half a gzip", "\x1f\x8b\x08", nil, ErrDamaged},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			batch, err := ReadCSV(context.Background(), strings.NewReader(test.content),
				Options{Columns: []string{"iata", "state"}})
			if !errors.Is(err, test.err) {
				t.Fatalf("got %v, want %v", err, test.err)
			}
			if err != nil {
				return
			}
			defer batch.Release()

			var got []string
			for row := range int(batch.NumRows()) {
				got = append(got, textOf(batch.Column(0), row)+" "+textOf(batch.Column(1), row))
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestReadAllPathNamesThePath(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table.csv")
	if err := os.WriteFile(path, []byte("iata\nORD\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := ReadAllPath(context.Background(), path, Options{Columns: []string{"state"}})
	if !errors.Is(err, ErrColumn) || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v, want ErrColumn with the path", err)
	}
	batches, err := ReadAllPath(context.Background(), path, Options{Columns: []string{"iata"}})
	if err != nil || len(batches) != 1 || batches[0].NumRows() != 1 {
		t.Fatalf("got %v, %v", batches, err)
	}
	batches[0].Release()
}
