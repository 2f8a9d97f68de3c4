// SPDX-License-Identifier: Apache-2.0

// Package exact computes elementary functions with 200 bits, by series alone: the oracle of the tests of
// floating point kernels. It is slow, tests alone import it, and it imports nothing of this module.
package exact

import (
	"math"
	"math/big"
)

// Number is a number of 200 bits. Operations give new numbers.
type Number struct {
	*big.Float
}

const precisionBits = 200

// Of is x.
func Of(x float64) Number { return Number{new(big.Float).SetPrec(precisionBits).SetFloat64(x)} }

func fresh() *big.Float { return new(big.Float).SetPrec(precisionBits) }

// Plus and the like are the arithmetic of numbers.
func (x Number) Plus(y Number) Number  { return Number{fresh().Add(x.Float, y.Float)} }
func (x Number) Minus(y Number) Number { return Number{fresh().Sub(x.Float, y.Float)} }
func (x Number) Times(y Number) Number { return Number{fresh().Mul(x.Float, y.Float)} }
func (x Number) Over(y Number) Number  { return Number{fresh().Quo(x.Float, y.Float)} }
func (x Number) Root() Number          { return Number{fresh().Sqrt(x.Float)} }
func (x Number) Negative() Number      { return Number{fresh().Neg(x.Float)} }
func (x Number) Size() Number          { return Number{fresh().Abs(x.Float)} }
func (x Number) Scaled(by int) Number  { return Number{fresh().SetMantExp(x.Float, by)} }
func (x Number) Below(y float64) bool  { return x.Cmp(big.NewFloat(y)) < 0 }

// small says whether a term of a series no longer matters beside a sum.
func small(term, sum Number) bool {
	return term.Sign() == 0 || term.MantExp(nil) < sum.MantExp(nil)-precisionBits-8
}

// Pi is pi.
var Pi = Number{fresh().Set(widePi)}

// log2 is log 2 = 2 atanh(1/3).
var log2 = areaTangent(Of(1).Over(Of(3))).Times(Of(2))

func arctanSeries(t Number) Number {
	return oddSeries(t, t.Times(t).Negative())
}

func areaTangent(t Number) Number {
	return oddSeries(t, t.Times(t))
}

// oddSeries sums power / 1, 3, 5, ... with the power multiplied by step each time.
func oddSeries(power, step Number) Number {
	sum := power
	for n := 3.0; ; n += 2 {
		power = power.Times(step)
		term := power.Over(Of(n))
		if small(term, sum) {
			return sum
		}
		sum = sum.Plus(term)
	}
}

// SinOf is the sine of a number of moderate size.
func SinOf(x Number) Number {
	turns, _ := x.Over(Pi).Float64()
	n := math.Round(turns)
	result := sineSeries(x.Minus(Pi.Times(Of(n))))
	if math.Mod(n, 2) != 0 {
		return result.Negative()
	}
	return result
}

// CosOf is the cosine of a number of moderate size.
func CosOf(x Number) Number { return SinOf(x.Plus(Pi.Scaled(-1))) }

// sineSeries is sin x for |x| < 2.
func sineSeries(x Number) Number {
	term, sum, square := x, x, x.Times(x)
	for n := 2.0; ; n += 2 {
		term = term.Times(square).Over(Of(-n * (n + 1)))
		if small(term, sum) {
			return sum
		}
		sum = sum.Plus(term)
	}
}

func cosineSeries(x Number) Number {
	term, sum, square := Of(1), Of(1), x.Times(x)
	for n := 1.0; ; n += 2 {
		term = term.Times(square).Over(Of(-n * (n + 1)))
		if small(term, sum) {
			return sum
		}
		sum = sum.Plus(term)
	}
}

// reduce gives x less a multiple of pi/2, and the multiple modulo 4. It widens pi for a huge x.
func reduce(x float64) (Number, int) {
	const wide = 1400
	half := new(big.Float).SetPrec(wide).Quo(widePi, big.NewFloat(2))
	value := new(big.Float).SetPrec(wide).SetFloat64(x)
	quotient := new(big.Float).SetPrec(wide).Quo(value, half)
	up := big.NewFloat(math.Copysign(0.5, x))
	n, _ := quotient.Add(quotient, up).Int(nil)
	rest := value.Sub(value, half.Mul(half, new(big.Float).SetPrec(wide).SetInt(n)))
	quadrant := new(big.Int).Mod(n, big.NewInt(4))
	return Number{fresh().Set(rest)}, int(quadrant.Int64())
}

var widePi = machin()

// machin is pi by Machin's formula in integers of 1500 bits.
func machin() *big.Float {
	const bits = 1500
	inverse := func(n int64) *big.Int {
		power := new(big.Int).Div(new(big.Int).Lsh(big.NewInt(1), bits), big.NewInt(n))
		sum := new(big.Int).Set(power)
		square := big.NewInt(n * n)
		for k := int64(3); power.Sign() != 0; k += 2 {
			power.Div(power, square)
			term := new(big.Int).Div(power, big.NewInt(k))
			if k%4 == 3 {
				sum.Sub(sum, term)
			} else {
				sum.Add(sum, term)
			}
		}
		return sum
	}
	sum := new(big.Int).Mul(inverse(5), big.NewInt(16))
	sum.Sub(sum, new(big.Int).Mul(inverse(239), big.NewInt(4)))
	return new(big.Float).SetMantExp(new(big.Float).SetPrec(1480).SetInt(sum), -bits)
}

// Sin is the sine of a double of any size.
func Sin(x float64) Number { return sine(x, 0) }

// Cos is the cosine.
func Cos(x float64) Number { return sine(x, 1) }

// Tan is the tangent.
func Tan(x float64) Number { return sine(x, 0).Over(sine(x, 1)) }

func sine(x float64, turn int) Number {
	rest, quadrant := reduce(x)
	quadrant += turn
	result := sineSeries(rest)
	if quadrant&1 != 0 {
		result = cosineSeries(rest)
	}
	if quadrant&2 != 0 {
		result = result.Negative()
	}
	return result
}

// Arctan is the arctangent of a number. It halves the angle until the series is quick.
func Arctan(x Number) Number {
	halvings := 0
	for !x.Size().Below(0.05) {
		// tan(a/2) = tan a / (1 + sqrt(1 + tan^2 a))
		x = x.Over(Of(1).Plus(Of(1).Plus(x.Times(x)).Root()))
		halvings++
	}
	return arctanSeries(x).Scaled(halvings)
}

// Atan is the arctangent.
func Atan(x float64) Number { return Arctan(Of(x)) }

// Asin is the arcsine, for |x| <= 1.
func Asin(x float64) Number {
	if math.Abs(x) == 1 {
		return Pi.Scaled(-1).Times(Of(x))
	}
	value := Of(x)
	// The product has its own precision: a subnormal squared is far below it.
	return Arctan(value.Over(Of(1).Minus(value.Times(value)).Root()))
}

// Atan2 is the angle of the point (x, y), for points off the axes.
func Atan2(y, x float64) Number {
	angle := Arctan(Of(y).Over(Of(x)))
	switch {
	case x > 0:
		return angle
	case y > 0:
		return angle.Plus(Pi)
	default:
		return angle.Minus(Pi)
	}
}

// Log is the natural logarithm.
func Log(x float64) Number { return LogOf(Of(x)) }

// LogOf is the natural logarithm of a number.
func LogOf(x Number) Number {
	mantissa := fresh()
	exponent := x.MantExp(mantissa)
	m := Number{mantissa}
	if m.Below(math.Sqrt2 / 2) {
		m, exponent = m.Scaled(1), exponent-1
	}
	// Two square roots bring the mantissa near 1 for the series.
	m = m.Root().Root()
	one := Of(1)
	series := areaTangent(m.Minus(one).Over(m.Plus(one))).Scaled(3)
	return series.Plus(log2.Times(Of(float64(exponent))))
}

// Exp is e to the power x.
func Exp(x float64) Number { return ExpOf(Of(x)) }

// ExpOf is e to the power of a number.
func ExpOf(x Number) Number {
	quotient, _ := x.Over(log2).Float64()
	n := math.Round(quotient)
	rest := x.Minus(log2.Times(Of(n)))
	term, sum := Of(1), Of(1)
	for k := 1.0; ; k++ {
		term = term.Times(rest).Over(Of(k))
		if small(term, sum) {
			return sum.Scaled(int(n))
		}
		sum = sum.Plus(term)
	}
}

// Ulps is the distance of a result from the truth in units of the truth's last place.
func Ulps(got float64, want Number) float64 {
	nearest, _ := want.Float64()
	if math.IsInf(nearest, 0) || math.IsInf(got, 0) || got != got {
		if got == nearest {
			return 0
		}
		// One step below infinity is as good as infinity where the truth lies between.
		if math.Abs(got) == math.MaxFloat64 || math.Abs(nearest) == math.MaxFloat64 {
			return 1
		}
		return math.Inf(1)
	}
	size := math.Abs(nearest)
	unit := math.Nextafter(size, math.Inf(1)) - size
	if math.IsInf(unit, 0) {
		unit = 0x1p971
	}
	difference, _ := Of(got).Minus(want).Size().Over(Of(unit)).Float64()
	return difference
}
