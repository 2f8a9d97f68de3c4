// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/google/go-cmp/cmp"

	"github.com/tombolo-arrow/tombolo/host/cmd/tombolo/dataset"
	"github.com/tombolo-arrow/tombolo/host/cmd/tombolo/flights"
	"github.com/tombolo-arrow/tombolo/host/cmd/tombolo/source"
)

// textAs copies the values of a dictionary of utf8 into another form of text.
func textAs(t *testing.T, from *array.Dictionary, form arrow.DataType) arrow.Array {
	t.Helper()
	words := from.Dictionary().(*array.String)
	if typ, ok := form.(*arrow.DictionaryType); ok {
		builder := array.NewBuilder(memory.DefaultAllocator, typ.ValueType)
		defer builder.Release()

		for i := range words.Len() {
			builder.(array.StringLikeBuilder).Append(words.Value(i))
		}
		return array.NewDictionaryArray(typ, from.Indices(), builder.NewArray())
	}
	builder := array.NewBuilder(memory.DefaultAllocator, form)
	defer builder.Release()

	for row := range from.Len() {
		if from.IsNull(row) {
			builder.AppendNull()
			continue
		}
		builder.(array.StringLikeBuilder).Append(words.Value(from.GetValueIndex(row)))
	}
	return builder.NewArray()
}

// sampleWithText writes the sample as Arrow IPC with its two text columns in the given form.
func sampleWithText(t *testing.T, form arrow.DataType) string {
	t.Helper()
	stream, err := source.Open(dataset.SampleEvents(),
		source.Options{Columns: flights.EventColumns})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()

	fields := stream.Schema().Fields()
	fields[3].Type, fields[4].Type = form, form
	schema := arrow.NewSchema(fields, nil)
	path := filepath.Join(t.TempDir(), "events.arrow")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()

	writer, err := ipc.NewFileWriter(file, ipc.WithSchema(schema))
	if err != nil {
		t.Fatal(err)
	}
	batch, err := stream.Next(context.Background())
	if err != nil || batch.NumRows() != dataset.SampleFacts.Rows {
		t.Fatalf("the sample is no single batch: %v", err)
	}
	columns := append([]arrow.Array{}, batch.Columns()...)
	for i := 3; i < 5; i++ {
		columns[i] = textAs(t, columns[i].(*array.Dictionary), form)
	}
	if err := writer.Write(array.NewRecordBatch(schema, columns, batch.NumRows())); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// Every form of text gives the files of the sample, byte for byte.
func TestFilesOfEveryText(t *testing.T) {
	want, err := os.ReadFile("testdata/sample.sha256")
	if err != nil {
		t.Fatal(err)
	}
	index := arrow.PrimitiveTypes.Int32
	for _, form := range []arrow.DataType{
		arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.StringView,
		&arrow.DictionaryType{IndexType: index, ValueType: arrow.BinaryTypes.String},
		&arrow.DictionaryType{IndexType: index, ValueType: arrow.BinaryTypes.LargeString},
	} {
		t.Run(form.String(), func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "results")
			code, _, report := command("run", "--out", folder,
				"--events", sampleWithText(t, form))
			if code != 0 {
				t.Fatalf("exit code %d: %s", code, report)
			}
			if diff := cmp.Diff(string(want), digests(t, folder)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
