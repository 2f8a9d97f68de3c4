// SPDX-License-Identifier: Apache-2.0

package vecmath

import "math"

// Log returns the natural logarithm of x.
func Log(x float64) float64 {
	if x > 0 && x < math.Inf(1) {
		if x < 0x1p-1022 {
			return logNormal(x*0x1p54, -54)
		}
		return logNormal(x, 0)
	}
	switch {
	case x == 0:
		return math.Inf(-1)
	case x == math.Inf(1):
		return x
	default:
		return NaN()
	}
}

// LogNormal returns the natural logarithm of a positive normal number.
func LogNormal(x float64) float64 { return logNormal(x, 0) }

// logNormal is the logarithm of a positive normal number, plus count times log 2.
func logNormal(x, count float64) float64 {
	// x = m 2^k with m in [sqrt 1/2, sqrt 2): the exponent of x / sqrt(1/2).
	const one, rootHalf = 0x3FF0000000000000, 0x3FE6A09E667F3BCD
	exponent := (math.Float64bits(x) + (one - rootHalf)) >> 52
	f := math.Float64frombits(math.Float64bits(x)-(exponent-1023)<<52) - 1
	// float64(exponent) - 1023, both exact.
	k := float64(int64(exponent)-1023) + count

	s := f / (2 + f)
	z := float64(s * s)
	w := float64(z * z)
	p := float64(logarithm6)
	p = logarithm4 + float64(logarithm5*z) + float64(w*p)
	p = logarithm2 + float64(logarithm3*z) + float64(w*p)
	p = logarithm0 + float64(logarithm1*z) + float64(w*p)
	p = float64(z * p)
	halfSquare := float64(float64(f*f) * 0.5)
	return float64(k*log2) -
		((halfSquare - (float64(s*(halfSquare+p)) + float64(k*log2Rest))) - f)
}

// Exp returns e to the power x.
func Exp(x float64) float64 {
	if x != x {
		return NaN()
	}
	// Beyond these the result is infinite or zero anyway.
	bounded := x
	if x > 710 {
		bounded = 710
	} else if x < -746 {
		bounded = -746
	}
	k := Nearest(float64(bounded * log2E))
	main := bounded - float64(k*log2)
	less := float64(k * log2Rest)
	r := main - less
	rest := (main - r) - less
	w := float64(r * r)
	p := float64(w * exponential(r, w))
	result := 1 + (r + (p + rest))
	// In two steps, since 2^k alone may be out of range; only the last one rounds.
	half := Nearest(float64(k * 0.5))
	return float64(result*powerOfTwo(half)) * powerOfTwo(k-half)
}

// powerOfTwo is 2 to an integer power between -1022 and 1023.
func powerOfTwo(k float64) float64 {
	return math.Float64frombits(math.Float64bits(k+(toInteger+1023)) << 52)
}

func exponential(z, w float64) float64 {
	p := float64(exponential10)
	p = exponential8 + float64(exponential9*z) + float64(w*p)
	p = exponential6 + float64(exponential7*z) + float64(w*p)
	p = exponential4 + float64(exponential5*z) + float64(w*p)
	p = exponential2 + float64(exponential3*z) + float64(w*p)
	p = exponential0 + float64(exponential1*z) + float64(w*p)
	return p
}
