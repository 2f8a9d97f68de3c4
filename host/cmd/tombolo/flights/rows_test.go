// SPDX-License-Identifier: Apache-2.0

package flights

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tombolo-arrow/tombolo/host"
	"github.com/tombolo-arrow/tombolo/host/cmd/tombolo/source"
)

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
	{"AAA", "BBB", 7, -68}, // a distance below zero agrees with nothing
}

// The text and number types of the events change nothing; nor do slices.
func TestMixedRows(t *testing.T) {
	const (
		rows, measured, agree = 13, 7, 3
		delaySum              = 76
	)
	for _, variant := range variants() {
		for text, textType := range textTypes {
			for number, numberType := range numberTypes {
				t.Run(variant.name+"/"+text+"/"+number, func(t *testing.T) {
					engine := openEngine(t, variant.options...)
					batch := made(t, engine.Allocator(), textType, numberType, mixed...)
					var slices []arrow.RecordBatch
					for _, border := range [][2]int64{{0, 1}, {1, 1}, {1, 8}, {8, 13}} {
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
