// SPDX-License-Identifier: Apache-2.0

//go:build linux

package compute_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tombolo-arrow/tombolo/host"
	"github.com/tombolo-arrow/tombolo/host/compute"
)

// BenchmarkBreakEven times every kernel on every carrier at row counts around those of
// host.Thresholds: the defaults there are where the native line falls under the portable one.
//
//	go test -run '^$' -bench BreakEven/abs ./host/compute
func BenchmarkBreakEven(b *testing.B) {
	for _, c := range breakEvenCases() {
		for _, rows := range []int{1, 64, 256, 1024, 4096} {
			for _, carrier := range []string{"portable", "cgo"} {
				name := fmt.Sprintf("%s/rows=%d/%s", c.name, rows, carrier)
				b.Run(name, func(b *testing.B) { c.run(b, carrier, rows) })
			}
		}
	}
}

type breakEvenCase struct {
	name string
	bind func(testing.TB, *host.Engine, arrow.RecordBatch) func() (arrow.RecordBatch, error)
}

func (c breakEvenCase) run(b *testing.B, carrier string, rows int) {
	engine, err := host.Open(b.Context(), host.WithCarrier(carrier))
	if errors.Is(err, host.ErrUnavailable) {
		b.Skip(err)
	} else if err != nil {
		b.Fatal(err)
	}
	defer engine.Close()

	batch := breakEvenBatch(engine, rows)
	defer batch.Release()

	call := c.bind(b, engine, batch)
	start := cpuTime(b)
	for b.Loop() {
		result, err := call()
		if err != nil {
			b.Fatal(err)
		}
		result.Release()
	}
	// CPU time, collector included, does not care what else runs on the machine.
	b.ReportMetric(float64(cpuTime(b)-start)/float64(b.N), "cpu-ns/op")
}

func cpuTime(b *testing.B) int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return usage.Utime.Nano() + usage.Stime.Nano()
}

// breakEvenBatch has a column for every kernel: two integers, two reals in degrees, a mask, a text.
func breakEvenBatch(engine *host.Engine, rows int) arrow.RecordBatch {
	builder := array.NewRecordBuilder(engine.Allocator(), arrow.NewSchema([]arrow.Field{
		{Name: "i", Type: int64s}, {Name: "j", Type: int64s}, {Name: "x", Type: float64s},
		{Name: "y", Type: float64s}, {Name: "mask", Type: bools}, {Name: "text", Type: texts},
		{Name: "stamp", Type: stamps}, {Name: "row", Type: int32s},
	}, nil))
	defer builder.Release()

	random := rand.New(rand.NewPCG(1, 2))
	for i := range rows {
		builder.Field(0).(*array.Int64Builder).Append(random.Int64N(1000))
		builder.Field(1).(*array.Int64Builder).Append(1 + random.Int64N(1000))
		builder.Field(2).(*array.Float64Builder).Append(random.Float64()*360 - 180)
		builder.Field(3).(*array.Float64Builder).Append(random.Float64()*180 - 90)
		builder.Field(4).(*array.BooleanBuilder).Append(random.IntN(2) == 0)
		builder.Field(5).(*array.StringBuilder).Append(fmt.Sprintf("K%02d", random.IntN(100)))
		builder.Field(6).(*array.TimestampBuilder).Append(arrow.Timestamp(random.Int64N(1 << 31)))
		builder.Field(7).(*array.Int32Builder).Append(int32(random.IntN(i + 1)))
	}
	return builder.NewRecordBatch()
}

func breakEvenCases() []breakEvenCase {
	type call = func() (arrow.RecordBatch, error)
	columns := func(
		name string, bind func(testing.TB, *host.Engine) (*compute.Kernel, error), numbers ...int,
	) breakEvenCase {
		return breakEvenCase{name, func(t testing.TB, e *host.Engine, batch arrow.RecordBatch) call {
			kernel, err := bind(t, e)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(kernel.Release)
			inputs := make([]arrow.Array, len(numbers))
			for i, number := range numbers {
				inputs[i] = batch.Column(number)
			}
			return func() (arrow.RecordBatch, error) { return kernel.RunColumns(t.Context(), inputs...) }
		}}
	}
	with := func(name string, indices arrow.DataType, second int) breakEvenCase {
		return breakEvenCase{name, func(t testing.TB, e *host.Engine, batch arrow.RecordBatch) call {
			var kernel *compute.Kernel
			var err error
			if name == "filter" {
				kernel, err = compute.BindFilter(t.Context(), e, batch.Schema(), compute.DropNulls)
			} else {
				kernel, err = compute.BindTake(t.Context(), e, batch.Schema(), indices)
			}
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(kernel.Release)
			return func() (arrow.RecordBatch, error) {
				return kernel.RunWith(t.Context(), batch, batch.Column(second))
			}
		}}
	}
	cases := []breakEvenCase{
		with("filter", nil, 4), with("take", int32s, 7),
		columns("equal", func(t testing.TB, e *host.Engine) (*compute.Kernel, error) {
			return compute.BindCompare(t.Context(), e, compute.IsEqual, int64s, nil)
		}, 0, 1),
		columns("less text", func(t testing.TB, e *host.Engine) (*compute.Kernel, error) {
			return compute.BindCompare(t.Context(), e, compute.IsLess, texts, compute.Literal("K50"))
		}, 5),
		columns("add", func(t testing.TB, e *host.Engine) (*compute.Kernel, error) {
			return compute.BindArithmetic(t.Context(), e, compute.DoAdd, int64s, nil)
		}, 0, 1),
		columns("subtract", func(t testing.TB, e *host.Engine) (*compute.Kernel, error) {
			return compute.BindArithmetic(t.Context(), e, compute.DoSubtract, float64s, nil)
		}, 2, 3),
		columns("divide", func(t testing.TB, e *host.Engine) (*compute.Kernel, error) {
			return compute.BindArithmetic(t.Context(), e, compute.DoDivide, int64s, nil)
		}, 0, 1),
		columns("abs", func(t testing.TB, e *host.Engine) (*compute.Kernel, error) {
			return compute.BindAbs(t.Context(), e, float64s, true)
		}, 2),
		columns("month", func(t testing.TB, e *host.Engine) (*compute.Kernel, error) {
			return compute.BindMonth(t.Context(), e, stamps)
		}, 6),
		columns("cast", func(t testing.TB, e *host.Engine) (*compute.Kernel, error) {
			return compute.BindCast(t.Context(), e, int64s, float64s, true)
		}, 0),
		columns("great_circle_distance", func(t testing.TB, e *host.Engine) (*compute.Kernel, error) {
			return compute.BindGreatCircleDistance(t.Context(), e, compute.EarthRadiusMiles)
		}, 3, 2, 3, 2),
		columns("web_mercator_forward", func(t testing.TB, e *host.Engine) (*compute.Kernel, error) {
			return compute.BindWebMercatorForward(t.Context(), e)
		}, 2, 3),
		columns("web_mercator_inverse", func(t testing.TB, e *host.Engine) (*compute.Kernel, error) {
			return compute.BindWebMercatorInverse(t.Context(), e)
		}, 2, 3),
		columns("grid_cell", func(t testing.TB, e *host.Engine) (*compute.Kernel, error) {
			return compute.BindGridCell(t.Context(), e, 10)
		}, 2, 3),
	}
	return append(cases, indexInCase(), groupByCase())
}

func indexInCase() breakEvenCase {
	return breakEvenCase{"index_in", func(
		t testing.TB, e *host.Engine, batch arrow.RecordBatch,
	) func() (arrow.RecordBatch, error) {
		builder := array.NewStringBuilder(e.Allocator())
		defer builder.Release()

		for i := range 50 {
			builder.Append(fmt.Sprintf("K%02d", 2*i))
		}
		keys := builder.NewStringArray()
		defer keys.Release()

		set, err := compute.NewValueSet(t.Context(), e, keys)
		if err != nil {
			t.Fatal(err)
		}
		defer set.Release()

		kernel, err := compute.BindIndexIn(t.Context(), e, texts, set)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(kernel.Release)
		return func() (arrow.RecordBatch, error) {
			return kernel.RunColumns(t.Context(), batch.Column(5))
		}
	}}
}

func groupByCase() breakEvenCase {
	return breakEvenCase{"group_by", func(
		t testing.TB, e *host.Engine, batch arrow.RecordBatch,
	) func() (arrow.RecordBatch, error) {
		grouping := compute.GroupBy{
			Keys: []string{"text"},
			Aggregates: []compute.Aggregate{
				{Function: compute.Count}, {Function: compute.Mean, Column: "x"},
			},
		}
		return func() (arrow.RecordBatch, error) { return grouping.Run(t.Context(), e, batch) }
	}}
}
