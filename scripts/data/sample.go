// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/tombolo-arrow/tombolo/host/cmd/tombolo/dataset"
)

// sampleEvery is the stride: of the rows counted from 1, those it divides are taken.
const sampleEvery = 60

// sampleBytesMax bounds both files together; they are embedded in every build of the command.
const sampleBytesMax = 600_000

var sampleSchema = arrow.NewSchema([]arrow.Field{
	{Name: "date", Type: arrow.FixedWidthTypes.Timestamp_us},
	{Name: "delay", Type: arrow.PrimitiveTypes.Int64},
	{Name: "distance", Type: arrow.PrimitiveTypes.Int64},
	{Name: "origin", Type: arrow.BinaryTypes.String},
	{Name: "destination", Type: arrow.BinaryTypes.String},
}, nil)

// makeSample writes both sample files into folder. The same input gives the same bytes: no file
// holds a time, a name of a machine or the version of a library.
func makeSample(ctx context.Context, cache, folder string) error {
	events, err := sampleEvents(ctx, filepath.Join(cache, dataset.Flights.Name))
	if err != nil {
		return err
	}
	airports, err := os.ReadFile(filepath.Join(cache, dataset.Airports.Name))
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	writer, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return err
	}
	_, err = writer.Write(airports)
	if err := errors.Join(err, writer.Close()); err != nil {
		return err
	}
	if total := len(events) + packed.Len(); total > sampleBytesMax {
		return fmt.Errorf("the sample is too large to embed: %d bytes of at most %d",
			total, sampleBytesMax)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for name, content := range map[string][]byte{
		dataset.SampleEventsName: events, dataset.SampleReferenceName: packed.Bytes(),
	} {
		fmt.Printf("%s: %d bytes\n", filepath.Join(folder, name), len(content))
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// sampleEvents reads the full file and returns every sixtieth row of it as a Parquet file.
func sampleEvents(ctx context.Context, path string) ([]byte, error) {
	full, err := file.OpenParquetFile(path, false)
	if err != nil {
		return nil, err
	}
	defer full.Close()

	properties := pqarrow.ArrowReadProperties{BatchSize: 65_536}
	reader, err := pqarrow.NewFileReader(full, properties, memory.DefaultAllocator)
	if err != nil {
		return nil, err
	}
	batches, err := reader.GetRecordReader(ctx, nil, nil)
	if err != nil {
		return nil, err
	}
	defer batches.Release()

	builder := array.NewRecordBuilder(memory.DefaultAllocator, sampleSchema)
	defer builder.Release()

	row := int64(0)
	for batches.Next() {
		if err := appendSampled(builder, batches.RecordBatch(), row); err != nil {
			return nil, err
		}
		row += batches.RecordBatch().NumRows()
	}
	if err := batches.Err(); err != nil {
		return nil, err
	}
	sample := builder.NewRecordBatch()
	defer sample.Release()

	if sample.NumRows() != dataset.SampleFacts.Rows {
		return nil, fmt.Errorf("the sample has an unexpected number of rows: %d", sample.NumRows())
	}
	return writeSample(sample)
}

// appendSampled appends the chosen rows of a batch whose first row is number first, counted from 0.
func appendSampled(builder *array.RecordBuilder, batch arrow.RecordBatch, first int64) error {
	var (
		date, okDate         = batch.Column(0).(*array.Timestamp)
		delay, okDelay       = batch.Column(1).(*array.Int64)
		distance, okDistance = batch.Column(2).(*array.Int64)
		origin, okOrigin     = batch.Column(3).(array.StringLike)
		destination, okDest  = batch.Column(4).(array.StringLike)
	)
	if !okDate || !okDelay || !okDistance || !okOrigin || !okDest {
		return fmt.Errorf("the full file has unexpected columns: %v", batch.Schema())
	}
	start := sampleEvery - 1 - first%sampleEvery
	for i := int(start); i < int(batch.NumRows()); i += sampleEvery {
		builder.Field(0).(*array.TimestampBuilder).Append(date.Value(i))
		builder.Field(1).(*array.Int64Builder).Append(delay.Value(i))
		builder.Field(2).(*array.Int64Builder).Append(distance.Value(i))
		builder.Field(3).(*array.StringBuilder).Append(origin.Value(i))
		builder.Field(4).(*array.StringBuilder).Append(destination.Value(i))
	}
	return nil
}

func writeSample(sample arrow.RecordBatch) ([]byte, error) {
	var out bytes.Buffer
	properties := parquet.NewWriterProperties(
		parquet.WithCompression(compress.Codecs.Zstd),
		parquet.WithCompressionLevel(19),
		parquet.WithCreatedBy("tombolo scripts/data"),
		parquet.WithDictionaryDefault(true),
		parquet.WithDictionaryFor("date", false), // in order of time: differences are small
		parquet.WithEncodingFor("date", parquet.Encodings.DeltaBinaryPacked),
		parquet.WithStats(false),
	)
	writer, err := pqarrow.NewFileWriter(
		sample.Schema(), &out, properties, pqarrow.DefaultWriterProps())
	if err != nil {
		return nil, err
	}
	if err := errors.Join(writer.Write(sample), writer.Close()); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
