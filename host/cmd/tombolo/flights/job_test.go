// SPDX-License-Identifier: Apache-2.0

package flights

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/host"
	"github.com/tombolo-arrow/tombolo/host/cmd/tombolo/dataset"
	"github.com/tombolo-arrow/tombolo/host/cmd/tombolo/source"
)

// variant is a way to run that must not change a bit of the results.
type variant struct {
	name    string
	options []host.Option
}

// variants are all carriers that this build has, native ones at every level.
func variants() []variant {
	var list []variant
	for _, carrier := range bridge.Carriers() {
		switch {
		case carrier.Unavailable != "":
		case !carrier.Native:
			list = append(list, variant{
				carrier.Name, []host.Option{host.WithCarrier(carrier.Name)},
			})
		default:
			for _, level := range []string{"base", "avx2", "avx512"} {
				list = append(list, variant{carrier.Name + "/" + level, []host.Option{
					host.WithCarrier(carrier.Name), host.SIMDLevel(level),
				}})
			}
		}
	}
	return append(list, variant{"auto", nil})
}

func openEngine(t *testing.T, options ...host.Option) *host.Engine {
	t.Helper()
	engine, err := host.Open(context.Background(), options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
		engine.Ledger().VerifyEmpty(t)
	})
	return engine
}

func sampleReference(t *testing.T, allocator memory.Allocator) []arrow.RecordBatch {
	t.Helper()
	reader, err := dataset.SampleReference()
	if err != nil {
		t.Fatal(err)
	}
	batch, err := source.ReadCSV(context.Background(), reader,
		source.Options{Columns: ReferenceColumns, Allocator: allocator})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(batch.Release)
	return []arrow.RecordBatch{batch}
}

// sampleEvents reads the sample in batches of so many rows, dictionary text as the file has it.
func sampleEvents(t *testing.T, allocator memory.Allocator, rows int) []arrow.RecordBatch {
	t.Helper()
	stream, err := source.Open(dataset.SampleEvents(), source.Options{
		Columns: EventColumns, BatchRows: rows, Allocator: allocator,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()

	var batches []arrow.RecordBatch
	for {
		batch, err := stream.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return batches
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(batch.Release)
		batches = append(batches, batch)
	}
}

// outcome is everything a run gives, as bytes and figures that can be compared.
type outcome struct {
	Rows, Measured, Agree, DelaySum int64
	DistanceSum                     float64
	Joined                          []byte // IPC stream of the rows, in batches of one size
	Tables                          []byte
}

// runJob runs the job and compares nothing.
func runJob(
	t *testing.T, engine *host.Engine, events, reference []arrow.RecordBatch, threads int,
) outcome {
	t.Helper()
	ctx := context.Background()
	job, err := Prepare(ctx, engine, events[0].Schema(), reference)
	if err != nil {
		t.Fatal(err)
	}
	defer job.Release()

	schema := RowSchema(job.Schema())
	var rows []arrow.RecordBatch
	defer func() {
		for _, batch := range rows {
			batch.Release()
		}
	}()
	result, err := job.Run(ctx, FromBatches(events), Options{
		Threads: threads,
		Shape: func(joined arrow.RecordBatch) (arrow.RecordBatch, error) {
			shaped, _ := Rows(memory.DefaultAllocator, schema, joined)
			return shaped, nil
		},
		Consumers: []Consumer{func(_ context.Context, batch arrow.RecordBatch) error {
			batch.Retain()
			rows = append(rows, batch)
			return nil
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer result.Release()

	found := outcome{
		Rows: result.Rows, Measured: result.Measured, Agree: result.Agree,
		DelaySum: result.DelaySum, DistanceSum: result.DistanceSum,
		Joined: asIPC(t, schema, rows),
	}
	for _, table := range result.Tables {
		found.Tables = append(found.Tables,
			asIPC(t, table.Batch.Schema(), []arrow.RecordBatch{table.Batch})...)
	}
	return found
}

// asIPC writes batches as one of the whole, so that other batch borders give the same bytes.
func asIPC(t *testing.T, schema *arrow.Schema, batches []arrow.RecordBatch) []byte {
	t.Helper()
	table := array.NewTableFromRecords(schema, batches)
	defer table.Release()

	var columns []arrow.Array
	defer func() {
		for _, column := range columns {
			column.Release()
		}
	}()
	for i := range int(table.NumCols()) {
		chunks := table.Column(i).Data().Chunks()
		if len(chunks) == 0 {
			return nil
		}
		column, err := array.Concatenate(chunks, memory.DefaultAllocator)
		if err != nil {
			t.Fatal(err)
		}
		columns = append(columns, column)
	}
	whole := array.NewRecordBatch(schema, columns, table.NumRows())
	defer whole.Release()

	var out bytes.Buffer
	writer := ipc.NewWriter(&out, ipc.WithSchema(schema))
	if err := errors.Join(writer.Write(whole), writer.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func (o outcome) differs(other outcome) string {
	switch {
	case o.Rows != other.Rows || o.Measured != other.Measured || o.Agree != other.Agree ||
		o.DelaySum != other.DelaySum || o.DistanceSum != other.DistanceSum:
		return "the figures"
	case !bytes.Equal(o.Joined, other.Joined):
		return "the joined rows"
	case !bytes.Equal(o.Tables, other.Tables):
		return "the tables"
	}
	return ""
}
