// SPDX-License-Identifier: Apache-2.0

package kerneltest

import (
	"fmt"
	"math"
	"math/big"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// Value gives row i of a column as a comparable Go value: nil for a null, the value itself for a dictionary, text
// and binary as string, floats by their bits, so that NaN equals NaN. It is slow and simple: the oracle of tests.
func Value(column arrow.Array, i int) any {
	if column.IsNull(i) || column.DataType().ID() == arrow.NULL {
		return nil
	}
	switch c := column.(type) {
	case array.ExtensionArray:
		return Value(c.Storage(), i)
	case *array.Dictionary:
		return Value(c.Dictionary(), c.GetValueIndex(i))
	case *array.Float64:
		return math.Float64bits(c.Value(i))
	case *array.Float32:
		return math.Float32bits(c.Value(i))
	case *array.Boolean:
		return c.Value(i)
	case interface{ Value(int) string }:
		return c.Value(i)
	case interface{ Value(int) []byte }:
		return string(c.Value(i))
	default:
		return fixedValue(column.Data(), i)
	}
}

// fixedValue gives the bytes of a fixed-width value as text.
func fixedValue(data arrow.ArrayData, i int) string {
	fixed, ok := data.DataType().(arrow.FixedWidthDataType)
	if !ok {
		panic("kerneltest: no value for " + data.DataType().String())
	}
	width := fixed.BitWidth() / 8
	at := (data.Offset() + i) * width
	return string(data.Buffers()[1].Bytes()[at : at+width])
}

// Values gives all rows of a column as Value does.
func Values(column arrow.Array) []any {
	all := make([]any, column.Len())
	for i := range all {
		all[i] = Value(column, i)
	}
	return all
}

// Bits gives the bytes of an integer as [Value] shows one of its width.
func Bits(value int64, width int) string {
	bytes := make([]byte, width)
	for i := range bytes {
		bytes[i] = byte(value >> (8 * i))
	}
	return string(bytes)
}

// describe names a column in a failure.
func describe(batch arrow.RecordBatch, i int) string {
	return fmt.Sprintf("column %d (%s)", i, batch.Column(i).DataType())
}

func sameValues(got, want arrow.ArrayData) bool {
	if got.Len() != want.Len() {
		return false
	}
	left, right := array.MakeFromData(got), array.MakeFromData(want)
	defer left.Release()
	defer right.Release()

	for i := range left.Len() {
		if Value(left, i) != Value(right, i) {
			return false
		}
	}
	return true
}

// Plain gives row i, which is not null, as a value with an order: float64, *big.Int for integers, temporals and
// decimals, bool, or the bytes of text and binary as string.
func Plain(column arrow.Array, i int) any {
	switch c := column.(type) {
	case array.ExtensionArray:
		return Plain(c.Storage(), i)
	case *array.Dictionary:
		return Plain(c.Dictionary(), c.GetValueIndex(i))
	case *array.Float64:
		return c.Value(i)
	case *array.Float32:
		return float64(c.Value(i))
	case *array.FixedSizeBinary, *array.Boolean:
		return Value(column, i)
	}
	value := Value(column, i)
	if _, fixed := column.DataType().(arrow.FixedWidthDataType); !fixed {
		return value
	}
	return wholeNumber(value.(string), column.DataType().ID())
}

// wholeNumber reads little-endian bytes, signed but for the unsigned types.
func wholeNumber(bytes string, id arrow.Type) *big.Int {
	number := new(big.Int)
	for i := len(bytes) - 1; i >= 0; i-- {
		number.Lsh(number, 8)
		number.Or(number, big.NewInt(int64(bytes[i])))
	}
	unsigned := arrow.IsUnsignedInteger(id)
	if !unsigned && bytes[len(bytes)-1] >= 0x80 {
		number.Sub(number, new(big.Int).Lsh(big.NewInt(1), uint(8*len(bytes))))
	}
	return number
}
