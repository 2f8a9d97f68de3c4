// SPDX-License-Identifier: Apache-2.0

package kerneltest_test

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/bridge/kerneltest"
)

var arithmetics = []string{
	"add", "add_unchecked", "subtract", "subtract_unchecked", "divide", "divide_unchecked", "abs", "abs_unchecked",
}

func TestArithmeticIsTheSameEverywhere(t *testing.T) {
	suite := kerneltest.Open(t)
	types := append(kerneltest.Numbers(), arrow.FixedWidthTypes.Boolean, kerneltest.Dictionaries()[3])
	for _, dataType := range types {
		t.Run(dataType.String(), func(t *testing.T) {
			random := seeded(t)
			for i, f := range forms() {
				name := arithmetics[i%8]
				left, right := f.column(random, dataType), form{f.rows, 3, kerneltest.Nulls(i % 2)}.column(random, dataType)
				c := kerneltest.Case{Kernel: name}
				switch {
				case i%8 >= 6:
					c.Inputs = []arrow.RecordBatch{batchOf(t, left)}
				case i/8%2 == 0:
					c.Inputs = []arrow.RecordBatch{batchOf(t, left, right)}
				default:
					scalar := form{1, 3, kerneltest.Nulls(i % 13 / 12 * 2)}.column(random, dataType)
					c.Inputs = []arrow.RecordBatch{batchOf(t, left)}
					c.Objects = map[string]arrow.RecordBatch{"right": batchOf(t, scalar)}
				}
				suite.Check(prefix(t, f), c)
			}
		})
	}
}

// TestArithmeticOfSmallNumbers has few failures, so that results are compared.
func TestArithmeticOfSmallNumbers(t *testing.T) {
	suite := kerneltest.Open(t)
	for _, dataType := range kerneltest.Integers() {
		t.Run(dataType.String(), func(t *testing.T) {
			random := seeded(t)
			for i, f := range forms() {
				left := kerneltest.Index(random, dataType, f.rows, f.nulls, f.offset, 60)
				right := kerneltest.Index(random, dataType, f.rows, kerneltest.Nulls(i%2), 2, 60)
				suite.Check(prefix(t, f), kerneltest.Case{
					Kernel: arithmetics[i%4], Inputs: []arrow.RecordBatch{batchOf(t, left, right)},
				})
			}
		})
	}
}

func TestCastIsTheSameEverywhere(t *testing.T) {
	suite := kerneltest.Open(t)
	types := append(kerneltest.Numbers(), arrow.FixedWidthTypes.Boolean)
	for _, from := range types {
		t.Run(from.String(), func(t *testing.T) {
			random := seeded(t)
			for _, to := range types {
				for i, f := range forms() {
					if i%5 != int(to.ID())%5 {
						continue
					}
					column := f.column(random, from)
					if i%3 == 0 && arrow.IsInteger(from.ID()) {
						column.Release()
						column = kerneltest.Index(random, from, f.rows, f.nulls, f.offset, 120)
					}
					suite.Check(prefix(t, to), kerneltest.Case{
						Kernel: "cast", Inputs: []arrow.RecordBatch{batchOf(t, column)},
						Options: []bridge.Option{{Name: "to", Value: to}, {Name: "safe", Value: i%2 == 0}},
					})
				}
			}
		})
	}
}

func TestCastFailsAlike(t *testing.T) {
	suite := kerneltest.Open(t)
	random := seeded(t)
	number := batchOf(t, form{3, 0, kerneltest.NoNulls}.column(random, arrow.PrimitiveTypes.Int64))
	text := batchOf(t, form{3, 0, kerneltest.NoNulls}.column(random, arrow.BinaryTypes.String))
	for _, c := range []kerneltest.Case{
		{Kernel: "cast", Inputs: []arrow.RecordBatch{number}},
		{
			Kernel: "cast", Inputs: []arrow.RecordBatch{text},
			Options: []bridge.Option{{Name: "to", Value: arrow.PrimitiveTypes.Int8}},
		},
		{
			Kernel: "cast", Inputs: []arrow.RecordBatch{number},
			Options: []bridge.Option{{Name: "to", Value: arrow.BinaryTypes.String}},
		},
		{Kernel: "cast", Inputs: []arrow.RecordBatch{number}, Options: []bridge.Option{{Name: "to", Value: "int8"}}},
	} {
		suite.Check(prefix(t, c.Options), c)
	}
}

func TestMonthIsTheSameEverywhere(t *testing.T) {
	suite := kerneltest.Open(t)
	types := append(kerneltest.Temporals(), &arrow.TimestampType{Unit: arrow.Second, TimeZone: "+00:00"},
		&arrow.TimestampType{Unit: arrow.Second, TimeZone: "Europe/Berlin"})
	for _, dataType := range types {
		t.Run(dataType.String(), func(t *testing.T) {
			random := seeded(t)
			for _, f := range forms() {
				suite.Check(prefix(t, f), kerneltest.Case{
					Kernel: "month", Inputs: []arrow.RecordBatch{batchOf(t, f.column(random, dataType))},
				})
			}
		})
	}
}
