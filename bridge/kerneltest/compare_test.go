// SPDX-License-Identifier: Apache-2.0

package kerneltest_test

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tombolo-arrow/tombolo/bridge/kerneltest"
)

var comparisons = []string{"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"}

// comparables lists what the comparison kernels take, and some types that they refuse.
func comparables() []arrow.DataType {
	types := []arrow.DataType{
		arrow.FixedWidthTypes.Boolean, &arrow.FixedSizeBinaryType{ByteWidth: 5},
		&arrow.Decimal128Type{Precision: 38, Scale: 2}, arrow.FixedWidthTypes.Float16,
		&arrow.Decimal256Type{Precision: 76},
	}
	types = append(types, kerneltest.Numbers()...)
	types = append(types, kerneltest.Texts()...)
	types = append(types, kerneltest.Temporals()...)
	return append(types, kerneltest.Dictionaries()...)
}

// plain takes a dictionary type off its values.
func plain(dataType arrow.DataType) arrow.DataType {
	if dictionary, ok := dataType.(*arrow.DictionaryType); ok {
		return dictionary.ValueType
	}
	return dataType
}

func TestCompareIsTheSameEverywhere(t *testing.T) {
	suite := kerneltest.Open(t)
	for _, dataType := range comparables() {
		t.Run(dataType.String(), func(t *testing.T) {
			random := seeded(t)
			for i, f := range forms() {
				left := f.column(random, dataType)
				rightType := dataType
				if i%5 == 0 {
					rightType = plain(dataType)
				}
				c := kerneltest.Case{Kernel: comparisons[i%6]}
				if i/6%2 == 0 {
					right := form{f.rows, f.offset / 2, kerneltest.Nulls(i % 2)}.column(random, rightType)
					c.Inputs = []arrow.RecordBatch{batchOf(t, left, right)}
				} else {
					right := form{1, 3, kerneltest.Nulls(i % 13 / 12 * 2)}.column(random, rightType)
					c.Inputs = []arrow.RecordBatch{batchOf(t, left)}
					c.Objects = map[string]arrow.RecordBatch{"right": batchOf(t, right)}
				}
				suite.Check(prefix(t, f), c)
			}
		})
	}
}

func TestCompareFailsAlike(t *testing.T) {
	suite := kerneltest.Open(t)
	random := seeded(t)
	p := arrow.PrimitiveTypes
	one := func(dataType arrow.DataType, rows int) arrow.Array {
		return form{rows, 0, kerneltest.NoNulls}.column(random, dataType)
	}
	for _, c := range []kerneltest.Case{
		{Kernel: "equal", Inputs: []arrow.RecordBatch{batchOf(t, one(p.Int8, 3), one(p.Int16, 3))}},
		{Kernel: "equal", Inputs: []arrow.RecordBatch{batchOf(t, one(p.Int8, 3))}},
		{Kernel: "less", Inputs: []arrow.RecordBatch{batchOf(t, one(p.Int8, 3), one(p.Int8, 3), one(p.Int8, 3))}},
		{
			Kernel: "less", Inputs: []arrow.RecordBatch{batchOf(t, one(p.Int8, 3))},
			Objects: map[string]arrow.RecordBatch{"right": batchOf(t, one(p.Int8, 2))},
		},
		{
			Kernel: "less", Inputs: []arrow.RecordBatch{batchOf(t, one(p.Int8, 3))},
			Objects: map[string]arrow.RecordBatch{"right": batchOf(t, one(p.Int16, 1))},
		},
		{
			Kernel: "less", Inputs: []arrow.RecordBatch{batchOf(t, one(p.Int8, 3), one(p.Int8, 3))},
			Objects: map[string]arrow.RecordBatch{"left": batchOf(t, one(p.Int16, 1))},
		},
	} {
		suite.Check(prefix(t, c.Kernel), c)
	}
}
