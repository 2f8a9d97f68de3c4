// SPDX-License-Identifier: Apache-2.0

package compute

import (
	"math"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tombolo-arrow/tombolo/bridge"
)

// appendLiteral appends a Go value to the builder of the left side's type.
func appendLiteral(kernel string, builder array.Builder, value any) error {
	switch b := builder.(type) {
	case *array.BooleanBuilder:
		if v, ok := value.(bool); ok {
			b.Append(v)
			return nil
		}
	case array.StringLikeBuilder:
		if v, ok := value.(string); ok {
			b.Append(v)
			return nil
		}
	case *array.TimestampBuilder:
		return appendTimestamp(kernel, b, value)
	case *array.Date32Builder:
		return appendExact(kernel, b.Append, value)
	case *array.Date64Builder:
		return appendExact(kernel, b.Append, value)
	case *array.Time32Builder:
		return appendExact(kernel, b.Append, value)
	case *array.Time64Builder:
		return appendExact(kernel, b.Append, value)
	case *array.DurationBuilder:
		return appendExact(kernel, b.Append, value)
	default:
		return appendNumber(kernel, builder, value)
	}
	return literalType(kernel)
}

func appendNumber(kernel string, builder array.Builder, value any) error {
	switch b := builder.(type) {
	case *array.Int8Builder:
		return appendInteger(kernel, b.Append, value)
	case *array.Int16Builder:
		return appendInteger(kernel, b.Append, value)
	case *array.Int32Builder:
		return appendInteger(kernel, b.Append, value)
	case *array.Int64Builder:
		return appendInteger(kernel, b.Append, value)
	case *array.Uint8Builder:
		return appendInteger(kernel, b.Append, value)
	case *array.Uint16Builder:
		return appendInteger(kernel, b.Append, value)
	case *array.Uint32Builder:
		return appendInteger(kernel, b.Append, value)
	case *array.Uint64Builder:
		return appendInteger(kernel, b.Append, value)
	case *array.Float32Builder:
		v, err := realOf(kernel, value)
		if err == nil && float64(float32(v)) != v && !math.IsNaN(v) {
			err = literalRange(kernel)
		}
		b.Append(float32(v))
		return err
	case *array.Float64Builder:
		v, err := realOf(kernel, value)
		b.Append(v)
		return err
	}
	return literalType(kernel)
}

// appendExact appends a value of the builder's own Go type.
func appendExact[T any](kernel string, add func(T), value any) error {
	v, ok := value.(T)
	if !ok {
		return literalType(kernel)
	}
	add(v)
	return nil
}

func appendTimestamp(kernel string, b *array.TimestampBuilder, value any) error {
	moment, ok := value.(time.Time)
	if !ok {
		return appendExact(kernel, b.Append, value)
	}
	unit := b.Type().(*arrow.TimestampType).Unit
	stamp, err := arrow.TimestampFromTime(moment, unit)
	if err != nil || !stamp.ToTime(unit).Equal(moment) {
		return literalRange(kernel)
	}
	b.Append(stamp)
	return nil
}

// appendInteger appends a Go integer that fits T.
func appendInteger[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](
	kernel string, add func(T), value any,
) error {
	negative, magnitude, ok := integerOf(value)
	if !ok {
		return literalType(kernel)
	}
	v := T(magnitude)
	if negative {
		v = -v
	}
	// v holds the value if its sign is right and nothing was cut off.
	back := uint64(v)
	if negative {
		back = -back
	}
	if back != magnitude || (v < 0) != negative {
		return literalRange(kernel)
	}
	add(v)
	return nil
}

// integerOf gives sign and magnitude of a Go integer.
func integerOf(value any) (negative bool, magnitude uint64, ok bool) {
	var signed int64
	switch v := value.(type) {
	case int:
		signed = int64(v)
	case int8:
		signed = int64(v)
	case int16:
		signed = int64(v)
	case int32:
		signed = int64(v)
	case int64:
		signed = v
	case uint8:
		return false, uint64(v), true
	case uint16:
		return false, uint64(v), true
	case uint32:
		return false, uint64(v), true
	case uint64:
		return false, v, true
	default:
		return false, 0, false
	}
	if signed < 0 {
		return true, -uint64(signed), true
	}
	return false, uint64(signed), true
}

// realOf gives a Go number as float64.
func realOf(kernel string, value any) (float64, error) {
	switch v := value.(type) {
	case float64:
		return v, nil
	case float32:
		return float64(v), nil
	}
	negative, magnitude, ok := integerOf(value)
	if !ok {
		return 0, literalType(kernel)
	}
	real := float64(magnitude)
	// 2^64 itself is out of range of the conversion back.
	if real >= 1<<64 || uint64(real) != magnitude {
		return 0, literalRange(kernel)
	}
	if negative {
		return -real, nil
	}
	return real, nil
}

func literalType(kernel string) error {
	return fail(bridge.CodeType, kernel, "the literal is of another kind than the column")
}

func literalRange(kernel string) error {
	return fail(bridge.CodeOverflow, kernel, "the column's type does not hold the literal exactly")
}
