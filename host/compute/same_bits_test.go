// SPDX-License-Identifier: Apache-2.0

package compute_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tombolo-arrow/tombolo/bridge/kerneltest"
	"github.com/tombolo-arrow/tombolo/host"
	"github.com/tombolo-arrow/tombolo/host/compute"
)

// The choice between native code and plain Go must not show: every function gives the same bits, or
// an error of the same code, on both sides and at every SIMD level.

type sameBitsCall func(
	context.Context, *host.Engine, []arrow.Array,
) (arrow.RecordBatch, error)

type sameBitsCase struct {
	name  string
	types []arrow.DataType
	call  sameBitsCall
}

func TestBothSidesGiveTheSameBits(t *testing.T) {
	portable, err := host.Open(t.Context(), host.ForbidNative())
	if err != nil {
		t.Fatal(err)
	}
	defer portable.Ledger().VerifyEmpty(t)
	defer portable.Close()

	for _, level := range []string{"base", "avx2", "avx512"} {
		native := openNative(t, level)
		for _, c := range sameBitsCases() {
			t.Run(c.name+"/"+level, func(t *testing.T) { c.compare(t, native, portable) })
		}
		if counters := native.Counters(); counters.Fallbacks != 0 || counters.Portable != 0 {
			t.Errorf("not everything ran natively: %+v", counters)
		}
		if err := native.Close(); err != nil {
			t.Error(err)
		}
		native.Ledger().VerifyEmpty(t)
	}
}

// openNative opens an engine that runs natively whatever the native library has.
func openNative(t *testing.T, level string) *host.Engine {
	t.Helper()
	options := []host.Option{host.SIMDLevel(level)}
	for kernel := range host.Thresholds() {
		options = append(options, host.Threshold(kernel, 0))
	}
	native, err := host.Open(t.Context(), options...)
	if err != nil {
		t.Fatal(err)
	}
	if !native.Info().Native {
		native.Close()
		t.Skip("this build has no native carrier")
	}
	return native
}

func (c sameBitsCase) compare(t *testing.T, native, portable *host.Engine) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, rows := range []int{0, 1, 7, 64, 65, 1000} {
		for _, nulls := range []kerneltest.Nulls{kerneltest.NoNulls, kerneltest.SomeNulls} {
			columns := make([]arrow.Array, len(c.types))
			for i, dataType := range c.types {
				columns[i] = kerneltest.Column(random, dataType, rows, nulls, random.IntN(70))
			}
			got, gotErr := c.call(t.Context(), native, columns)
			want, wantErr := c.call(t.Context(), portable, columns)
			at := fmt.Sprintf("rows=%d nulls=%d", rows, nulls)
			switch {
			case gotErr != nil || wantErr != nil:
				if codeOf(gotErr) != codeOf(wantErr) {
					t.Errorf("%s: native error %v, portable %v", at, gotErr, wantErr)
				}
			default:
				located := locatedReporter{t, at}
				kerneltest.CheckShape(located, got)
				kerneltest.CheckEqual(located, got, want)
			}
			releaseBatches(got, want)
			release(columns)
		}
	}
}

func codeOf(err error) int {
	var failed *host.Error
	if errors.As(err, &failed) {
		return int(failed.Code)
	}
	return 0
}

func releaseBatches(batches ...arrow.RecordBatch) {
	for _, batch := range batches {
		if batch != nil {
			batch.Release()
		}
	}
}

// locatedReporter says which input a check failed on.
type locatedReporter struct {
	*testing.T
	at string
}

func (r locatedReporter) Errorf(format string, arguments ...any) {
	r.Helper()
	r.T.Errorf(r.at+": "+format, arguments...)
}

// record makes a batch of the one or two columns that a function gave, and takes them over.
func record(err error, columns ...arrow.Array) (arrow.RecordBatch, error) {
	if err != nil {
		return nil, err
	}
	return kerneltest.Batch(columns...), nil
}

func sameBitsCases() []sameBitsCase {
	var cases []sameBitsCase
	for name, call := range map[string]binary{
		"equal": compute.Equal, "not_equal": compute.NotEqual, "less": compute.Less,
		"less_equal": compute.LessEqual, "greater": compute.Greater,
		"greater_equal": compute.GreaterEqual,
		"add_unchecked": compute.AddUnchecked, "subtract_unchecked": compute.SubtractUnchecked,
		"divide_unchecked": compute.DivideUnchecked,
		"add":              compute.Add, "subtract": compute.Subtract, "divide": compute.Divide,
	} {
		for _, dataType := range kerneltest.Numbers() {
			cases = append(cases, sameBitsCase{
				name: fmt.Sprintf("%s/%v", name, dataType), types: []arrow.DataType{dataType, dataType},
				call: oneColumn(func(
					ctx context.Context, e *host.Engine, in []arrow.Array,
				) (arrow.Array, error) {
					return call(ctx, e, in[0], in[1])
				}),
			})
		}
	}
	return append(cases, sameBitsOfBatches()...)
}

func oneColumn(
	call func(context.Context, *host.Engine, []arrow.Array) (arrow.Array, error),
) sameBitsCall {
	return func(ctx context.Context, e *host.Engine, in []arrow.Array) (arrow.RecordBatch, error) {
		result, err := call(ctx, e, in)
		return record(err, result)
	}
}

func sameBitsOfBatches() []sameBitsCase {
	mercator := func(call func(
		context.Context, *host.Engine, arrow.Array, arrow.Array,
	) (arrow.Array, arrow.Array, error)) sameBitsCall {
		return func(ctx context.Context, e *host.Engine, in []arrow.Array) (arrow.RecordBatch, error) {
			x, y, err := call(ctx, e, in[0], in[1])
			return record(err, x, y)
		}
	}
	mixed := []arrow.DataType{int64s, texts, float64s, bools}
	return []sameBitsCase{
		{"filter", mixed, func(
			ctx context.Context, e *host.Engine, in []arrow.Array,
		) (arrow.RecordBatch, error) {
			batch := borrow(in)
			defer batch.Release()

			return compute.FilterWith(ctx, e, batch, in[3], compute.EmitNulls)
		}},
		{"group_by", mixed, func(
			ctx context.Context, e *host.Engine, in []arrow.Array,
		) (arrow.RecordBatch, error) {
			batch := borrow(in)
			defer batch.Release()

			return compute.GroupBy{Keys: []string{"c1", "c3"}, Aggregates: []compute.Aggregate{
				{Function: compute.Count}, {Function: compute.Mean, Column: "c2"},
				{Function: compute.Sum, Column: "c0"}, {Function: compute.Max, Column: "c1"},
			}}.Run(ctx, e, batch)
		}},
		{"cast", []arrow.DataType{int32s}, oneColumn(func(
			ctx context.Context, e *host.Engine, in []arrow.Array,
		) (arrow.Array, error) {
			return compute.Cast(ctx, e, in[0], float64s)
		})},
		{"cast, unsafe", []arrow.DataType{float64s}, oneColumn(func(
			ctx context.Context, e *host.Engine, in []arrow.Array,
		) (arrow.Array, error) {
			return compute.CastUnsafe(ctx, e, in[0], int8s)
		})},
		{"month", []arrow.DataType{stamps}, oneColumn(func(
			ctx context.Context, e *host.Engine, in []arrow.Array,
		) (arrow.Array, error) {
			return compute.Month(ctx, e, in[0])
		})},
		{"great_circle_distance", float64Types(4), oneColumn(func(
			ctx context.Context, e *host.Engine, in []arrow.Array,
		) (arrow.Array, error) {
			return compute.GreatCircleDistance(ctx, e, in[0], in[1], in[2], in[3], 6371)
		})},
		{"web_mercator_forward", float64Types(2), mercator(compute.WebMercatorForward)},
		{"web_mercator_inverse", float64Types(2), mercator(compute.WebMercatorInverse)},
		{"grid_cell", float64Types(2), oneColumn(func(
			ctx context.Context, e *host.Engine, in []arrow.Array,
		) (arrow.Array, error) {
			return compute.GridCell(ctx, e, in[0], in[1], 0.25)
		})},
	}
}

// borrow makes a batch of columns that stay the caller's.
func borrow(columns []arrow.Array) arrow.RecordBatch {
	fields := make([]arrow.Field, len(columns))
	for i, column := range columns {
		fields[i] = arrow.Field{Name: fmt.Sprintf("c%d", i), Type: column.DataType(), Nullable: true}
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, int64(columns[0].Len()))
}

func float64Types(count int) []arrow.DataType {
	types := make([]arrow.DataType, count)
	for i := range types {
		types[i] = float64s
	}
	return types
}
