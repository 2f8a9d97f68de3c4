// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"math"

	"github.com/tombolo-arrow/tombolo/bridge/portable/vecmath"
)

// The twin of native/src/geo/mercator-inl.h, which says how the latitude is split. Bodies here must
// do the same operations in the same order.

// mercatorForward projects degrees to metres; NaN outside of the valid area.
func mercatorForward(longitude, latitude float64) (x, y float64) {
	size := math.Abs(latitude)
	if !(size <= 90 && math.Abs(longitude) <= 180) {
		return vecmath.NaN(), vecmath.NaN()
	}
	x = float64(float64(longitude*mercatorRadiusMetres) * radiansPerDegree)
	switch {
	case size <= 45:
		u := float64(size * radiansPerDegree)
		z := float64(u * u)
		y = float64((u + float64(float64(u*z)*lowMercator(z))) * mercatorRadiusMetres)
	case size < 90:
		u := float64((90 - size) * radiansPerDegree)
		z := float64(u * u)
		y = -(vecmath.LogNormal(float64(u*0.5)) + float64(z*highMercator(z)))
		y = float64(y * mercatorRadiusMetres)
	default:
		y = math.Inf(1)
	}
	return x, math.Copysign(y, latitude)
}

// mercatorInverse takes metres back to degrees.
func mercatorInverse(x, y float64) (longitude, latitude float64) {
	longitude, latitude = vecmath.NaN(), vecmath.NaN()
	if x == x {
		longitude = float64(x * degreesPerMetre)
	}
	if y != y {
		return longitude, latitude
	}
	size := float64(math.Abs(y) * mercatorRadiusInverse)
	if size > mercatorOf45Degrees {
		t := vecmath.Exp(-size)
		latitude = 90 - float64(vecmath.AtanSmall(t)*float64(2*degreesPerRadian))
	} else {
		z := float64(size * size)
		latitude = float64((size + float64(float64(size*z)*gudermannian(z))) * degreesPerRadian)
	}
	return longitude, math.Copysign(latitude, y)
}

func lowMercator(z float64) float64 {
	w := float64(z * z)
	p := lowMercator12 + float64(lowMercator13*z)
	p = lowMercator10 + float64(lowMercator11*z) + float64(w*p)
	p = lowMercator8 + float64(lowMercator9*z) + float64(w*p)
	p = lowMercator6 + float64(lowMercator7*z) + float64(w*p)
	p = lowMercator4 + float64(lowMercator5*z) + float64(w*p)
	p = lowMercator2 + float64(lowMercator3*z) + float64(w*p)
	p = lowMercator0 + float64(lowMercator1*z) + float64(w*p)
	return p
}

func highMercator(z float64) float64 {
	w := float64(z * z)
	p := float64(highMercator8)
	p = highMercator6 + float64(highMercator7*z) + float64(w*p)
	p = highMercator4 + float64(highMercator5*z) + float64(w*p)
	p = highMercator2 + float64(highMercator3*z) + float64(w*p)
	p = highMercator0 + float64(highMercator1*z) + float64(w*p)
	return p
}

func gudermannian(z float64) float64 {
	w := float64(z * z)
	p := gudermannian12 + float64(gudermannian13*z)
	p = gudermannian10 + float64(gudermannian11*z) + float64(w*p)
	p = gudermannian8 + float64(gudermannian9*z) + float64(w*p)
	p = gudermannian6 + float64(gudermannian7*z) + float64(w*p)
	p = gudermannian4 + float64(gudermannian5*z) + float64(w*p)
	p = gudermannian2 + float64(gudermannian3*z) + float64(w*p)
	p = gudermannian0 + float64(gudermannian1*z) + float64(w*p)
	return p
}
