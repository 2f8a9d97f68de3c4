// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"math"

	"github.com/tombolo-arrow/tombolo/bridge/portable/vecmath"
)

// The twin of native/src/geo/great_circle-inl.h, which says why the haversine is taken in this form.
// Bodies here must do the same operations in the same order.

// squares are sin^2 and cos^2 of half of a + b.
type squares struct{ sine, cosine float64 }

func halfSquares(a, b float64) squares {
	degrees, lost := vecmath.TwoSum(a, b)
	turns := vecmath.Nearest(float64(degrees * turnsPerDegree))
	reduced := degrees - float64(turns*360)
	x := math.Abs(reduced)
	steep := x > 90
	if steep {
		x = 180 - x
	}
	if math.Signbit(reduced) != steep {
		lost = -lost
	}
	x += lost
	z := float64(x * x)
	w := float64(z * z)
	p := haversine6 + float64(haversine7*z)
	p = haversine4 + float64(haversine5*z) + float64(w*p)
	p = haversine2 + float64(haversine3*z) + float64(w*p)
	p = haversine0 + float64(haversine1*z) + float64(w*p)
	near := float64(z * p)
	if steep {
		return squares{sine: 1 - near, cosine: near}
	}
	return squares{sine: near, cosine: 1 - near}
}

// greatCircle is the distance of two points given in degrees, in the unit of the radius.
func greatCircle(latitude0, longitude0, latitude1, longitude1, radius float64) float64 {
	if !(math.Abs(latitude0) <= angleMaxDegrees && math.Abs(longitude0) <= angleMaxDegrees &&
		math.Abs(latitude1) <= angleMaxDegrees && math.Abs(longitude1) <= angleMaxDegrees) {
		return vecmath.NaN()
	}
	difference := halfSquares(latitude1, -latitude0)
	sum := halfSquares(latitude1, latitude0)
	turn := halfSquares(longitude1, -longitude0)
	h := float64(difference.sine*turn.cosine) + float64(sum.cosine*turn.sine)
	rest := float64(difference.cosine*turn.cosine) + float64(sum.sine*turn.sine)
	far := h > rest
	z := h
	if far {
		z = rest
	}
	s := math.Sqrt(z)
	angle := s + float64(float64(s*z)*wideArcsine(z))
	length := float64(float64(2*radius) * angle)
	if far {
		return float64(pi*radius) - length
	}
	return length
}

func wideArcsine(z float64) float64 {
	w := float64(z * z)
	p := wideArcsine16 + float64(wideArcsine17*z)
	p = wideArcsine14 + float64(wideArcsine15*z) + float64(w*p)
	p = wideArcsine12 + float64(wideArcsine13*z) + float64(w*p)
	p = wideArcsine10 + float64(wideArcsine11*z) + float64(w*p)
	p = wideArcsine8 + float64(wideArcsine9*z) + float64(w*p)
	p = wideArcsine6 + float64(wideArcsine7*z) + float64(w*p)
	p = wideArcsine4 + float64(wideArcsine5*z) + float64(w*p)
	p = wideArcsine2 + float64(wideArcsine3*z) + float64(w*p)
	p = wideArcsine0 + float64(wideArcsine1*z) + float64(w*p)
	return p
}
