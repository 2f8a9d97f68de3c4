// SPDX-License-Identifier: Apache-2.0

package sink

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/google/go-cmp/cmp"
)

var pointType = arrow.StructOf(
	arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Float64},
	arrow.Field{Name: "y", Type: arrow.PrimitiveTypes.Float64},
)

var schema = arrow.NewSchema([]arrow.Field{
	{Name: "when", Type: arrow.FixedWidthTypes.Timestamp_us, Nullable: true},
	{Name: "text, quoted", Type: arrow.BinaryTypes.String, Nullable: true},
	{Name: "n", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
	{Name: "real", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
	{Name: "point", Type: pointType, Nullable: true, Metadata: arrow.MetadataFrom(
		map[string]string{"ARROW:extension:name": "geoarrow.point"})},
}, nil)

// rows are values that are easy to write wrongly, then a row of nulls.
func rows(t *testing.T) Batch {
	t.Helper()
	builder := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer builder.Release()

	point := builder.Field(4).(*array.StructBuilder)
	add := func(when arrow.Timestamp, text string, n int64, real, x, y float64) {
		builder.Field(0).(*array.TimestampBuilder).Append(when)
		builder.Field(1).(*array.StringBuilder).Append(text)
		builder.Field(2).(*array.Int64Builder).Append(n)
		builder.Field(3).(*array.Float64Builder).Append(real)
		point.Append(true)
		point.FieldBuilder(0).(*array.Float64Builder).Append(x)
		point.FieldBuilder(1).(*array.Float64Builder).Append(y)
	}
	add(978307260000000, "plain", 1, 0.1, -12345678.25, 1e-9)
	add(-1, "a \"quote\", a comma\nand a break", math.MinInt64, math.NaN(), 0, math.Inf(1))
	add(0, "", 0, math.Copysign(0, -1), 1e21, 5)
	for _, field := range builder.Fields() {
		field.AppendNull()
	}
	return builder.NewRecordBatch()
}

const wantCSV = `when,"text, quoted",n,real,point_x,point_y
2001-01-01T00:01:00,plain,1,0.1,-12345678.25,0.000000001
1969-12-31T23:59:59.999999,"a ""quote"", a comma
and a break",-9223372036854775808,NaN,0,+Inf
1970-01-01T00:00:00,"",0,-0,1000000000000000000000,5
,,,,,
`

func TestCSV(t *testing.T) {
	batch := rows(t)
	defer batch.Release()

	var out bytes.Buffer
	writer, err := NewCSV(&out, schema)
	if err := errors.Join(err, writer.Write(batch), writer.Close()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wantCSV, out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestTypesWithoutText(t *testing.T) {
	builder := array.NewBooleanBuilder(memory.DefaultAllocator)
	defer builder.Release()

	builder.Append(true)
	column := builder.NewArray()
	defer column.Release()

	other := arrow.NewSchema([]arrow.Field{{Name: "flag", Type: column.DataType()}}, nil)
	batch := array.NewRecordBatch(other, []arrow.Array{column}, 1)
	defer batch.Release()

	writer, err := NewCSV(io.Discard, other)
	if err != nil {
		t.Fatal(err)
	}
	if err := writer.Write(batch); !errors.Is(err, ErrType) {
		t.Errorf("got %v, want ErrType", err)
	}
}

// What is written is what a reader reads, and the same bytes each time.
func TestArrowAndParquet(t *testing.T) {
	formats := map[string]struct {
		open func(io.Writer, *arrow.Schema) (Writer, error)
		read func([]byte) (arrow.Table, error)
	}{
		"arrow":   {NewIPC, readIPC},
		"parquet": {NewParquet, readParquet},
	}
	for name, format := range formats {
		t.Run(name, func(t *testing.T) {
			batch := rows(t)
			defer batch.Release()

			var contents [][]byte
			for range 2 {
				var out bytes.Buffer
				writer, err := format.open(&out, schema)
				empty := batch.NewSlice(0, 0)
				for _, part := range []Batch{batch, empty, batch} {
					err = errors.Join(err, writer.Write(part))
				}
				empty.Release()
				if err := errors.Join(err, writer.Close()); err != nil {
					t.Fatal(err)
				}
				contents = append(contents, out.Bytes())
			}
			if !bytes.Equal(contents[0], contents[1]) {
				t.Error("the same batches gave other bytes")
			}
			read, err := format.read(contents[0])
			if err != nil {
				t.Fatal(err)
			}
			defer read.Release()

			wanted := array.NewTableFromRecords(schema, []Batch{batch, batch})
			defer wanted.Release()

			for i := range int(read.NumCols()) {
				if !array.ChunkedApproxEqual(read.Column(i).Data(), wanted.Column(i).Data(),
					array.WithNaNsEqual(true), array.WithAbsTolerance(0)) {
					t.Errorf("column %d: %v, want %v", i, read.Column(i), wanted.Column(i))
				}
			}
		})
	}
}

func readIPC(content []byte) (arrow.Table, error) {
	reader, err := ipc.NewFileReader(bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	defer reader.Close()

	if !reader.Schema().Field(4).Equal(schema.Field(4)) {
		return nil, errors.New("the metadata of the point is not there")
	}
	var batches []Batch
	for i := range reader.NumRecords() {
		batch, err := reader.RecordBatchAt(i)
		if err != nil {
			return nil, err
		}
		batches = append(batches, batch)
	}
	return array.NewTableFromRecords(reader.Schema(), batches), nil
}

func readParquet(content []byte) (arrow.Table, error) {
	reader, err := file.NewParquetReader(bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	if reader.MetaData().GetCreatedBy() != createdBy {
		return nil, errors.New("the file names the library that wrote it")
	}
	arrows, err := pqarrow.NewFileReader(
		reader, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	if err != nil {
		return nil, err
	}
	return arrows.ReadTable(context.Background())
}

func TestPrint(t *testing.T) {
	batch := rows(t)
	defer batch.Release()

	var out strings.Builder
	if err := Print(&out, "rows", batch, 1); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"rows", "point_x", "-12345678.250", "2001-01-01T00:01:00"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "1969") {
		t.Errorf("more than one row in\n%s", out.String())
	}
}

func listing(t *testing.T, folder string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(folder, func(path string, _ os.DirEntry, err error) error {
		if err == nil && path != folder {
			name, _ := filepath.Rel(folder, path)
			names = append(names, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestFolder(t *testing.T) {
	base := t.TempDir()
	folder, err := NewFolder(filepath.Join(base, "a", "b"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"one", "two"} {
		out, err := folder.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(out, name); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range listing(t, base) {
		if name == "a/b/one" || name == "a/b/two" {
			t.Errorf("%s is there before Commit", name)
		}
	}
	if err := folder.Commit(); err != nil {
		t.Fatal(err)
	}
	folder.Abort() // does nothing now
	want := []string{"a", "a/b", "a/b/one", "a/b/two"}
	if diff := cmp.Diff(want, listing(t, base)); diff != "" {
		t.Error(diff)
	}
	if content, _ := os.ReadFile(filepath.Join(base, "a/b/two")); string(content) != "two" {
		t.Errorf("content %q", content)
	}
}

func TestFolderAbort(t *testing.T) {
	base := t.TempDir()
	if err := os.WriteFile(filepath.Join(base, "kept"), []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{base, filepath.Join(base, "a", "b")} {
		folder, err := NewFolder(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := folder.Create("kept"); err != nil {
			t.Fatal(err)
		}
		folder.Abort()
		if diff := cmp.Diff([]string{"kept"}, listing(t, base)); diff != "" {
			t.Error(diff)
		}
	}
	if content, _ := os.ReadFile(filepath.Join(base, "kept")); string(content) != "old" {
		t.Errorf("content %q", content)
	}
}

// A name that cannot be given takes the others back.
func TestFolderCommitFails(t *testing.T) {
	base := t.TempDir()
	if err := os.MkdirAll(filepath.Join(base, "two", "kept"), 0o755); err != nil {
		t.Fatal(err)
	}
	folder, err := NewFolder(base)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"one", "two", "three"} {
		if _, err := folder.Create(name); err != nil {
			t.Fatal(err)
		}
	}
	if err := folder.Commit(); err == nil {
		t.Error("a file took the name of a folder")
	}
	if diff := cmp.Diff([]string{"two", "two/kept"}, listing(t, base)); diff != "" {
		t.Error(diff)
	}
}

func TestFolderThatCannotBe(t *testing.T) {
	base := t.TempDir()
	blocked := filepath.Join(base, "file")
	if err := os.WriteFile(blocked, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := NewFolder(filepath.Join(blocked, "below")); err == nil {
		t.Error("a folder below a file was made")
	}
}
