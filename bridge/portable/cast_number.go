// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"
)

// span is the closed range of values that a safe cast lets through; whole says that they must be whole too, which
// floats on the way to integers must.
type span[F number] struct {
	low, high F
	whole     bool
	below     bool // high itself is outside: the first float past the end of an integer type
}

// numberLimits describes a type in terms that fit every other: its least and greatest whole value, as far as
// int64 and uint64 go.
type numberLimits struct {
	bits   int
	signed bool
	float  bool
}

func limitsOf[T number]() numberLimits {
	var one T = 1
	var zero T
	switch any(zero).(type) {
	case float32:
		return numberLimits{bits: 24, signed: true, float: true}
	case float64:
		return numberLimits{bits: 53, signed: true, float: true}
	}
	bits := 0
	for v := one; v > 0; v += v {
		bits++
	}
	signed := zero-1 < 0
	return numberLimits{bits: bits, signed: signed}
}

func limitsOfType(t arrow.DataType) numberLimits {
	switch t.ID() {
	case arrow.FLOAT32:
		return limitsOf[float32]()
	case arrow.FLOAT64:
		return limitsOf[float64]()
	}
	bits, signed := t.(arrow.FixedWidthDataType).BitWidth(), arrow.IsSignedInteger(t.ID())
	if signed {
		bits--
	}
	return numberLimits{bits: bits, signed: signed}
}

// fitOf gives the test of a safe cast, nil where every value fits.
func fitOf[F number](to numberLimits, safe bool) *span[F] {
	from := limitsOf[F]()
	switch {
	case !safe, from.float && to.float:
		return nil
	case from.float:
		s := &span[F]{whole: true, below: true}
		s.high = F(math.Ldexp(1, to.bits))
		if to.signed {
			s.low = -s.high
		}
		return s
	}
	// To a float, exact means within ±2^24 or ±2^53; to an integer, within its range.
	s := &span[F]{low: integerLow[F](from), high: integerHigh[F](from)}
	narrowed := false
	if top := topOf(to); topOf(from) > top {
		s.high, narrowed = F(top), true
	}
	if from.signed {
		switch {
		case !to.signed:
			s.low, narrowed = 0, true
		case to.float && from.bits > to.bits:
			s.low, narrowed = F(-int64(topOf(to))), true
		case !to.float && from.bits > to.bits:
			s.low, narrowed = F(-int64(topOf(to))-1), true
		}
	}
	if !narrowed {
		return nil
	}
	return s
}

// topOf is the greatest value of an integer type; of a float type the end of the exact integers.
func topOf(l numberLimits) uint64 {
	if l.float {
		return 1 << l.bits
	}
	return lowBits(l.bits)
}

func integerHigh[F number](l numberLimits) F { return F(topOf(l)) }

func integerLow[F number](l numberLimits) F {
	if !l.signed {
		return 0
	}
	return F(-int64(topOf(l)) - 1)
}

// all says that all 64 rows fit. It may look at rows under a null, and outside decides then.
func (s *span[F]) all(in *[wordRows]F) bool {
	if s.whole {
		return s.outside(in) == 0
	}
	var out uint64
	for _, v := range in {
		out |= bit(v < s.low) | bit(v > s.high)
	}
	return out == 0
}

// outside gives the rows that do not fit.
func (s *span[F]) outside(in *[wordRows]F) uint64 {
	var w uint64
	for i, v := range in {
		// Written so that NaN is outside.
		inside := bit(v >= s.low)
		if s.below {
			inside &= bit(v < s.high)
		} else {
			inside &= bit(v <= s.high)
		}
		if s.whole {
			// math.Trunc of a float32 is exact in float64.
			inside &= bit(F(math.Trunc(float64(v))) == v)
		}
		w |= (inside ^ 1) << uint(i)
	}
	return w
}

// conversionOf gives the loop that converts 64 rows. Go's own conversion wraps integers and rounds to the nearest
// float; only float to integer needs care, since out of range its result depends on the machine.
func conversionOf[F, T number](safe bool) func(out *[wordRows]T, in *[wordRows]F) {
	from, to := limitsOf[F](), limitsOf[T]()
	if !from.float || to.float {
		return convertPlain[F, T]
	}
	if safe && !to.signed && to.bits == 64 {
		return convertFloatToUint64[F, T]
	}
	return convertFloat[F, T]
}

func convertPlain[F, T number](out *[wordRows]T, in *[wordRows]F) {
	for i, v := range in {
		out[i] = T(v)
	}
}

// convertFloat truncates to int64 and wraps; NaN and what int64 does not hold give 0.
func convertFloat[F, T number](out *[wordRows]T, in *[wordRows]F) {
	for i, v := range in {
		f := float64(v)
		if !(f >= -(1<<63) && f < 1<<63) {
			f = 0
		}
		out[i] = T(int64(f))
	}
}

// convertFloatToUint64 converts rows that are known to fit, or are under a null.
func convertFloatToUint64[F, T number](out *[wordRows]T, in *[wordRows]F) {
	for i, v := range in {
		f := float64(v)
		switch {
		case f >= 1<<63 && f < 1<<64:
			out[i] = T(uint64(f-1<<63) | 1<<63)
		case f >= 0 && f < 1<<63:
			out[i] = T(uint64(f))
		default:
			out[i] = 0
		}
	}
}
