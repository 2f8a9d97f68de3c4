// SPDX-License-Identifier: Apache-2.0

package vecmath

import "math"

// Asin returns the angle in [-pi/2, pi/2] whose sine is x; NaN outside [-1, 1].
func Asin(x float64) float64 {
	size := math.Abs(x)
	switch {
	case size <= 0.5:
		z := float64(size * size)
		more := float64(float64(size*z) * arcsine(z))
		return math.Copysign(size+more, x)
	case size <= 1:
		// asin x = pi/2 - 2 asin(sqrt((1 - x) / 2)).
		z := float64((1 - size) * 0.5)
		s := math.Sqrt(z)
		more := float64(float64(s*z) * arcsine(z))
		main := halfPi - float64(2*s)
		lost := (halfPi - main) - float64(2*s)
		return math.Copysign(main-((float64(2*more)-halfPiRest)-lost), x)
	default:
		return NaN()
	}
}

// Atan returns the angle in [-pi/2, pi/2] whose tangent is x.
func Atan(x float64) float64 { return Atan2(x, 1) }

// Atan2 returns the angle of the point (x, y) in [-pi, pi].
//
// It takes one division. With a <= b the lengths of the legs, the angle of the slope a / b is
// atan c + atan((a - c b) / (b + c a)) for c = 0, 1/2 or 1, whichever is near; the subtraction is
// exact. Then the octant says from which axis, and in which sense, it is counted.
func Atan2(y, x float64) float64 {
	if x != x || y != y {
		return NaN()
	}
	xSize, ySize := math.Abs(x), math.Abs(y)
	steep, behind := ySize > xSize, math.Signbit(x)
	short, long := ySize, xSize
	if steep {
		short, long = xSize, ySize
	}
	switch {
	case short == math.Inf(1):
		short, long = 1, 1
	case long > 0x1p1000:
		short, long = short*0x1p-100, long*0x1p-100
	case long < 0x1p-900:
		short, long = short*0x1p100, long*0x1p100
	}

	row := 0
	top, bottom := short, long
	if short > float64(long*0.71875) {
		row = 2
		top, bottom = short-long, long+short
	} else if short > float64(long*0.4375) {
		row = 1
		top, bottom = short-float64(long*0.5), long+float64(short*0.5)
	}
	t := 0.0
	if bottom != 0 {
		t = top / bottom
	}
	if steep {
		row += 3
	}
	if behind {
		row += 6
	}
	if steep != behind {
		t = -t
	}
	base := &axes[row]
	return math.Copysign(base[0]+(t+(base[1]+arctangentRest(t))), y)
}

// axes are the angles from which the rest of the angle is counted: by octant pair, then by c.
var axes = [12][2]float64{
	{0, 0}, {a, aRest}, {quarterPi, quarterPiRest},
	{halfPi, halfPiRest}, {halfPiLessA, halfPiLessARest}, {quarterPi, quarterPiRest},
	{pi, piRest}, {piLessA, piLessARest}, {threeQuarterPi, threeQuarterPiRest},
	{halfPi, halfPiRest}, {halfPiPlusA, halfPiPlusARest}, {threeQuarterPi, threeQuarterPiRest},
}

func arcsine(z float64) float64 {
	w := float64(z * z)
	p := float64(arcsine12)
	p = arcsine10 + float64(arcsine11*z) + float64(w*p)
	p = arcsine8 + float64(arcsine9*z) + float64(w*p)
	p = arcsine6 + float64(arcsine7*z) + float64(w*p)
	p = arcsine4 + float64(arcsine5*z) + float64(w*p)
	p = arcsine2 + float64(arcsine3*z) + float64(w*p)
	p = arcsine0 + float64(arcsine1*z) + float64(w*p)
	return p
}

// arctangentRest is atan(t) - t for |t| <= 7/16.
func arctangentRest(t float64) float64 {
	z := float64(t * t)
	w := float64(z * z)
	p := arctangent10 + float64(arctangent11*z)
	p = arctangent8 + float64(arctangent9*z) + float64(w*p)
	p = arctangent6 + float64(arctangent7*z) + float64(w*p)
	p = arctangent4 + float64(arctangent5*z) + float64(w*p)
	p = arctangent2 + float64(arctangent3*z) + float64(w*p)
	p = arctangent0 + float64(arctangent1*z) + float64(w*p)
	return float64(float64(t*z) * p)
}

// AtanSmall returns the arctangent of |t| <= 7/16.
func AtanSmall(t float64) float64 { return t + arctangentRest(t) }
