// SPDX-License-Identifier: Apache-2.0

package compute_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"go.uber.org/goleak"

	_ "github.com/tombolo-arrow/tombolo/bridge/dlopen"
	"github.com/tombolo-arrow/tombolo/bridge/dlopen/libtest"
	"github.com/tombolo-arrow/tombolo/host"
	"github.com/tombolo-arrow/tombolo/host/compute"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// onEveryCarrier runs a test with an engine of each carrier that opens here, and checks that
// nothing is left out.
func onEveryCarrier(t *testing.T, test func(t *testing.T, engine *host.Engine)) {
	t.Helper()
	for _, carrier := range []string{"portable", "cgo", "dlopen"} {
		t.Run(carrier, func(t *testing.T) {
			options := []host.Option{host.ForbidNative()}
			if carrier != "portable" {
				options = nil
				for kernel := range host.Thresholds() {
					options = append(options, host.Threshold(kernel, 0))
				}
			}
			if carrier == "dlopen" {
				options = append(options, host.WithCarrier(carrier), host.LibraryPath(libtest.Path(t)))
			}
			engine, err := host.Open(t.Context(), options...)
			if err != nil {
				t.Fatal(err)
			}
			if engine.Info().Carrier != carrier {
				engine.Close()
				t.Skip("this build has no native carrier")
			}
			defer engine.Ledger().VerifyEmpty(t)
			defer func() {
				if err := engine.Close(); err != nil {
					t.Error(err)
				}
			}()
			test(t, engine)
		})
	}
}

// column makes a column from the JSON text of its values, on the Go heap.
func column(t *testing.T, dataType arrow.DataType, text string) arrow.Array {
	t.Helper()
	made, _, err := array.FromJSON(memory.DefaultAllocator, dataType, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// batch makes a batch from the JSON text of its rows, on the Go heap.
func batch(t *testing.T, schema *arrow.Schema, text string) arrow.RecordBatch {
	t.Helper()
	made, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return made
}

var (
	int8s    = arrow.PrimitiveTypes.Int8
	int32s   = arrow.PrimitiveTypes.Int32
	int64s   = arrow.PrimitiveTypes.Int64
	float64s = arrow.PrimitiveTypes.Float64
	bools    = arrow.FixedWidthTypes.Boolean
	texts    = arrow.BinaryTypes.String
	stamps   = arrow.FixedWidthTypes.Timestamp_s
)

// columnCase is one kernel of columns, called once and bound.
type columnCase struct {
	name    string
	inputs  []arrow.Array
	once    func(*testing.T, *host.Engine, []arrow.Array) ([]arrow.Array, error)
	bind    func(*testing.T, *host.Engine) (*compute.Kernel, error)
	results []arrow.Array
}

func one(column arrow.Array, err error) ([]arrow.Array, error) { return []arrow.Array{column}, err }

func two(a, b arrow.Array, err error) ([]arrow.Array, error) { return []arrow.Array{a, b}, err }

func TestColumnKernels(t *testing.T) {
	numbers := column(t, int64s, "[1, -2, null, 3]")
	cases := slices.Concat(comparisonCases(t, numbers), arithmeticCases(t, numbers), castCases(t, numbers),
		geographicCases(t))
	onEveryCarrier(t, func(t *testing.T, engine *host.Engine) {
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				// The second call finds the kernel of the first.
				for range 2 {
					got, err := c.once(t, engine, c.inputs)
					if err != nil {
						t.Fatal(err)
					}
					checkColumns(t, got, c.results)
					release(got)
				}
				kernel, err := c.bind(t, engine)
				if err != nil {
					t.Fatal(err)
				}
				defer kernel.Release()

				result, err := kernel.RunColumns(t.Context(), c.inputs...)
				if err != nil {
					t.Fatal(err)
				}
				defer result.Release()

				checkColumns(t, result.Columns(), c.results)
			})
		}
	})
}

func checkColumns(t *testing.T, got, want []arrow.Array) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d columns, want %d", len(got), len(want))
	}
	for i := range got {
		if !array.ApproxEqual(got[i], want[i]) {
			t.Errorf("column %d is %v, want %v", i, got[i], want[i])
		}
	}
}

func release(columns []arrow.Array) {
	for _, column := range columns {
		column.Release()
	}
}

// binary is the form of every one-shot function of two operands.
type binary func(
	context.Context, *host.Engine, arrow.Array, compute.Operand,
) (arrow.Array, error)

func comparisonCases(t *testing.T, numbers arrow.Array) []columnCase {
	other := column(t, int64s, "[1, 2, 3, null]")
	var cases []columnCase
	for _, c := range []struct {
		kernel  compute.Comparison
		call    binary
		columns string // with other
		scalar  string // with 1
	}{
		{compute.IsEqual, compute.Equal,
			"[true, false, null, null]", "[true, false, null, false]"},
		{compute.IsNotEqual, compute.NotEqual,
			"[false, true, null, null]", "[false, true, null, true]"},
		{compute.IsLess, compute.Less,
			"[false, true, null, null]", "[false, true, null, false]"},
		{compute.IsLessEqual, compute.LessEqual,
			"[true, true, null, null]", "[true, true, null, false]"},
		{compute.IsGreater, compute.Greater,
			"[false, false, null, null]", "[false, false, null, true]"},
		{compute.IsGreaterEqual, compute.GreaterEqual,
			"[true, false, null, null]", "[true, false, null, true]"},
	} {
		cases = append(cases, columnCase{
			name: string(c.kernel) + " columns", inputs: []arrow.Array{numbers, other},
			once: func(t *testing.T, e *host.Engine, in []arrow.Array) ([]arrow.Array, error) {
				return one(c.call(t.Context(), e, in[0], in[1]))
			},
			bind: func(t *testing.T, e *host.Engine) (*compute.Kernel, error) {
				return compute.BindCompare(t.Context(), e, c.kernel, int64s, nil)
			},
			results: []arrow.Array{column(t, bools, c.columns)},
		})
		for name, operand := range map[string]compute.Operand{
			"literal": compute.Literal(1), "scalar": compute.Scalar(column(t, int64s, "[1]")),
		} {
			cases = append(cases, columnCase{
				name: string(c.kernel) + " " + name, inputs: []arrow.Array{numbers},
				once: func(t *testing.T, e *host.Engine, in []arrow.Array) ([]arrow.Array, error) {
					return one(c.call(t.Context(), e, in[0], operand))
				},
				bind: func(t *testing.T, e *host.Engine) (*compute.Kernel, error) {
					return compute.BindCompare(t.Context(), e, c.kernel, int64s, operand)
				},
				results: []arrow.Array{column(t, bools, c.scalar)},
			})
		}
	}
	return cases
}

func arithmeticCases(t *testing.T, numbers arrow.Array) []columnCase {
	var cases []columnCase
	for _, c := range []struct {
		kernel compute.Arithmetic
		call   binary
		want   string // with 2
	}{
		{compute.DoAdd, compute.Add, "[3, 0, null, 5]"},
		{compute.DoAddUnchecked, compute.AddUnchecked, "[3, 0, null, 5]"},
		{compute.DoSubtract, compute.Subtract, "[-1, -4, null, 1]"},
		{compute.DoSubtractUnchecked, compute.SubtractUnchecked, "[-1, -4, null, 1]"},
		{compute.DoDivide, compute.Divide, "[0, -1, null, 1]"},
		{compute.DoDivideUnchecked, compute.DivideUnchecked, "[0, -1, null, 1]"},
	} {
		cases = append(cases, columnCase{
			name: string(c.kernel), inputs: []arrow.Array{numbers},
			once: func(t *testing.T, e *host.Engine, in []arrow.Array) ([]arrow.Array, error) {
				return one(c.call(t.Context(), e, in[0], compute.Literal(2)))
			},
			bind: func(t *testing.T, e *host.Engine) (*compute.Kernel, error) {
				return compute.BindArithmetic(t.Context(), e, c.kernel, int64s, compute.Literal(2))
			},
			results: []arrow.Array{column(t, int64s, c.want)},
		})
	}
	return append(cases, columnCase{
		name: "abs", inputs: []arrow.Array{numbers},
		once: func(t *testing.T, e *host.Engine, in []arrow.Array) ([]arrow.Array, error) {
			return one(compute.Abs(t.Context(), e, in[0]))
		},
		bind: func(t *testing.T, e *host.Engine) (*compute.Kernel, error) {
			return compute.BindAbs(t.Context(), e, int64s, true)
		},
		results: []arrow.Array{column(t, int64s, "[1, 2, null, 3]")},
	}, columnCase{
		name: "abs_unchecked", inputs: []arrow.Array{column(t, int8s, "[-128, -1]")},
		once: func(t *testing.T, e *host.Engine, in []arrow.Array) ([]arrow.Array, error) {
			return one(compute.AbsUnchecked(t.Context(), e, in[0]))
		},
		bind: func(t *testing.T, e *host.Engine) (*compute.Kernel, error) {
			return compute.BindAbs(t.Context(), e, int8s, false)
		},
		results: []arrow.Array{column(t, int8s, "[-128, 1]")},
	})
}

func castCases(t *testing.T, numbers arrow.Array) []columnCase {
	return []columnCase{{
		name: "cast", inputs: []arrow.Array{numbers},
		once: func(t *testing.T, e *host.Engine, in []arrow.Array) ([]arrow.Array, error) {
			return one(compute.Cast(t.Context(), e, in[0], float64s))
		},
		bind: func(t *testing.T, e *host.Engine) (*compute.Kernel, error) {
			return compute.BindCast(t.Context(), e, int64s, float64s, true)
		},
		results: []arrow.Array{column(t, float64s, "[1, -2, null, 3]")},
	}, {
		name: "cast unsafe", inputs: []arrow.Array{column(t, int64s, "[257]")},
		once: func(t *testing.T, e *host.Engine, in []arrow.Array) ([]arrow.Array, error) {
			return one(compute.CastUnsafe(t.Context(), e, in[0], int8s))
		},
		bind: func(t *testing.T, e *host.Engine) (*compute.Kernel, error) {
			return compute.BindCast(t.Context(), e, int64s, int8s, false)
		},
		results: []arrow.Array{column(t, int8s, "[1]")},
	}, {
		name: "month", inputs: []arrow.Array{column(t, stamps, `["1969-12-31 23:59:59Z", null, "2024-02-29 00:00:00Z"]`)},
		once: func(t *testing.T, e *host.Engine, in []arrow.Array) ([]arrow.Array, error) {
			return one(compute.Month(t.Context(), e, in[0]))
		},
		bind: func(t *testing.T, e *host.Engine) (*compute.Kernel, error) {
			return compute.BindMonth(t.Context(), e, stamps)
		},
		results: []arrow.Array{column(t, int64s, "[12, null, 2]")},
	}}
}

func geographicCases(t *testing.T) []columnCase {
	zero, degrees := column(t, float64s, "[0, 0, null]"), column(t, float64s, "[0, 180, 1]")
	return []columnCase{{
		name: "great_circle_distance", inputs: []arrow.Array{zero, zero, zero, degrees},
		once: func(t *testing.T, e *host.Engine, in []arrow.Array) ([]arrow.Array, error) {
			return one(compute.GreatCircleDistance(t.Context(), e, in[0], in[1], in[2], in[3], 1))
		},
		bind: func(t *testing.T, e *host.Engine) (*compute.Kernel, error) {
			return compute.BindGreatCircleDistance(t.Context(), e, 1)
		},
		results: []arrow.Array{column(t, float64s, "[0, 3.141592653589793, null]")},
	}, {
		name: "web_mercator_forward", inputs: []arrow.Array{degrees, zero},
		once: func(t *testing.T, e *host.Engine, in []arrow.Array) ([]arrow.Array, error) {
			return two(compute.WebMercatorForward(t.Context(), e, in[0], in[1]))
		},
		bind: func(t *testing.T, e *host.Engine) (*compute.Kernel, error) {
			return compute.BindWebMercatorForward(t.Context(), e)
		},
		results: []arrow.Array{
			column(t, float64s, "[0, 20037508.342789244, null]"), column(t, float64s, "[0, 0, null]"),
		},
	}, {
		name:   "web_mercator_inverse",
		inputs: []arrow.Array{column(t, float64s, "[20037508.342789244]"), column(t, float64s, "[0]")},
		once: func(t *testing.T, e *host.Engine, in []arrow.Array) ([]arrow.Array, error) {
			return two(compute.WebMercatorInverse(t.Context(), e, in[0], in[1]))
		},
		bind: func(t *testing.T, e *host.Engine) (*compute.Kernel, error) {
			return compute.BindWebMercatorInverse(t.Context(), e)
		},
		results: []arrow.Array{column(t, float64s, "[180]"), column(t, float64s, "[0]")},
	}, {
		name: "grid_cell", inputs: []arrow.Array{degrees, zero},
		once: func(t *testing.T, e *host.Engine, in []arrow.Array) ([]arrow.Array, error) {
			return one(compute.GridCell(t.Context(), e, in[0], in[1], 100))
		},
		bind: func(t *testing.T, e *host.Engine) (*compute.Kernel, error) {
			return compute.BindGridCell(t.Context(), e, 100)
		},
		results: []arrow.Array{column(t, int64s, "[0, 4294967296, null]")},
	}}
}

func TestFilterAndTake(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "s", Type: texts, Nullable: true}, {Name: "n", Type: int64s, Nullable: true},
	}, nil)
	rows := batch(t, schema, `[{"s": "a", "n": 1}, {"s": null, "n": 2}, {"s": "c", "n": 3}]`)
	mask, indices := column(t, bools, "[true, null, true]"), column(t, int32s, "[2, null, 0]")
	dropped := batch(t, schema, `[{"s": "a", "n": 1}, {"s": "c", "n": 3}]`)
	emitted := batch(t, schema, `[{"s": "a", "n": 1}, {}, {"s": "c", "n": 3}]`)
	taken := batch(t, schema, `[{"s": "c", "n": 3}, {}, {"s": "a", "n": 1}]`)
	onEveryCarrier(t, func(t *testing.T, engine *host.Engine) {
		ctx := t.Context()
		check := func(what string, want arrow.RecordBatch) func(arrow.RecordBatch, error) {
			return func(got arrow.RecordBatch, err error) {
				t.Helper()
				if err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				defer got.Release()

				if !array.RecordEqual(got, want) {
					t.Errorf("%s: got %v, want %v", what, got, want)
				}
			}
		}
		check("filter", dropped)(compute.Filter(ctx, engine, rows, mask))
		check("filter with nulls", emitted)(
			compute.FilterWith(ctx, engine, rows, mask, compute.EmitNulls))
		check("take", taken)(compute.Take(ctx, engine, rows, indices))

		filter, err := compute.BindFilter(ctx, engine, schema, compute.DropNulls)
		if err != nil {
			t.Fatal(err)
		}
		defer filter.Release()

		check("bound filter", dropped)(filter.RunWith(ctx, rows, mask))
		take, err := compute.BindTake(ctx, engine, schema, int32s)
		if err != nil {
			t.Fatal(err)
		}
		defer take.Release()

		check("bound take", taken)(take.RunWith(ctx, rows, indices))
		reference, err := compute.NewReference(ctx, engine, rows)
		if err != nil {
			t.Fatal(err)
		}
		defer reference.Release()

		check("take from", taken)(compute.TakeFrom(ctx, engine, reference, indices))
		from, err := compute.BindTakeFrom(ctx, engine, reference, int32s)
		if err != nil {
			t.Fatal(err)
		}
		defer from.Release()

		// The kernel outlives the reference that it was bound with.
		reference.Release()
		check("bound take from", taken)(from.RunColumns(ctx, indices))

		one, err := compute.FilterColumn(ctx, engine, rows.Column(1), mask)
		if err != nil {
			t.Fatal(err)
		}
		checkColumns(t, []arrow.Array{one}, []arrow.Array{dropped.Column(1)})
		one.Release()
		one, err = compute.TakeColumn(ctx, engine, rows.Column(1), indices)
		if err != nil {
			t.Fatal(err)
		}
		checkColumns(t, []arrow.Array{one}, []arrow.Array{taken.Column(1)})
		one.Release()
	})
}

func TestIndexIn(t *testing.T) {
	keys := column(t, texts, `["LAX", "ORD", "ATL"]`)
	probe := column(t, arrow.BinaryTypes.LargeString, `["ATL", "XXX", null, "LAX"]`)
	want := column(t, int32s, "[2, null, null, 0]")
	onEveryCarrier(t, func(t *testing.T, engine *host.Engine) {
		ctx := t.Context()
		set, err := compute.NewValueSet(ctx, engine, keys)
		if err != nil {
			t.Fatal(err)
		}
		defer set.Release()

		got, err := compute.IndexIn(ctx, engine, probe, set)
		if err != nil {
			t.Fatal(err)
		}
		checkColumns(t, []arrow.Array{got}, []arrow.Array{want})
		got.Release()

		kernel, err := compute.BindIndexIn(ctx, engine, probe.DataType(), set)
		if err != nil {
			t.Fatal(err)
		}
		defer kernel.Release()

		set.Release()
		result, err := kernel.RunColumns(ctx, probe)
		if err != nil {
			t.Fatal(err)
		}
		defer result.Release()

		checkColumns(t, result.Columns(), []arrow.Array{want})
		if _, err := compute.IndexIn(ctx, engine, probe, set); !errors.Is(err, host.ErrReleased) {
			t.Errorf("a released set gave %v", err)
		}
		double := column(t, int64s, "[1, 2, 1]")
		if _, err := compute.NewValueSet(ctx, engine, double); !errors.Is(err, host.ErrInvalid) {
			t.Errorf("a set with a duplicate gave %v", err)
		}
	})
}

func TestRechunk(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "n", Type: int64s}}, nil)
	rows := batch(t, schema, `[{"n": 1}, {"n": 2}, {"n": 3}]`)
	onEveryCarrier(t, func(t *testing.T, engine *host.Engine) {
		ctx := t.Context()
		rechunker, err := compute.Rechunk(ctx, engine, schema, 2)
		if errors.Is(err, host.ErrUnknown) {
			t.Skip(err)
		} else if err != nil {
			t.Fatal(err)
		}
		defer rechunker.Close()

		if _, err := rechunker.Next(ctx); !errors.Is(err, host.ErrNeedInput) {
			t.Fatalf("next before push gave %v", err)
		}
		var sizes []int64
		for _, pushed := range []arrow.RecordBatch{rows, rows, rows, nil} {
			if err := rechunker.Push(ctx, pushed); err != nil {
				t.Fatal(err)
			}
			for {
				got, err := rechunker.Next(ctx)
				if errors.Is(err, host.ErrNeedInput) || errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Fatal(err)
				}
				sizes = append(sizes, got.NumRows())
				got.Release()
			}
		}
		if want := []int64{2, 2, 2, 2, 1}; !slices.Equal(sizes, want) {
			t.Errorf("sizes %v, want %v", sizes, want)
		}
	})
}
