// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"
)

// One accumulator for each physical type. The types were checked by aggregateFunctions.

func newSum(spec aggregateSpec) accumulator {
	switch spec.input.ID() {
	case arrow.INT8:
		return &integerSum[int8]{result: spec.result}
	case arrow.INT16:
		return &integerSum[int16]{result: spec.result}
	case arrow.INT32:
		return &integerSum[int32]{result: spec.result}
	case arrow.INT64:
		return &integerSum[int64]{result: spec.result}
	case arrow.UINT8:
		return &integerSum[uint8]{result: spec.result}
	case arrow.UINT16:
		return &integerSum[uint16]{result: spec.result}
	case arrow.UINT32:
		return &integerSum[uint32]{result: spec.result}
	case arrow.UINT64:
		return &integerSum[uint64]{result: spec.result}
	case arrow.FLOAT32:
		return &floatSum[float32]{}
	}
	return &floatSum[float64]{}
}

func newMean(spec aggregateSpec) accumulator {
	switch spec.input.ID() {
	case arrow.INT8:
		return &integerMean[int8]{}
	case arrow.INT16:
		return &integerMean[int16]{}
	case arrow.INT32:
		return &integerMean[int32]{}
	case arrow.INT64:
		return &integerMean[int64]{}
	case arrow.UINT8:
		return &integerMean[uint8]{}
	case arrow.UINT16:
		return &integerMean[uint16]{}
	case arrow.UINT32:
		return &integerMean[uint32]{}
	case arrow.UINT64:
		return &integerMean[uint64]{}
	case arrow.FLOAT32:
		return &floatSum[float32]{mean: true}
	}
	return &floatSum[float64]{mean: true}
}

func newExtreme(spec aggregateSpec) accumulator {
	switch spec.input.ID() {
	case arrow.INT8:
		return newExtremeOf[int8](spec, math.MinInt8, math.MaxInt8)
	case arrow.INT16:
		return newExtremeOf[int16](spec, math.MinInt16, math.MaxInt16)
	case arrow.INT32, arrow.DATE32:
		return newExtremeOf[int32](spec, math.MinInt32, math.MaxInt32)
	case arrow.INT64, arrow.DATE64, arrow.TIMESTAMP:
		return newExtremeOf[int64](spec, math.MinInt64, math.MaxInt64)
	case arrow.UINT8:
		return newExtremeOf[uint8](spec, 0, math.MaxUint8)
	case arrow.UINT16:
		return newExtremeOf[uint16](spec, 0, math.MaxUint16)
	case arrow.UINT32:
		return newExtremeOf[uint32](spec, 0, math.MaxUint32)
	case arrow.UINT64:
		return newExtremeOf[uint64](spec, 0, math.MaxUint64)
	case arrow.FLOAT32:
		return newExtremeOf(spec, float32(math.NaN()), float32(math.NaN()))
	case arrow.FLOAT64:
		return newExtremeOf(spec, math.NaN(), math.NaN())
	}
	return newTextExtreme(spec)
}

// newExtremeOf starts a minimum at the largest value and a maximum at the lowest.
func newExtremeOf[T number](spec aggregateSpec, lowest, highest T) accumulator {
	if spec.function == "max" {
		return &extreme[T]{initial: lowest, largest: true, result: spec.result}
	}
	return &extreme[T]{initial: highest, result: spec.result}
}
