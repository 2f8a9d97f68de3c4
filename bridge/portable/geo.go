// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tombolo-arrow/tombolo/bridge"
)

// earthRadiusMiles is the default of great_circle_distance.
const earthRadiusMiles = 3958.7613

// The run functions here return their columns with the error of a cancel too: the frame releases them.

func geoKernels() []kernel {
	return []kernel{
		geoKernel("great_circle_distance", bindGreatCircle),
		geoKernel("grid_cell", bindGridCell),
		geoKernel("web_mercator_forward", func(b *binding) (*bound, error) {
			return bindPairs(b, mercatorForward, "x", "y")
		}),
		geoKernel("web_mercator_inverse", func(b *binding) (*bound, error) {
			return bindPairs(b, mercatorInverse, "longitude", "latitude")
		}),
	}
}

func geoKernel(name string, bind func(b *binding) (*bound, error)) kernel {
	return kernel{info: bridge.KernelInfo{Name: name, Kind: bridge.Map, Inputs: 1}, bind: bind}
}

// bindDoubles checks that the one input has exactly count float64 columns.
func bindDoubles(b *binding, count int) error {
	if err := b.columns(0, count); err != nil {
		return err
	}
	for i := range count {
		dataType, err := b.column(0, i)
		if err != nil {
			return err
		}
		if dataType.ID() != arrow.FLOAT64 {
			return b.failAt(bridge.CodeType, 0, i, "the kernel takes float64 columns")
		}
	}
	return nil
}

func geoSchema(dataType arrow.DataType, names ...string) *arrow.Schema {
	fields := make([]arrow.Field, len(names))
	for i, name := range names {
		fields[i] = arrow.Field{Name: name, Type: dataType, Nullable: true}
	}
	return arrow.NewSchema(fields, nil)
}

// doubles gives the values of a float64 column.
func doubles(batch arrow.RecordBatch, i int) []float64 {
	data := batch.Column(i).Data()
	if data.Len() == 0 {
		return nil
	}
	values := arrow.GetData[float64](data.Buffers()[1].Bytes())
	return values[data.Offset() : data.Offset()+data.Len()]
}

func bindGreatCircle(b *binding) (*bound, error) {
	radius, given, err := b.options.real("radius")
	if err != nil {
		return nil, err
	}
	if !given {
		radius = earthRadiusMiles
	}
	if err := bindDoubles(b, 4); err != nil {
		return nil, err
	}
	run := func(c *call, inputs []arrow.RecordBatch) ([]arrow.Array, int64, error) {
		batch := inputs[0]
		rows := int(batch.NumRows())
		valid := c.intersect(rows, batch.Columns()...)
		buffer, result := values[float64](c, rows)
		latitude0, longitude0 := doubles(batch, 0), doubles(batch, 1)
		latitude1, longitude1 := doubles(batch, 2), doubles(batch, 3)
		err := c.inBlocks(rows, 32, func(begin, end int) error {
			for i := begin; i < end; i++ {
				result[i] = greatCircle(latitude0[i], longitude0[i], latitude1[i], longitude1[i], radius)
			}
			return nil
		})
		if err == nil {
			err = zeroNulls(c, result, valid)
		}
		return []arrow.Array{column(arrow.PrimitiveTypes.Float64, rows, valid, buffer)}, int64(rows), err
	}
	return &bound{output: geoSchema(arrow.PrimitiveTypes.Float64, "result"), run: run}, nil
}

// bindPairs binds a function from two doubles to two.
func bindPairs(
	b *binding, function func(a, b float64) (float64, float64), names ...string,
) (*bound, error) {
	if err := bindDoubles(b, 2); err != nil {
		return nil, err
	}
	run := func(c *call, inputs []arrow.RecordBatch) ([]arrow.Array, int64, error) {
		batch := inputs[0]
		rows := int(batch.NumRows())
		valid := c.intersect(rows, batch.Columns()...)
		buffer0, result0 := values[float64](c, rows)
		buffer1, result1 := values[float64](c, rows)
		in0, in1 := doubles(batch, 0), doubles(batch, 1)
		err := c.inBlocks(rows, 16, func(begin, end int) error {
			for i := begin; i < end; i++ {
				result0[i], result1[i] = function(in0[i], in1[i])
			}
			return nil
		})
		for _, result := range [][]float64{result0, result1} {
			if err == nil {
				err = zeroNulls(c, result, valid)
			}
		}
		if valid.bits != nil {
			valid.bits.Retain() // each column holds it
		}
		columns := []arrow.Array{
			column(arrow.PrimitiveTypes.Float64, rows, valid, buffer0),
			column(arrow.PrimitiveTypes.Float64, rows, valid, buffer1),
		}
		return columns, int64(rows), err
	}
	return &bound{output: geoSchema(arrow.PrimitiveTypes.Float64, names...), run: run}, nil
}

func bindGridCell(b *binding) (*bound, error) {
	size, given, err := b.options.real("size")
	switch {
	case err != nil:
		return nil, err
	case !given:
		return nil, b.fail(bridge.CodeInvalid, "missing option: size")
	case !(size > 0):
		return nil, b.fail(bridge.CodeInvalid, "not above zero: option size")
	}
	if err := bindDoubles(b, 2); err != nil {
		return nil, err
	}
	run := func(c *call, inputs []arrow.RecordBatch) ([]arrow.Array, int64, error) {
		return runGridCell(c, inputs[0], size)
	}
	return &bound{output: geoSchema(arrow.PrimitiveTypes.Int64, "result"), run: run}, nil
}

func runGridCell(c *call, batch arrow.RecordBatch, size float64) ([]arrow.Array, int64, error) {
	rows := int(batch.NumRows())
	buffer, cells := values[int64](c, rows)
	kept := c.bitmap(rows)
	keptBits := kept.Bytes()
	x, y := doubles(batch, 0), doubles(batch, 1)
	xValid, yValid := validBits(batch.Column(0).Data()), validBits(batch.Column(1).Data())
	err := c.inBlocks(rows, 16, func(begin, end int) error {
		for first := begin; first < end; first += wordRows {
			valid := xValid.word(first) & yValid.word(first)
			for i := first; i < min(first+wordRows, end); i++ {
				cell, fits := gridCell(x[i], y[i], size)
				if fits && valid>>uint(i-first)&1 != 0 {
					cells[i] = cell
					keptBits[i>>3] |= 1 << (i & 7)
				}
			}
		}
		return nil
	})
	valid := validityOf(kept, rows)
	return []arrow.Array{column(arrow.PrimitiveTypes.Int64, rows, valid, buffer)}, int64(rows), err
}

// gridCell is the cell of a point: its column in the high half, its row in the low half.
func gridCell(x, y, size float64) (cell int64, fits bool) {
	column, row := math.Floor(x/size), math.Floor(y/size)
	if !(column >= -1<<31 && column < 1<<31 && row >= -1<<31 && row < 1<<31) {
		return 0, false
	}
	return int64(column)<<32 | int64(uint32(int32(row))), true
}
