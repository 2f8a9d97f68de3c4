// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"math"
	"math/bits"

	"github.com/apache/arrow-go/v18/arrow"
)

type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

type float interface{ float32 | float64 }

type number interface{ integer | float }

// numbers reads one column of numbers.
type numbers[T number] struct {
	values []T
	valid  bitmap
}

func (n *numbers[T]) begin(input *aggregateInput) {
	n.values, n.valid = nil, input.valid
	if rows := input.data.Len(); rows > 0 {
		begin := input.data.Offset()
		n.values = arrow.GetData[T](bufferBytes(input.data, 1))[begin : begin+rows]
	}
}

// presentCounts is the validity of a result whose groups without a row that is not null are null.
func presentCounts(c *call, counts []int64) validity {
	missing := 0
	for _, count := range counts {
		if count == 0 {
			missing++
		}
	}
	if missing == 0 {
		return validity{}
	}
	present := c.bitmap(len(counts))
	for i, count := range counts {
		if count != 0 {
			present.Buf()[i>>3] |= 1 << (i & 7)
		}
	}
	return validity{bits: present, nulls: missing}
}

// integerSum is sum over integers: modulo 2^64, signed or not.
type integerSum[T integer] struct {
	numbers[T]
	sums   []uint64
	result arrow.DataType
}

func (a *integerSum[T]) grow(groups int) { a.sums = grown(a.sums, groups, true) }

func (a *integerSum[T]) consume(row int, groups []int32) {
	rows := a.values[row : row+len(groups)]
	for i, group := range groups {
		if a.valid.bit(row + i) {
			a.sums[group] += uint64(rows[i])
		}
	}
}

func (a *integerSum[T]) merge(other accumulator, to []int32) {
	for i, sum := range other.(*integerSum[T]).sums {
		a.sums[to[i]] += sum
	}
}

func (a *integerSum[T]) finish(c *call, counts []int64) (arrow.Array, error) {
	buffer, result := values[uint64](c, len(counts))
	copy(result, a.sums)
	return column(a.result, len(counts), presentCounts(c, counts), buffer), nil
}

// wide is a 128-bit integer in two's complement.
type wide struct{ low, high uint64 }

func (w *wide) add(low, high uint64) {
	var carry uint64
	w.low, carry = bits.Add64(w.low, low, 0)
	w.high, _ = bits.Add64(w.high, high, carry)
}

// float rounds to the nearest float64, ties to even.
func (w wide) float() float64 {
	low, high := w.low, w.high
	negative := int64(high) < 0
	if negative {
		var borrow uint64
		low, borrow = bits.Sub64(0, low, 0)
		high, _ = bits.Sub64(0, high, borrow)
	}
	value := float64(low)
	if high != 0 {
		// The top 64 significant bits, the last of them sticky: 11 bits more than a float64 holds, so that
		// rounding once from there is rounding from all 128.
		shift := bits.LeadingZeros64(high)
		top := high<<shift | low>>1>>(63-shift)
		if low<<shift != 0 {
			top |= 1
		}
		value = math.Ldexp(float64(top), 64-shift)
	}
	if negative {
		return -value
	}
	return value
}

// integerMean is mean over integers: an exact sum, rounded once, divided once.
type integerMean[T integer] struct {
	numbers[T]
	sums []wide
}

func (a *integerMean[T]) grow(groups int) { a.sums = grown(a.sums, groups, true) }

func (a *integerMean[T]) consume(row int, groups []int32) {
	rows := a.values[row : row+len(groups)]
	for i, group := range groups {
		if a.valid.bit(row + i) {
			value := rows[i]
			high := uint64(0)
			if value < 0 {
				high = math.MaxUint64
			}
			a.sums[group].add(uint64(value), high)
		}
	}
}

func (a *integerMean[T]) merge(other accumulator, to []int32) {
	for i, sum := range other.(*integerMean[T]).sums {
		a.sums[to[i]].add(sum.low, sum.high)
	}
}

func (a *integerMean[T]) finish(c *call, counts []int64) (arrow.Array, error) {
	buffer, result := values[float64](c, len(counts))
	for i, count := range counts {
		if count != 0 {
			result[i] = a.sums[i].float() / float64(count)
		}
	}
	return column(arrow.PrimitiveTypes.Float64, len(counts), presentCounts(c, counts), buffer), nil
}

// compensated is a float sum in Neumaier's form: what each addition rounds away is kept beside the sum.
type compensated struct{ sum, lost float64 }

func (s *compensated) add(value float64) {
	total := s.sum + value
	if math.Abs(s.sum) >= math.Abs(value) {
		s.lost += (s.sum - total) + value
	} else {
		s.lost += (value - total) + s.sum
	}
	s.sum = total
}

// value is the sum with what was lost; an infinite sum stays as it is, and every NaN is one.
func (s *compensated) value() float64 {
	switch {
	case math.IsNaN(s.sum):
		return canonicalNaN
	case math.IsInf(s.sum, 0):
		return s.sum
	}
	return s.sum + s.lost
}

var canonicalNaN = math.Float64frombits(0x7FF8000000000000)

// floatSum is sum and mean over floats.
type floatSum[T float] struct {
	numbers[T]
	sums []compensated
	mean bool
}

func (a *floatSum[T]) grow(groups int) { a.sums = grown(a.sums, groups, true) }

func (a *floatSum[T]) consume(row int, groups []int32) {
	rows := a.values[row : row+len(groups)]
	for i, group := range groups {
		if a.valid.bit(row + i) {
			a.sums[group].add(float64(rows[i]))
		}
	}
}

func (a *floatSum[T]) merge(other accumulator, to []int32) {
	for i, sum := range other.(*floatSum[T]).sums {
		a.sums[to[i]].add(sum.sum)
		a.sums[to[i]].lost += sum.lost
	}
}

func (a *floatSum[T]) finish(c *call, counts []int64) (arrow.Array, error) {
	buffer, result := values[float64](c, len(counts))
	for i, count := range counts {
		if count == 0 {
			continue
		}
		result[i] = a.sums[i].value()
		if a.mean && !math.IsNaN(result[i]) {
			result[i] /= float64(count)
		}
	}
	return column(arrow.PrimitiveTypes.Float64, len(counts), presentCounts(c, counts), buffer), nil
}

// extreme is min and max over numbers. Of equal values (0.0 and -0.0) the first stays; NaN gives way to any
// number.
type extreme[T number] struct {
	numbers[T]
	best    []T
	initial T
	largest bool
	result  arrow.DataType
}

func (a *extreme[T]) grow(groups int) { a.best = grownWith(a.best, groups, a.initial) }

func (a *extreme[T]) consume(row int, groups []int32) {
	rows := a.values[row : row+len(groups)]
	for i, group := range groups {
		if a.valid.bit(row + i) {
			a.add(group, rows[i])
		}
	}
}

func (a *extreme[T]) add(group int32, value T) {
	best := a.best[group]
	better := value < best
	if a.largest {
		better = value > best
	}
	if better || best != best {
		a.best[group] = value
	}
}

func (a *extreme[T]) merge(other accumulator, to []int32) {
	// A group without rows holds initial, which loses against anything.
	for i, best := range other.(*extreme[T]).best {
		a.add(to[i], best)
	}
}

func (a *extreme[T]) finish(c *call, counts []int64) (arrow.Array, error) {
	buffer, result := values[T](c, len(counts))
	for i, count := range counts {
		if count == 0 {
			continue
		}
		result[i] = a.best[i]
		if result[i] != result[i] {
			// A variable: the compiler may not fold the conversion of a NaN constant.
			nan := canonicalNaN
			result[i] = T(nan)
		}
	}
	return column(a.result, len(counts), presentCounts(c, counts), buffer), nil
}
