// SPDX-License-Identifier: Apache-2.0

package vecmath

import (
	"math"
	"math/bits"
)

// nanBits is the one NaN of all results.
const nanBits = 0x7FF8000000000000

// toInteger is 1.5 * 2^52: a sum with it holds the nearest integer of the other summand in its low
// bits, as two's complement, when that is below 2^51.
const toInteger = 0x1.8p52

const signBit = 1 << 63

// NaN returns the NaN that every function here gives.
func NaN() float64 { return math.Float64frombits(nanBits) }

// Nearest returns the nearest integer, ties to even, for |x| < 2^51.
func Nearest(x float64) float64 { return (x + toInteger) - toInteger }

// Sin returns the sine of x.
func Sin(x float64) float64 {
	size := math.Abs(x)
	if !(size < math.Inf(1)) {
		return NaN()
	}
	if size < 0x1p-27 {
		return x
	}
	value, rest, quadrant := reduce(x)
	return sineOf(value, rest, quadrant)
}

// Cos returns the cosine of x.
func Cos(x float64) float64 {
	if !(math.Abs(x) < math.Inf(1)) {
		return NaN()
	}
	value, rest, quadrant := reduce(x)
	return sineOf(value, rest, quadrant+1)
}

// Tan returns the tangent of x.
func Tan(x float64) float64 {
	size := math.Abs(x)
	if !(size < math.Inf(1)) {
		return NaN()
	}
	if size < 0x1p-27 {
		return x
	}
	value, rest, quadrant := reduce(x)
	z := float64(value * value)
	cubic := float64(float64(value*z) * tangent(z))
	about := value + cubic
	more := cubic + (rest + float64(rest*float64(about*about)))
	result := value + more
	if quadrant&1 == 0 {
		return result
	}
	// -1 / result to more than one rounding: one Newton step on the quotient's upper half.
	upper := upperHalf(result)
	lower := more - (upper - value)
	quotient := -1 / result
	near := upperHalf(quotient)
	return near + float64(quotient*((1+float64(near*upper))+float64(near*lower)))
}

// upperHalf keeps the upper half of the mantissa, so that products of two such are exact.
func upperHalf(x float64) float64 { return math.Float64frombits(math.Float64bits(x) &^ 0xFFFFFFFF) }

// TwoSum returns the sum of a and b, rounded, and what rounding lost, exactly (Knuth's TwoSum).
func TwoSum(a, b float64) (sum, lost float64) {
	sum = a + b
	part := sum - a
	return sum, (a - (sum - part)) + (b - part)
}

// reduce takes a multiple of pi/2 off x: value + rest is within pi/4 of zero, and the multiple
// modulo 4 is in the low bits of quadrant.
func reduce(x float64) (value, rest float64, quadrant uint64) {
	if math.Abs(x) > reduceMax {
		return reduceHuge(x)
	}
	shifted := float64(x*twoOverPi) + toInteger
	n := shifted - toInteger
	first := x - float64(n*halfPi0)
	second, lost1 := TwoSum(first, -float64(n*halfPi1))
	third, lost2 := TwoSum(second, -float64(n*halfPi2))
	tail := (lost1 + lost2) - float64(n*halfPi3)
	value = third + tail
	return value, (third - value) + tail, math.Float64bits(shifted)
}

// reduceHuge reduces a finite |x| > 2^20 by Payne and Hanek's method: of the product of the mantissa
// with the bits of 2/pi only those that matter modulo 4 are formed, 190 of them behind the point.
func reduceHuge(x float64) (value, rest float64, quadrant uint64) {
	xBits := math.Float64bits(x)
	mantissa := xBits&0x000FFFFFFFFFFFFF | 0x0010000000000000
	// The bit of 2/pi with the place value 2 in the product; -33 at least, zeros before the first.
	first := int(xBits>>52&0x7FF) - 1075 - 2

	var window [3]uint64
	for i := range window {
		at := first + 64*i
		word, shift := at>>6, uint(at&63)
		var high uint64
		if word >= 0 {
			high = twoOverPiBits[word]
		}
		// A shift by 64 gives 0.
		window[i] = high<<shift | twoOverPiBits[word+1]>>(64-shift)
	}
	lowHigh, p0 := bits.Mul64(mantissa, window[2])
	middleHigh, middleLow := bits.Mul64(mantissa, window[1])
	p1, carry := bits.Add64(middleLow, lowHigh, 0)
	p2 := mantissa*window[0] + middleHigh + carry

	// Two bits before the point. Round to the nearest multiple; the fraction takes the sign that is
	// left.
	count := (p2 + 1<<61) >> 62
	p2 = p2<<2 | p1>>62
	p1 = p1<<2 | p0>>62
	p0 <<= 2
	negative := p2>>63 != 0
	if negative {
		var borrow uint64
		p0, borrow = bits.Sub64(0, p0, 0)
		p1, borrow = bits.Sub64(0, p1, borrow)
		p2, _ = bits.Sub64(0, p2, borrow)
	}
	// The top 64 bits of the fraction, leading zeros off. No double comes nearer than 2^-62 to a
	// multiple, so that p2 and p1 hold them.
	zeros := uint(bits.LeadingZeros64(p2))
	top := p2<<zeros | p1>>(64-zeros)
	angle, _ := bits.Mul64(top, halfPiBits)
	scale := math.Float64frombits(uint64(1023-63-zeros) << 52)
	high := float64(int64(angle>>11)) * 2048 * scale
	low := float64(int64(angle&0x7FF)) * scale
	value = float64(high) + float64(low)
	rest = (float64(high) - value) + float64(low)
	if negative != (x < 0) {
		value, rest = -value, -rest
	}
	if x < 0 {
		count = -count
	}
	return value, rest, count
}

// sineNear is sin(value + rest) for an angle within pi/4.
func sineNear(value, rest float64) float64 {
	z := float64(value * value)
	w := float64(z * z)
	p := sine4 + float64(sine5*z)
	p = sine2 + float64(sine3*z) + float64(w*p)
	p = sine0 + float64(sine1*z) + float64(w*p)
	return value + (float64(float64(value*z)*p) + (rest - float64(float64(rest*z)*0.5)))
}

// cosineNear is cos(value + rest) for an angle within pi/4. 1 - z/2 is taken with what its rounding
// lost.
func cosineNear(value, rest float64) float64 {
	z := float64(value * value)
	w := float64(z * z)
	p := cosine4 + float64(cosine5*z)
	p = cosine2 + float64(cosine3*z) + float64(w*p)
	p = cosine0 + float64(cosine1*z) + float64(w*p)
	half := float64(z * 0.5)
	main := 1 - half
	return main + (((1 - main) - half) + (float64(w*p) - float64(value*rest)))
}

// sineOf is the sine of a reduced angle.
func sineOf(value, rest float64, quadrant uint64) float64 {
	var result float64
	if quadrant&1 == 0 {
		result = sineNear(value, rest)
	} else {
		result = cosineNear(value, rest)
	}
	return math.Float64frombits(math.Float64bits(result) ^ quadrant&2<<62)
}

func tangent(z float64) float64 {
	w := float64(z * z)
	p := float64(tangent14)
	p = tangent12 + float64(tangent13*z) + float64(w*p)
	p = tangent10 + float64(tangent11*z) + float64(w*p)
	p = tangent8 + float64(tangent9*z) + float64(w*p)
	p = tangent6 + float64(tangent7*z) + float64(w*p)
	p = tangent4 + float64(tangent5*z) + float64(w*p)
	p = tangent2 + float64(tangent3*z) + float64(w*p)
	p = tangent0 + float64(tangent1*z) + float64(w*p)
	return p
}
