// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/bridge/kerneltest"
)

// monthOf is the oracle of Go's own calendar, for a day that it can hold.
func monthOf(day int64) int64 {
	return int64(time.Unix(day*secondsPerDay, 0).UTC().Month())
}

func TestCivilMonthAgreesWithTheCalendar(t *testing.T) {
	for day := int64(-800_000); day < 800_000; day++ {
		month, dayOfMonth := civilMonth(day)
		date := time.Unix(day*secondsPerDay, 0).UTC()
		if month != int64(date.Month()) || dayOfMonth != int64(date.Day()-1) {
			t.Fatalf("day %d: %d, %d, want %s", day, month, dayOfMonth, date)
		}
	}
}

func int64Column(dataType arrow.DataType, values []int64) arrow.Array {
	bytes := arrow.GetBytes(values)
	data := array.NewData(dataType, len(values), []*memory.Buffer{nil, memory.NewBufferBytes(bytes)}, nil, 0, 0)
	defer data.Release()
	return array.MakeFromData(data)
}

func TestMonth(t *testing.T) {
	random := rand.New(rand.NewPCG(21, 21))
	perDay := map[arrow.DataType]int64{
		arrow.FixedWidthTypes.Timestamp_s:                            secondsPerDay,
		arrow.FixedWidthTypes.Timestamp_ms:                           secondsPerDay * 1e3,
		&arrow.TimestampType{Unit: arrow.Microsecond}:                secondsPerDay * 1e6,
		&arrow.TimestampType{Unit: arrow.Second, TimeZone: "+00:00"}: secondsPerDay,
		arrow.FixedWidthTypes.Timestamp_ns:                           secondsPerDay * 1e9,
		arrow.FixedWidthTypes.Date64:                                 secondsPerDay * 1e3,
	}
	for dataType, units := range perDay {
		t.Run(dataType.String(), func(t *testing.T) {
			values := []int64{0, -1, 1, units, -units, units - 1, -units - 1, math.MaxInt64, math.MinInt64}
			for range 2000 {
				near := random.Int64N(100*365) - 50*365
				values = append(values, near*units+random.Int64N(units))
			}
			result, err := runKernel(t, "month", []arrow.RecordBatch{inputBatch(t, int64Column(dataType, values))})
			if err != nil {
				t.Fatal(err)
			}
			got := result.Column(0).(*array.Int64)
			for i, value := range values {
				day := int64(math.Floor(float64(value) / float64(units)))
				if value == math.MaxInt64 || value == math.MinInt64 {
					// Floats do not hold these: the remainder of the era does.
					continue
				}
				if want := monthOf(day); got.Value(i) != want {
					t.Fatalf("%d: %d, want %d", value, got.Value(i), want)
				}
			}
		})
	}
}

// TestMonthAtTheEndsOfTime has the last and first second that int64 holds: 400 years later or earlier the month is
// the same.
func TestMonthAtTheEndsOfTime(t *testing.T) {
	const era = 146097 * secondsPerDay
	values := []int64{math.MaxInt64, math.MinInt64, math.MaxInt64 % era, math.MinInt64%era + era}
	column := int64Column(arrow.FixedWidthTypes.Timestamp_s, values)
	result, err := runKernel(t, "month", []arrow.RecordBatch{inputBatch(t, column)})
	if err != nil {
		t.Fatal(err)
	}
	got := result.Column(0).(*array.Int64)
	for i := range 2 {
		if got.Value(i) != got.Value(i+2) {
			t.Errorf("%d: %d, want %d", values[i], got.Value(i), got.Value(i+2))
		}
	}
}

func TestMonthOfShapes(t *testing.T) {
	random := rand.New(rand.NewPCG(22, 22))
	for _, s := range shapes() {
		column := kerneltest.Column(random, arrow.FixedWidthTypes.Date32, s.rows, s.nulls, s.offset)
		want := make([]any, s.rows)
		for i := range want {
			if column.IsValid(i) {
				month := monthOf(int64(column.(*array.Date32).Value(i)))
				want[i] = kerneltest.Bits(month, 8)
			}
		}
		result, err := runKernel(t, "month", []arrow.RecordBatch{inputBatch(t, column)})
		if err != nil {
			t.Fatal(err)
		}
		checkValues(t, s, kerneltest.Values(result.Column(0)), want)
	}
}

func TestMonthRefusesBadInput(t *testing.T) {
	random := rand.New(rand.NewPCG(23, 23))
	for _, dataType := range []arrow.DataType{
		arrow.PrimitiveTypes.Int64, &arrow.TimestampType{Unit: arrow.Second, TimeZone: "Europe/Berlin"},
	} {
		batch := inputBatch(t, kerneltest.Column(random, dataType, 2, kerneltest.NoNulls, 0))
		if _, err := runKernel(t, "month", []arrow.RecordBatch{batch}); !errors.Is(err, bridge.ErrType) {
			t.Errorf("%s: %v, want %v", dataType, err, bridge.ErrType)
		}
	}
}
