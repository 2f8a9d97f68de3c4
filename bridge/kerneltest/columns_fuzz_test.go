// SPDX-License-Identifier: Apache-2.0

package kerneltest_test

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/bridge/kerneltest"
)

// fuzzRowsMax keeps an input small: two words of validity, the end of each, and some rows more.
const fuzzRowsMax = 150

// drawn makes every choice of one fuzz case from its bytes: the first say what is run, and what is behind them
// overwrites the values that a seed gave.
type drawn struct {
	testing.TB
	choices []byte
	values  []byte
	random  *rand.Rand
}

func drawnFrom(t testing.TB, input []byte) *drawn {
	d := &drawn{TB: t, choices: input[:min(16, len(input))], values: input[min(16, len(input)):]}
	seed := [32]byte{}
	copy(seed[:], d.choices)
	d.random = rand.New(rand.NewChaCha8(seed))
	return d
}

// below takes a byte; there is always another.
func (d *drawn) below(n int) int {
	if len(d.choices) == 0 {
		return 0
	}
	choice := int(d.choices[0])
	d.choices = d.choices[1:]
	return choice % n
}

func oneOf[T any](d *drawn, all []T) T { return all[d.below(len(all))] }

func (d *drawn) form() form {
	return form{d.below(fuzzRowsMax), d.below(130), kerneltest.Nulls(d.below(3))}
}

// numbers puts the bytes of the input over the values of a column whose values may be anything.
func (d *drawn) numbers(column arrow.Array) arrow.Array {
	copy(column.Data().Buffers()[1].Bytes(), d.values)
	d.values = d.values[len(d.values)/2:]
	return column
}

func (d *drawn) batch(columns ...arrow.Array) arrow.RecordBatch { return batchOf(d.TB, columns...) }

// fuzzColumns runs the case that each input makes on every carrier.
func fuzzColumns(f *testing.F, draw func(d *drawn) kerneltest.Case) {
	for seed := range 24 {
		random := rand.New(rand.NewPCG(uint64(seed), 1))
		input := binary.LittleEndian.AppendUint64(nil, random.Uint64())
		for range seed {
			input = binary.LittleEndian.AppendUint64(input, random.Uint64())
		}
		f.Add(input)
	}
	suite := kerneltest.Open(f)
	f.Fuzz(func(t *testing.T, input []byte) {
		c := draw(drawnFrom(t, input))
		suite.Check(named{t, c.Kernel + ": "}, c)
	})
}

func FuzzFilter(f *testing.F) {
	types := kerneltest.Selectables()
	fuzzColumns(f, func(d *drawn) kerneltest.Case {
		behaviour := oneOf(d, []string{"drop", "emit_null"})
		of := d.form()
		mask := form{of.rows, d.below(130), kerneltest.Nulls(d.below(3))}.column(d.random, arrow.FixedWidthTypes.Boolean)
		column := of.column(d.random, oneOf(d, types))
		return kerneltest.Case{
			Kernel:  "filter",
			Inputs:  []arrow.RecordBatch{d.batch(column), d.batch(d.numbers(mask))},
			Options: []bridge.Option{{Name: "null_selection", Value: behaviour}},
		}
	})
}

// FuzzTake has indices from the input's bytes, most of which lie outside, and some that lie inside.
func FuzzTake(f *testing.F) {
	types := kerneltest.Selectables()
	fuzzColumns(f, func(d *drawn) kerneltest.Case {
		values, of := d.form(), d.form()
		dataType, indexType := oneOf(d, types), oneOf(d, kerneltest.Integers())
		var index arrow.Array
		if values.rows == 0 || d.below(4) == 0 {
			index = d.numbers(of.column(d.random, indexType))
		} else {
			index = kerneltest.Index(d.random, indexType, of.rows, of.nulls, of.offset, min(values.rows, 128))
		}
		inputs := []arrow.RecordBatch{d.batch(values.column(d.random, dataType)), d.batch(index)}
		return kerneltest.Case{Kernel: "take", Inputs: inputs}
	})
}

func FuzzCompare(f *testing.F) {
	types := comparables()
	fuzzColumns(f, func(d *drawn) kerneltest.Case {
		name, dataType := oneOf(d, comparisons), oneOf(d, types)
		return d.binary(name, dataType, slices.Contains(kerneltest.Numbers(), dataType))
	})
}

func FuzzArithmetic(f *testing.F) {
	kernels := []string{"add", "subtract", "divide", "add_unchecked", "subtract_unchecked", "divide_unchecked"}
	fuzzColumns(f, func(d *drawn) kerneltest.Case {
		return d.binary(oneOf(d, kernels), oneOf(d, kerneltest.Numbers()), true)
	})
}

// binary is a kernel over two columns, or over one and a scalar.
func (d *drawn) binary(name string, dataType arrow.DataType, anyBytes bool) kerneltest.Case {
	of, scalar := d.form(), d.below(3) == 0
	other := form{of.rows, d.below(130), kerneltest.Nulls(d.below(3))}
	if scalar {
		other.rows = 1
	}
	left, right := of.column(d.random, dataType), other.column(d.random, dataType)
	if anyBytes {
		left, right = d.numbers(left), d.numbers(right)
	}
	if scalar {
		return kerneltest.Case{
			Kernel:  name,
			Inputs:  []arrow.RecordBatch{d.batch(left)},
			Objects: map[string]arrow.RecordBatch{"right": d.batch(right)},
		}
	}
	return kerneltest.Case{Kernel: name, Inputs: []arrow.RecordBatch{d.batch(left, right)}}
}

func FuzzCast(f *testing.F) {
	types := append(kerneltest.Numbers(), arrow.FixedWidthTypes.Boolean)
	fuzzColumns(f, func(d *drawn) kerneltest.Case {
		from, to, safe := oneOf(d, types), oneOf(d, types), d.below(2) == 0
		return kerneltest.Case{
			Kernel:  "cast",
			Inputs:  []arrow.RecordBatch{d.batch(d.numbers(d.form().column(d.random, from)))},
			Options: []bridge.Option{{Name: "to", Value: to}, {Name: "safe", Value: safe}},
		}
	})
}
