// SPDX-License-Identifier: Apache-2.0

package flights

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
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

func TestSampleAddsUp(t *testing.T) {
	engine := openEngine(t)
	events := sampleEvents(t, engine.Allocator(), source.BatchRowsDefault)
	found := runJob(t, engine, events, sampleReference(t, engine.Allocator()), 2)
	known := dataset.SampleFacts
	if found.Rows != known.Rows || found.Agree != known.Rows || found.Measured != known.Rows ||
		found.DelaySum != known.DelaySum || found.DistanceSum != float64(known.DistanceSum) {
		t.Errorf("got %d rows, %d agree, sums %d and %v; want %+v",
			found.Rows, found.Agree, found.DelaySum, found.DistanceSum, known)
	}
}

// The same bits for every carrier, level, number of threads and split into batches.
func TestSameBitsEveryWay(t *testing.T) {
	wanted := func() outcome {
		engine := openEngine(t, host.WithCarrier("portable"))
		return runJob(t, engine, sampleEvents(t, engine.Allocator(), 50_000),
			sampleReference(t, engine.Allocator()), 1)
	}()
	for _, variant := range variants() {
		for _, threads := range []int{1, 2, 7} {
			for _, rows := range []int{1_000, 65_536} {
				t.Run(fmt.Sprintf("%s/%d/%d", variant.name, threads, rows), func(t *testing.T) {
					engine := openEngine(t, variant.options...)
					found := runJob(t, engine, sampleEvents(t, engine.Allocator(), rows),
						sampleReference(t, engine.Allocator()), threads)
					if part := wanted.differs(found); part != "" {
						t.Errorf("%s differ", part)
					}
				})
			}
		}
	}
}

// event is a row of events; nil is a null.
type event struct {
	origin, destination any
	delay, distance     any
}

// made builds a batch of events in given types.
func made(
	t *testing.T, allocator memory.Allocator, text, number arrow.DataType, rows ...event,
) arrow.RecordBatch {
	t.Helper()
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "date", Type: arrow.FixedWidthTypes.Timestamp_ms, Nullable: true},
		{Name: "delay", Type: number, Nullable: true},
		{Name: "distance", Type: number, Nullable: true},
		{Name: "origin", Type: text, Nullable: true},
		{Name: "destination", Type: text, Nullable: true},
	}, nil)
	builder := array.NewRecordBuilder(allocator, schema)
	defer builder.Release()

	for _, row := range rows {
		// 2001-03-04.
		builder.Field(0).(*array.TimestampBuilder).Append(983_664_000_000)
		for i, value := range []any{row.delay, row.distance, row.origin, row.destination} {
			field := builder.Field(1 + i)
			if value == nil {
				field.AppendNull()
			} else if err := field.AppendValueFromString(fmt.Sprint(value)); err != nil {
				t.Fatal(err)
			}
		}
	}
	batch := builder.NewRecordBatch()
	t.Cleanup(batch.Release)
	return batch
}

var airports = []string{"AAA,NA,10,20", "BBB,ZZ,10,21", "CCC,,-89.9,180"}

// airportsBatch is a reference of lines iata,state,latitude,longitude.
func airportsBatch(t *testing.T, allocator memory.Allocator, lines ...string) []arrow.RecordBatch {
	t.Helper()
	text := strings.Join(append([]string{"iata,state,latitude,longitude"}, lines...), "\n")
	batch, err := source.ReadCSV(context.Background(), strings.NewReader(text),
		source.Options{Columns: ReferenceColumns, Allocator: allocator})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(batch.Release)
	return []arrow.RecordBatch{batch}
}

var textTypes = map[string]arrow.DataType{
	"utf8":       arrow.BinaryTypes.String,
	"large_utf8": arrow.BinaryTypes.LargeString,
	"utf8_view":  arrow.BinaryTypes.StringView,
	"dictionary": &arrow.DictionaryType{
		IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String,
	},
	"small dictionary": &arrow.DictionaryType{
		IndexType: arrow.PrimitiveTypes.Uint8, ValueType: arrow.BinaryTypes.String,
	},
}

var numberTypes = map[string]arrow.DataType{
	"int16": arrow.PrimitiveTypes.Int16, "int64": arrow.PrimitiveTypes.Int64,
	"float64": arrow.PrimitiveTypes.Float64,
}

// mixed are rows that join on both sides, one side or none, and nulls in every column.
var mixed = []event{
	{"AAA", "BBB", 20, 68},  // 68.04 miles apart
	{"AAA", "BBB", -3, 100}, // does not agree
	{"AAA", "BBB", nil, 68}, // no delay
	{"BBB", "AAA", 15, 68},  // not late
	{"BBB", "AAA", 16, nil}, // no distance
	{"AAA", "none", 1, 68},  // unmatched destination
	{"none", "AAA", 2, 68},  // unmatched origin
	{nil, "AAA", 3, 68},     // null origin
	{"AAA", nil, 4, 68},     // null destination
	{nil, nil, nil, nil},    // nothing
	{"CCC", "AAA", 5, 0},    // distance of zero, null state
	{"a code that is no code, but long", "AAA", 6, 68},
}

// The text and number types of the events change nothing; nor do slices.
func TestMixedRows(t *testing.T) {
	const (
		rows, measured, agree = 12, 6, 3
		delaySum              = 69
	)
	for _, variant := range variants() {
		for text, textType := range textTypes {
			for number, numberType := range numberTypes {
				t.Run(variant.name+"/"+text+"/"+number, func(t *testing.T) {
					engine := openEngine(t, variant.options...)
					batch := made(t, engine.Allocator(), textType, numberType, mixed...)
					var slices []arrow.RecordBatch
					for _, border := range [][2]int64{{0, 1}, {1, 1}, {1, 8}, {8, 12}} {
						slice := batch.NewSlice(border[0], border[1])
						defer slice.Release()
						slices = append(slices, slice)
					}
					reference := airportsBatch(t, engine.Allocator(), airports...)
					whole := runJob(t, engine, []arrow.RecordBatch{batch}, reference, 1)
					if part := whole.differs(runJob(t, engine, slices, reference, 3)); part != "" {
						t.Errorf("%s differ between slices and the whole", part)
					}
					if whole.Rows != rows || whole.Measured != measured ||
						whole.Agree != agree || whole.DelaySum != delaySum {
						t.Errorf("got %d rows, %d measured, %d agree, delay %d; "+
							"want %d, %d, %d, %d",
							whole.Rows, whole.Measured, whole.Agree, whole.DelaySum,
							rows, measured, agree, delaySum)
					}
				})
			}
		}
	}
}

// Dates come in several types; what the month kernel does not take is refused by column.
func TestDateTypes(t *testing.T) {
	tests := []struct {
		name string
		typ  arrow.DataType
		want error
	}{
		{"date32", arrow.FixedWidthTypes.Date32, nil},
		{"date64", arrow.FixedWidthTypes.Date64, nil},
		{"seconds", &arrow.TimestampType{Unit: arrow.Second}, nil},
		{"nanoseconds in UTC", &arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "UTC"}, nil},
		{"another zone", &arrow.TimestampType{Unit: arrow.Second, TimeZone: "Europe/Paris"},
			host.ErrType},
		{"text", arrow.BinaryTypes.String, ErrColumnType},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			engine := openEngine(t)
			events := dated(t, engine.Allocator(), test.typ)
			reference := airportsBatch(t, engine.Allocator(), airports...)
			job, err := Prepare(context.Background(), engine, events.Schema(), reference)
			if !errors.Is(err, test.want) || (err != nil && !strings.Contains(err.Error(), "date")) {
				t.Fatalf("got %v, want %v, naming the column", err, test.want)
			}
			if err != nil {
				return
			}
			job.Release()
			found := runJob(t, engine, []arrow.RecordBatch{events}, reference, 1)
			if found.Rows != int64(len(mixed)) {
				t.Errorf("got %d rows", found.Rows)
			}
		})
	}
}

// dated is the mixed rows with dates of another type.
func dated(t *testing.T, allocator memory.Allocator, typ arrow.DataType) arrow.RecordBatch {
	t.Helper()
	batch := made(t, allocator, arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64, mixed...)
	builder := array.NewBuilder(allocator, typ)
	defer builder.Release()

	day := "2001-03-04"
	if zoned, ok := typ.(*arrow.TimestampType); ok && zoned.TimeZone != "" {
		day += "T00:00:00Z"
	}
	for range mixed {
		if err := builder.AppendValueFromString(day); err != nil {
			t.Fatal(err)
		}
	}
	column := builder.NewArray()
	defer column.Release()

	fields := append([]arrow.Field{{Name: "date", Type: typ, Nullable: true}},
		batch.Schema().Fields()[1:]...)
	columns := append([]arrow.Array{column}, batch.Columns()[1:]...)
	events := array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, batch.NumRows())
	t.Cleanup(events.Release)
	return events
}

func TestZeroRows(t *testing.T) {
	for _, variant := range variants() {
		t.Run(variant.name, func(t *testing.T) {
			engine := openEngine(t, variant.options...)
			batch := made(t, engine.Allocator(),
				arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64)
			events := []arrow.RecordBatch{batch, batch}
			found := runJob(t, engine, events, airportsBatch(t, engine.Allocator()), 2)
			if found.Rows != 0 || found.Agree != 0 {
				t.Errorf("got %d rows, %d agree; want none", found.Rows, found.Agree)
			}
		})
	}
}

func TestPrepareRefuses(t *testing.T) {
	var utf8, integer arrow.DataType = arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64
	tests := []struct {
		name         string
		text, number arrow.DataType
		reference    []string
		want         error
	}{
		{"number as key", integer, integer, airports, ErrColumnType},
		{"text as delay", utf8, utf8, airports, ErrColumnType},
		{"duplicate", utf8, integer, append([]string{"AAA,XX,1,1"}, airports...), ErrDuplicate},
		{"coordinate", utf8, integer, []string{"AAA,XX,north,1"}, ErrReference},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			engine := openEngine(t)
			events := made(t, engine.Allocator(), test.text, test.number)
			reference := airportsBatch(t, engine.Allocator(), test.reference...)
			job, err := Prepare(context.Background(), engine, events.Schema(), reference)
			if err == nil {
				job.Release()
			}
			if !errors.Is(err, test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
		})
	}
}

// A source or a consumer that fails ends the run with its error, and leaves nothing out.
func TestRunFails(t *testing.T) {
	planned := errors.New("planned")
	failing := func(context.Context, arrow.RecordBatch) error { return planned }
	engine := openEngine(t)
	events := sampleEvents(t, engine.Allocator(), 1_000)
	job, err := Prepare(context.Background(), engine, events[0].Schema(),
		sampleReference(t, engine.Allocator()))
	if err != nil {
		t.Fatal(err)
	}
	defer job.Release()

	for _, threads := range []int{1, 4} {
		options := Options{Threads: threads, Consumers: []Consumer{failing}}
		_, err := job.Run(context.Background(), FromBatches(events), options)
		if !errors.Is(err, planned) {
			t.Errorf("%d threads: got %v, want the consumer's error", threads, err)
		}
		mixedTypes := append(events[:3:3], made(t, engine.Allocator(),
			arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int16, mixed...))
		_, err = job.Run(context.Background(), FromBatches(mixedTypes), Options{Threads: threads})
		if !errors.Is(err, ErrColumnType) {
			t.Errorf("%d threads: got %v, want ErrColumnType", threads, err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancelling := func(context.Context, arrow.RecordBatch) error { cancel(); return nil }
		options = Options{Threads: threads, Consumers: []Consumer{cancelling}}
		if _, err := job.Run(ctx, FromBatches(events), options); !errors.Is(err, context.Canceled) {
			t.Errorf("%d threads: got %v, want the context's error", threads, err)
		}
	}
}
