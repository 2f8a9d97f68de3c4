// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tombolo-arrow/tombolo/bridge"
)

func temporalKernels() []kernel {
	return []kernel{{info: bridge.KernelInfo{Name: "month", Kind: bridge.Map, Inputs: 1}, bind: bindMonth}}
}

const secondsPerDay = 24 * 60 * 60

func bindMonth(b *binding) (*bound, error) {
	if err := b.columns(0, 1); err != nil {
		return nil, err
	}
	dataType := storageOf(b.inputs[0].Field(0).Type)
	unitsPerDay := int64(0)
	switch t := dataType.(type) {
	case *arrow.TimestampType:
		if !isUTC(t.TimeZone) {
			return nil, b.failAt(bridge.CodeType, 0, 0, "the time zone is not UTC")
		}
		unitsPerDay = secondsPerDay * int64(1e9/t.Unit.Multiplier().Nanoseconds())
	case *arrow.Date32Type:
		unitsPerDay = 1
	case *arrow.Date64Type:
		unitsPerDay = secondsPerDay * 1000
	default:
		return nil, b.failAt(bridge.CodeType, 0, 0, "month takes timestamps and dates")
	}
	return &bound{
		output: resultSchema(arrow.PrimitiveTypes.Int64),
		run: func(c *call, inputs []arrow.RecordBatch) ([]arrow.Array, int64, error) {
			data := inputs[0].Column(0).Data()
			var result arrow.Array
			var err error
			if dataType.ID() == arrow.DATE32 {
				result, err = monthColumn[int32](c, data, unitsPerDay)
			} else {
				result, err = monthColumn[int64](c, data, unitsPerDay)
			}
			return []arrow.Array{result}, inputs[0].NumRows(), err
		},
	}, nil
}

// isUTC says whether a time zone needs no table of offsets.
func isUTC(zone string) bool {
	switch zone {
	case "", "UTC", "Etc/UTC", "Z", "+00:00", "-00:00", "GMT":
		return true
	}
	return false
}

func monthColumn[T int32 | int64](c *call, data arrow.ArrayData, unitsPerDay int64) (arrow.Array, error) {
	rows := data.Len()
	buffer, out := values[int64](c, rows)
	in := slots[T](data)
	valid, err := c.operandValidity(rows, operand{data: data})
	if err != nil {
		buffer.Release()
		return nil, err
	}
	span := monthSpan{}
	err = c.inBlocks(rows, 8, func(begin, end int) error {
		for i, v := range in[begin:end] {
			// Times are mostly near their neighbours: the same month needs no calendar.
			if t := int64(v); t < span.begin || t >= span.end {
				span = monthSpanOf(t, unitsPerDay)
			}
			out[begin+i] = span.month
		}
		return nil
	})
	if err == nil {
		err = zeroNulls(c, out, valid)
	}
	if err != nil {
		selected{validity: valid, buffers: []*memory.Buffer{buffer}}.release()
		return nil, err
	}
	return column(arrow.PrimitiveTypes.Int64, rows, valid, buffer), nil
}

// monthSpan is a stretch of time inside one month: [begin, end) in units of the column.
type monthSpan struct {
	begin, end int64
	month      int64
}

// monthSpanOf finds the month of t and as much of it around t as does not overflow.
func monthSpanOf(t, unitsPerDay int64) monthSpan {
	day := t / unitsPerDay
	if t%unitsPerDay < 0 {
		day--
	}
	month, dayOfMonth := civilMonth(day)
	span := monthSpan{month: month, begin: t, end: t}
	// Every month has 28 days.
	if first := day - dayOfMonth; first > minDay(unitsPerDay) && first+28 < maxDay(unitsPerDay) {
		span.begin = first * unitsPerDay
		span.end = span.begin + 28*unitsPerDay
		if t >= span.end {
			span.begin, span.end = day*unitsPerDay, (day+1)*unitsPerDay
		}
	}
	return span
}

func minDay(unitsPerDay int64) int64 { return -1<<62/unitsPerDay*2 + 2 }
func maxDay(unitsPerDay int64) int64 { return 1<<62/unitsPerDay*2 - 2 }

// civilMonth gives the month, 1 to 12, and the day in it from 0, of a day counted from 1970-01-01 in the proleptic
// Gregorian calendar. Years begin in March here, so that the leap day comes last.
func civilMonth(day int64) (month, dayOfMonth int64) {
	const (
		daysPerEra = 146097 // 400 years
		shift      = 719468 // from 0000-03-01 to 1970-01-01
	)
	// The remainder is above -daysPerEra and shift is more than that: the sum is never negative.
	dayOfEra := (day%daysPerEra + shift) % daysPerEra
	yearOfEra := (dayOfEra - dayOfEra/1460 + dayOfEra/36524 - dayOfEra/146096) / 365
	dayOfYear := dayOfEra - (365*yearOfEra + yearOfEra/4 - yearOfEra/100)
	shifted := (5*dayOfYear + 2) / 153 // months since March
	dayOfMonth = dayOfYear - (153*shifted+2)/5
	if shifted < 10 {
		return shifted + 3, dayOfMonth
	}
	return shifted - 9, dayOfMonth
}
