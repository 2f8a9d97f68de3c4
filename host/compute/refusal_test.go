// SPDX-License-Identifier: Apache-2.0

package compute_test

import (
	"context"
	"errors"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tombolo-arrow/tombolo/host"
	"github.com/tombolo-arrow/tombolo/host/compute"
)

func failure[T any](_ T, err error) error { return err }

func failure2[T, U any](_ T, _ U, err error) error { return err }

func TestRefusals(t *testing.T) {
	numbers, three := column(t, int64s, "[1, 0]"), column(t, int64s, "[1, 2, 3]")
	mask, real := column(t, bools, "[true, false]"), column(t, float64s, "[1, 2]")
	schema := arrow.NewSchema([]arrow.Field{{Name: "n", Type: int64s}}, nil)
	rows := batch(t, schema, `[{"n": 1}, {"n": 2}]`)
	onEveryCarrier(t, func(t *testing.T, e *host.Engine) {
		ctx := t.Context()
		ended, cancel := context.WithCancel(ctx)
		cancel()
		minimum := column(t, int64s, "[-9223372036854775808]")
		for name, c := range map[string]struct{ want, got error }{
			"nil engine":         {host.ErrInvalid, failure(compute.Abs(ctx, nil, numbers))},
			"nil column":         {host.ErrInvalid, failure(compute.Abs(ctx, e, nil))},
			"nil left":           {host.ErrInvalid, failure(compute.Add(ctx, e, nil, numbers))},
			"nil right":          {host.ErrInvalid, failure(compute.Add(ctx, e, numbers, nil))},
			"nil left, literal":  {host.ErrInvalid, failure(compute.Add(ctx, e, nil, compute.Literal(1)))},
			"nil scalar":         {host.ErrInvalid, failure(compute.Add(ctx, e, numbers, compute.Scalar(nil)))},
			"long scalar":        {host.ErrInvalid, failure(compute.Add(ctx, e, numbers, compute.Scalar(three)))},
			"lengths":            {host.ErrInvalid, failure(compute.Add(ctx, e, numbers, three))},
			"types":              {host.ErrType, failure(compute.Add(ctx, e, numbers, real))},
			"no number":          {host.ErrType, failure(compute.Abs(ctx, e, mask))},
			"overflow":           {host.ErrOverflow, failure(compute.Abs(ctx, e, minimum))},
			"division by zero":   {host.ErrDivideByZero, failure(compute.Divide(ctx, e, numbers, numbers))},
			"cast":               {host.ErrOverflow, failure(compute.Cast(ctx, e, minimum, int8s))},
			"cast to nil":        {host.ErrInvalid, failure(compute.Cast(ctx, e, numbers, nil))},
			"cast to text":       {host.ErrType, failure(compute.Cast(ctx, e, numbers, texts))},
			"filter of nil":      {host.ErrInvalid, failure(compute.Filter(ctx, e, nil, mask))},
			"filter by nil":      {host.ErrInvalid, failure(compute.Filter(ctx, e, rows, nil))},
			"filter by numbers":  {host.ErrType, failure(compute.Filter(ctx, e, rows, numbers))},
			"filter, lengths":    {host.ErrInvalid, failure(compute.FilterColumn(ctx, e, three, mask))},
			"filter, nulls":      {host.ErrInvalid, failure(compute.FilterWith(ctx, e, rows, mask, "keep"))},
			"take outside":       {host.ErrIndex, failure(compute.Take(ctx, e, rows, three))},
			"take by real":       {host.ErrType, failure(compute.Take(ctx, e, rows, real))},
			"take from nil":      {host.ErrInvalid, failure(compute.TakeFrom(ctx, e, nil, numbers))},
			"bind take from nil": {host.ErrInvalid, failure(compute.BindTakeFrom(ctx, e, nil, int64s))},
			"reference of nil":   {host.ErrInvalid, failure(compute.NewReference(ctx, e, nil))},
			"set of nil":         {host.ErrInvalid, failure(compute.NewValueSet(ctx, e, nil))},
			"set of real":        {host.ErrType, failure(compute.NewValueSet(ctx, e, real))},
			"index in nil":       {host.ErrInvalid, failure(compute.IndexIn(ctx, e, numbers, nil))},
			"bind index in nil":  {host.ErrInvalid, failure(compute.BindIndexIn(ctx, e, int64s, nil))},
			"bind without type":  {host.ErrInvalid, failure(compute.BindMonth(ctx, e, nil))},
			"bind nil schema":    {host.ErrInvalid, failure(compute.BindFilter(ctx, e, nil, "drop"))},
			"bind wrong literal": {host.ErrType, failure(compute.BindCompare(ctx, e, compute.IsEqual, int64s, compute.Literal("x")))},
			"month of numbers":   {host.ErrType, failure(compute.Month(ctx, e, numbers))},
			"grid of size 0":     {host.ErrInvalid, failure(compute.GridCell(ctx, e, real, real, 0))},
			"mercator, integers": {host.ErrType, failure2(compute.WebMercatorForward(ctx, e, numbers, numbers))},
			"cancelled":          {context.Canceled, failure(compute.Abs(ended, e, numbers))},
		} {
			if !errors.Is(c.got, c.want) {
				t.Errorf("%s: got error %v, want %v", name, c.got, c.want)
			}
		}
	})
}

func TestReleasedInputs(t *testing.T) {
	onEveryCarrier(t, func(t *testing.T, e *host.Engine) {
		ctx := t.Context()
		schema := arrow.NewSchema([]arrow.Field{{Name: "n", Type: int64s}}, nil)
		gone, rows := batch(t, schema, `[{"n": 1}]`), batch(t, schema, `[{"n": 1}]`)
		values := gone.Column(0)
		gone.Release()
		mask := column(t, bools, "[true]")
		kernel, err := compute.BindAbs(ctx, e, int64s, true)
		if err != nil {
			t.Fatal(err)
		}
		defer kernel.Release()

		grouping, err := compute.GroupBy{Keys: []string{"n"}}.Bind(ctx, e, schema)
		if err != nil {
			t.Fatal(err)
		}
		defer grouping.Release()

		groups, err := grouping.Open(ctx)
		if err != nil {
			t.Fatal(err)
		}
		defer groups.Close()

		scalar := compute.Scalar(values)
		for name, got := range map[string]error{
			"bound batch":  failure(kernel.Run(ctx, gone)),
			"bound column": failure(kernel.RunColumns(ctx, values)),
			"one column":   failure(compute.Abs(ctx, e, values)),
			"left":         failure(compute.Add(ctx, e, values, compute.Literal(1))),
			"left, scalar": failure(compute.Add(ctx, e, values, compute.Scalar(rows.Column(0)))),
			"right":        failure(compute.Add(ctx, e, rows.Column(0), values)),
			"scalar":       failure(compute.Add(ctx, e, rows.Column(0), scalar)),
			"filter":       failure(compute.Filter(ctx, e, gone, mask)),
			"mask":         failure(compute.Filter(ctx, e, rows, values)),
			"take column":  failure(compute.TakeColumn(ctx, e, values, rows.Column(0))),
			"reference":    failure(compute.NewReference(ctx, e, gone)),
			"value set":    failure(compute.NewValueSet(ctx, e, values)),
			"groups":       groups.Consume(ctx, gone),
			"group by":     failure(compute.GroupBy{Keys: []string{"n"}}.Run(ctx, e, gone)),
		} {
			if !errors.Is(got, host.ErrReleased) {
				t.Errorf("%s: got error %v, want %v", name, got, host.ErrReleased)
			}
		}
	})
}

func TestErrorsNameKernelAndColumn(t *testing.T) {
	real, text := column(t, float64s, "[1]"), column(t, texts, `["secret"]`)
	onEveryCarrier(t, func(t *testing.T, e *host.Engine) {
		_, err := compute.GreatCircleDistance(t.Context(), e, real, real, text, real, 1)
		var failed *host.Error
		if !errors.As(err, &failed) {
			t.Fatalf("got error %v", err)
		}
		if failed.Kernel != "great_circle_distance" || failed.Column != 2 {
			t.Errorf("kernel %q, column %d", failed.Kernel, failed.Column)
		}
	})
}

func TestLiterals(t *testing.T) {
	moment := time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)
	stamp := arrow.Timestamp(moment.Unix())
	for name, c := range map[string]struct {
		dataType arrow.DataType
		value    compute.Operand
		want     string // JSON of the one value, or "" for an error
		err      error
	}{
		"int in int8":           {int8s, compute.Literal(-128), "[-128]", nil},
		"too large":             {int8s, compute.Literal(128), "", host.ErrOverflow},
		"too small":             {int8s, compute.Literal(-129), "", host.ErrOverflow},
		"negative in unsigned":  {arrow.PrimitiveTypes.Uint64, compute.Literal(-1), "", host.ErrOverflow},
		"large unsigned":        {arrow.PrimitiveTypes.Uint64, compute.Literal(uint64(math.MaxUint64)), "[18446744073709551615]", nil},
		"large unsigned in int": {int64s, compute.Literal(uint64(math.MaxUint64)), "", host.ErrOverflow},
		"least int64":           {int64s, compute.Literal(int64(math.MinInt64)), "[-9223372036854775808]", nil},
		"float in integer":      {int64s, compute.Literal(1.0), "", host.ErrType},
		"integer in float":      {float64s, compute.Literal(-3), "[-3]", nil},
		"inexact in float":      {float64s, compute.Literal(int64(1<<53 + 1)), "", host.ErrOverflow},
		"large in float":        {float64s, compute.Literal(int64(1 << 60)), "[1152921504606846976]", nil},
		"float32":               {arrow.PrimitiveTypes.Float32, compute.Literal(0.5), "[0.5]", nil},
		"inexact float32":       {arrow.PrimitiveTypes.Float32, compute.Literal(0.1), "", host.ErrOverflow},
		"text":                  {texts, compute.Literal("a"), `["a"]`, nil},
		"text in integer":       {int64s, compute.Literal("1"), "", host.ErrType},
		"integer in text":       {texts, compute.Literal(1), "", host.ErrType},
		"large text":            {arrow.BinaryTypes.LargeString, compute.Literal("a"), `["a"]`, nil},
		"text view":             {arrow.BinaryTypes.StringView, compute.Literal("a"), `["a"]`, nil},
		"bool":                  {bools, compute.Literal(true), "[true]", nil},
		"time":                  {stamps, compute.Literal(moment), `["2024-02-29T12:00:00Z"]`, nil},
		"stamp":                 {stamps, compute.Literal(stamp), `["2024-02-29T12:00:00Z"]`, nil},
		"time with fraction":    {stamps, compute.Literal(moment.Add(1)), "", host.ErrOverflow},
		"integer in time":       {stamps, compute.Literal(1), "", host.ErrType},
		"date":                  {arrow.FixedWidthTypes.Date32, compute.Literal(arrow.Date32(1)), `["1970-01-02"]`, nil},
		"wrong date":            {arrow.FixedWidthTypes.Date32, compute.Literal(arrow.Date64(1)), "", host.ErrType},
	} {
		t.Run(name, func(t *testing.T) {
			onEveryCarrier(t, func(t *testing.T, e *host.Engine) {
				text := c.want
				if text == "" {
					text = "[]"
				}
				value := column(t, c.dataType, text)
				got, err := compute.Equal(t.Context(), e, value, c.value)
				if !errors.Is(err, c.err) {
					t.Fatalf("got error %v, want %v", err, c.err)
				}
				if err != nil {
					return
				}
				defer got.Release()

				if !got.(*array.Boolean).Value(0) {
					t.Error("the column does not equal its literal")
				}
			})
		})
	}
}

func TestDictionaryEqualsLiteral(t *testing.T) {
	dictionary := &arrow.DictionaryType{IndexType: int8s, ValueType: texts}
	words := column(t, dictionary, `["a", "b", null, "a"]`)
	want := column(t, bools, "[true, false, null, true]")
	onEveryCarrier(t, func(t *testing.T, e *host.Engine) {
		got, err := compute.Equal(t.Context(), e, words, compute.Literal("a"))
		if err != nil {
			t.Fatal(err)
		}
		defer got.Release()

		checkColumns(t, []arrow.Array{got}, []arrow.Array{want})
	})
}

func TestConcurrentCalls(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "n", Type: int64s}}, nil)
	rows := batch(t, schema, `[{"n": 1}, {"n": 2}, {"n": 3}]`)
	onEveryCarrier(t, func(t *testing.T, e *host.Engine) {
		set, err := compute.NewValueSet(t.Context(), e, rows.Column(0))
		if err != nil {
			t.Fatal(err)
		}
		defer set.Release()

		var workers sync.WaitGroup
		for worker := range 4 {
			workers.Go(func() {
				for i := range 200 { // more than the engine keeps bound
					result, err := compute.Less(t.Context(), e, rows.Column(0), compute.Literal(i))
					if err != nil {
						t.Error(err)
						return
					}
					kept, err := compute.Filter(t.Context(), e, rows, result)
					result.Release()
					if err != nil {
						t.Error(err)
						return
					}
					if want := int64(min(max(i-1, 0), 3)); kept.NumRows() != want {
						t.Errorf("worker %d kept %d rows below %d", worker, kept.NumRows(), i)
					}
					found, err := compute.IndexIn(t.Context(), e, kept.Column(0), set)
					kept.Release()
					if err != nil {
						t.Error(err)
						return
					}
					found.Release()
				}
			})
		}
		workers.Wait()
	})
}

// TestCancelledInTheMiddle ends the context while a kernel is at work on a batch that takes tens of
// milliseconds at the least.
func TestCancelledInTheMiddle(t *testing.T) {
	onEveryCarrier(t, func(t *testing.T, e *host.Engine) {
		builder := array.NewFloat64Builder(e.Allocator())
		defer builder.Release()

		builder.AppendValues(make([]float64, 4<<20), nil)
		zeros := builder.NewFloat64Array()
		defer zeros.Release()

		kernel, err := compute.BindGreatCircleDistance(t.Context(), e, 1)
		if err != nil {
			t.Fatal(err)
		}
		defer kernel.Release()

		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()

		_, err = kernel.RunColumns(ctx, zeros, zeros, zeros, zeros)
		if !errors.Is(err, host.ErrCancelled) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got error %v", err)
		}
	})
}

func TestTypedNilInputs(t *testing.T) {
	var none *array.Int64
	var grouping *compute.Grouping
	var set *compute.ValueSet
	var reference *compute.Reference
	grouping.Release()
	set.Release()
	reference.Release()
	if grouping.Output() != nil || reference.Schema() != nil {
		t.Error("nil has a schema")
	}
	if compute.Scalar(none).DataType() != nil {
		t.Error("a nil scalar has a type")
	}
	onEveryCarrier(t, func(t *testing.T, e *host.Engine) {
		ctx := t.Context()
		schema := arrow.NewSchema([]arrow.Field{{Name: "n", Type: int64s}}, nil)
		rows := batch(t, schema, `[{"n": 1}]`)
		kernel, err := compute.BindAbs(ctx, e, int64s, true)
		if err != nil {
			t.Fatal(err)
		}
		defer kernel.Release()

		for name, got := range map[string]error{
			"bound":         failure(kernel.RunColumns(ctx, none)),
			"column":        failure(compute.Abs(ctx, e, none)),
			"left":          failure(compute.Add(ctx, e, none, compute.Literal(1))),
			"right":         failure(compute.Add(ctx, e, rows.Column(0), none)),
			"scalar":        failure(compute.Add(ctx, e, rows.Column(0), compute.Scalar(none))),
			"mask":          failure(compute.Filter(ctx, e, rows, none)),
			"filter column": failure(compute.FilterColumn(ctx, e, none, none)),
			"take column":   failure(compute.TakeColumn(ctx, e, rows.Column(0), none)),
			"value set":     failure(compute.NewValueSet(ctx, e, none)),
			"type":          failure(compute.BindMonth(ctx, e, (*arrow.Date32Type)(nil))),
			"grouping":      failure(grouping.Open(ctx)),
		} {
			if !errors.Is(got, host.ErrInvalid) {
				t.Errorf("%s: got error %v, want %v", name, got, host.ErrInvalid)
			}
		}
	})
}

// TestMalformedInputs has batches that break the format: the caller's mistake, after which the
// engine still works.
func TestMalformedInputs(t *testing.T) {
	onEveryCarrier(t, func(t *testing.T, e *host.Engine) {
		ctx := t.Context()
		bare := array.NewData(int64s, 3, []*memory.Buffer{nil, nil}, nil, 0, 0)
		values := array.MakeFromData(bare)
		if err := failure(compute.Abs(ctx, e, values)); !errors.Is(err, host.ErrInvalid) {
			t.Errorf("no buffer: got error %v", err)
		}
		values.Release()
		bare.Release()
		result, err := compute.Abs(ctx, e, column(t, int64s, "[-1]"))
		if err != nil {
			t.Fatalf("the engine stopped working: %v", err)
		}
		result.Release()
	})
}
