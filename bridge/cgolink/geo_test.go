// SPDX-License-Identifier: Apache-2.0

//go:build cgo && linux && (amd64 || arm64) && !tombolo_portable

package cgolink_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/bridge/kerneltest"
)

// geoKernel is one use of a kernel over columns of doubles.
type geoKernel struct {
	name    string
	columns int
	options []bridge.Option
}

var geoKernels = []geoKernel{
	{"great_circle_distance", 4, nil},
	{"great_circle_distance", 4, []bridge.Option{{Name: "radius", Value: 6371.0}}},
	{"web_mercator_forward", 2, nil},
	{"web_mercator_inverse", 2, nil},
	{"grid_cell", 2, []bridge.Option{{Name: "size", Value: 100000.0}}},
	{"grid_cell", 2, []bridge.Option{{Name: "size", Value: 0.3}}},
}

func (k geoKernel) run(t testing.TB, library bridge.Library, batch arrow.RecordBatch) arrow.RecordBatch {
	t.Helper()
	ctx := context.Background()
	bound, err := library.Bind(ctx, k.name, []*arrow.Schema{batch.Schema()}, k.options...)
	if err != nil {
		t.Fatal(err)
	}
	defer bound.Release()

	result, err := bound.Run(ctx, batch)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// compareGeo runs every kernel over the first of the columns on every library.
func compareGeo(t *testing.T, all []bridge.Library, columns []arrow.Array, note string) {
	t.Helper()
	for _, kernel := range geoKernels {
		for _, column := range columns[:kernel.columns] {
			column.Retain() // the batch takes one over
		}
		batch := kerneltest.Batch(columns[:kernel.columns]...)
		want := kernel.run(t, all[0], batch)
		for _, library := range all[1:] {
			got := kernel.run(t, library, batch)
			kerneltest.CheckShape(t, got)
			kerneltest.CheckEqual(t, got, want)
			got.Release()
			if t.Failed() {
				t.Fatalf("%s at %v, %s", kernel.name, library.Info().SIMDLevel, note)
			}
		}
		want.Release()
		batch.Release()
	}
}

func TestGeoIsPortableBitForBit(t *testing.T) {
	all := libraries(t)
	random := rand.New(rand.NewPCG(21, 1))
	sizes := []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 127, 513, 2048, 2050, 5000}
	for _, rows := range sizes {
		for _, nulls := range []kerneltest.Nulls{kerneltest.NoNulls, kerneltest.SomeNulls, kerneltest.AllNulls} {
			for _, offset := range []int{0, 1, 7, 8, 63} {
				columns := make([]arrow.Array, 4)
				for i := range columns {
					own := kerneltest.Nulls(random.IntN(int(nulls) + 1))
					columns[i] = geoColumn(random, rows, own, offset)
				}
				compareGeo(t, all, columns, fmt.Sprintf("%d rows, nulls %d, offset %d", rows, nulls, offset))
				for _, column := range columns {
					column.Release()
				}
			}
		}
	}
}

// geoColumn is a column of degrees, metres and numbers of no sense.
func geoColumn(random *rand.Rand, rows int, nulls kerneltest.Nulls, offset int) arrow.Array {
	raw := kerneltest.Column(random, arrow.PrimitiveTypes.Float64, rows, nulls, offset)
	defer raw.Release()

	values := make([]float64, offset+rows)
	for i := range values {
		switch random.IntN(8) {
		case 0:
			values[i] = math.Float64frombits(random.Uint64())
		case 1:
			values[i] = kerneltest.Float(random)
		case 2:
			values[i] = (random.Float64() - 0.5) * 4.1e7
		case 3:
			values[i] = float64(random.IntN(9)-4) * 45
		default:
			values[i] = (random.Float64() - 0.5) * 182
		}
	}
	buffers := []*memory.Buffer{raw.Data().Buffers()[0], memory.NewBufferBytes(arrow.GetBytes(values))}
	data := array.NewData(raw.DataType(), rows, buffers, nil, raw.NullN(), offset)
	defer data.Release()

	return array.MakeFromData(data)
}

func TestGeoErrorsAreThoseOfPortable(t *testing.T) {
	double, text := arrow.PrimitiveTypes.Float64, arrow.BinaryTypes.String
	schema := func(types ...arrow.DataType) *arrow.Schema {
		fields := make([]arrow.Field, len(types))
		for i := range types {
			fields[i] = arrow.Field{Name: "c", Type: types[i], Nullable: true}
		}
		return arrow.NewSchema(fields, nil)
	}
	two := schema(double, double)
	cases := []struct {
		kernel  string
		inputs  []*arrow.Schema
		options []bridge.Option
		code    bridge.Code
		column  int
	}{
		{"great_circle_distance", []*arrow.Schema{two}, nil, bridge.CodeInvalid, -1},
		{"great_circle_distance", []*arrow.Schema{schema(double, double, text, double)}, nil, bridge.CodeType, 2},
		{"web_mercator_forward", []*arrow.Schema{schema(double, arrow.PrimitiveTypes.Float32)}, nil, bridge.CodeType, 1},
		{"web_mercator_inverse", []*arrow.Schema{two}, []bridge.Option{{Name: "radius", Value: 1.0}}, bridge.CodeInvalid, -1},
		{"grid_cell", []*arrow.Schema{two}, nil, bridge.CodeInvalid, -1},
		{"grid_cell", []*arrow.Schema{two}, []bridge.Option{{Name: "size", Value: math.NaN()}}, bridge.CodeInvalid, -1},
		{"grid_cell", []*arrow.Schema{two}, []bridge.Option{{Name: "size", Value: -1.0}}, bridge.CodeInvalid, -1},
		{"grid_cell", []*arrow.Schema{two}, []bridge.Option{{Name: "size", Value: int64(5)}}, bridge.CodeInvalid, -1},
	}
	for _, library := range libraries(t) {
		for i, c := range cases {
			bound, err := library.Bind(context.Background(), c.kernel, c.inputs, c.options...)
			var typed *bridge.Error
			if bound != nil || !errors.As(err, &typed) {
				t.Errorf("case %d: %v", i, err)
				continue
			}
			if typed.Code != c.code || typed.Column != c.column {
				t.Errorf("case %d, %s: %v at column %d", i, library.Info().Carrier, err, typed.Column)
			}
		}
	}
}

// A cancelled call ends with an error and leaves nothing behind; the ledgers of libraries say so.
func TestGeoIsCancelled(t *testing.T) {
	random := rand.New(rand.NewPCG(22, 1))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, library := range libraries(t) {
		for _, kernel := range geoKernels {
			columns := make([]arrow.Array, kernel.columns)
			for i := range columns {
				columns[i] = geoColumn(random, 5000, kerneltest.SomeNulls, 3)
			}
			batch := kerneltest.Batch(columns...)
			bound, err := library.Bind(context.Background(), kernel.name, []*arrow.Schema{batch.Schema()}, kernel.options...)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := bound.Run(ctx, batch); !errors.Is(err, bridge.ErrCancelled) || !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", kernel.name, err)
			}
			bound.Release()
			batch.Release()
		}
	}
}

// FuzzGeo gives the kernels the fuzzer's bytes as doubles.
func FuzzGeo(f *testing.F) {
	f.Add([]byte("eight byeight byeight byeight byte"), uint8(1), []byte{0xF0, 0x0F})
	all := libraries(f)
	f.Fuzz(func(t *testing.T, data []byte, offset uint8, valid []byte) {
		rows := len(data) / 8 / 4
		skip := min(int(offset), rows)
		columns := make([]arrow.Array, 4)
		for c := range columns {
			values := make([]float64, rows)
			for i := range values {
				values[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[(c*rows+i)*8:]))
			}
			bitmap := make([]byte, (rows+7)/8)
			for i := range bitmap {
				bitmap[i] = 0xFF
				if i < len(valid) {
					bitmap[i] = valid[(i+c)%len(valid)]
				}
			}
			buffers := []*memory.Buffer{memory.NewBufferBytes(bitmap), memory.NewBufferBytes(arrow.GetBytes(values))}
			data := array.NewData(arrow.PrimitiveTypes.Float64, rows-skip, buffers, nil, array.UnknownNullCount, skip)
			columns[c] = array.MakeFromData(data)
			data.Release()
		}
		compareGeo(t, all, columns, "fuzzed")
		for _, column := range columns {
			column.Release()
		}
	})
}

func BenchmarkGeo(b *testing.B) {
	const rows = 16384
	random := rand.New(rand.NewPCG(23, 1))
	for _, library := range libraries(b) {
		for _, kernel := range geoKernels {
			columns := make([]arrow.Array, kernel.columns)
			for c := range columns {
				values := make([]float64, rows)
				for i := range values {
					values[i] = (random.Float64() - 0.5) * 179
					if kernel.name == "web_mercator_inverse" || kernel.name == "grid_cell" {
						values[i] *= 111e3
					}
				}
				buffers := []*memory.Buffer{nil, memory.NewBufferBytes(arrow.GetBytes(values))}
				data := array.NewData(arrow.PrimitiveTypes.Float64, rows, buffers, nil, 0, 0)
				columns[c] = array.MakeFromData(data)
				data.Release()
			}
			batch := kerneltest.Batch(columns...)
			info := library.Info()
			b.Run(fmt.Sprintf("%s/%s/level=%d", kernel.name, info.Carrier, info.SIMDLevel), func(b *testing.B) {
				bound, err := library.Bind(context.Background(), kernel.name, []*arrow.Schema{batch.Schema()}, kernel.options...)
				if err != nil {
					b.Fatal(err)
				}
				defer bound.Release()

				b.ReportAllocs()
				for b.Loop() {
					result, err := bound.Run(context.Background(), batch)
					if err != nil {
						b.Fatal(err)
					}
					result.Release()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
			})
			batch.Release()
		}
	}
}
