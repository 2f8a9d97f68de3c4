// SPDX-License-Identifier: Apache-2.0

package vecmath

import (
	"math"
	"math/big"
)

// The oracle computes with 200 bits more than the function at hand needs, by series alone.

// exact is a number in the oracle's working precision.
type exact struct {
	*big.Float
}

const oracleBits = 200

func exactly(x float64) exact { return exact{new(big.Float).SetPrec(oracleBits).SetFloat64(x)} }

func fresh() *big.Float { return new(big.Float).SetPrec(oracleBits) }

func (x exact) plus(y exact) exact   { return exact{fresh().Add(x.Float, y.Float)} }
func (x exact) minus(y exact) exact  { return exact{fresh().Sub(x.Float, y.Float)} }
func (x exact) times(y exact) exact  { return exact{fresh().Mul(x.Float, y.Float)} }
func (x exact) over(y exact) exact   { return exact{fresh().Quo(x.Float, y.Float)} }
func (x exact) root() exact          { return exact{fresh().Sqrt(x.Float)} }
func (x exact) negative() exact      { return exact{fresh().Neg(x.Float)} }
func (x exact) size() exact          { return exact{fresh().Abs(x.Float)} }
func (x exact) scaled(by int) exact  { return exact{fresh().SetMantExp(x.Float, by)} }
func (x exact) below(y float64) bool { return x.Cmp(big.NewFloat(y)) < 0 }

// small says whether a term of a series no longer matters beside a sum.
func small(term, sum exact) bool {
	return term.Sign() == 0 || term.MantExp(nil) < sum.MantExp(nil)-oracleBits-8
}

// exactPi is Machin's formula.
var exactPi = arctanInverse(5).times(exactly(16)).minus(arctanInverse(239).times(exactly(4)))

// exactLog2 is log 2 = 2 atanh(1/3).
var exactLog2 = areaTangent(exactly(1).over(exactly(3))).times(exactly(2))

func arctanInverse(n float64) exact { return arctanSeries(exactly(1).over(exactly(n))) }

func arctanSeries(t exact) exact {
	return oddSeries(t, t.times(t).negative(), func(n float64) float64 { return n })
}

func areaTangent(t exact) exact {
	return oddSeries(t, t.times(t), func(n float64) float64 { return n })
}

// oddSeries sums power / divisor(1, 3, 5, ...) with the power multiplied by step each time.
func oddSeries(power, step exact, divisor func(n float64) float64) exact {
	sum := power
	for n := 3.0; ; n += 2 {
		power = power.times(step)
		term := power.over(exactly(divisor(n)))
		if small(term, sum) {
			return sum
		}
		sum = sum.plus(term)
	}
}

// sineSeries is sin x for |x| < 1.
func sineSeries(x exact) exact {
	term, sum, square := x, x, x.times(x)
	for n := 2.0; ; n += 2 {
		term = term.times(square).over(exactly(-n * (n + 1)))
		if small(term, sum) {
			return sum
		}
		sum = sum.plus(term)
	}
}

func cosineSeries(x exact) exact {
	term, sum, square := exactly(1), exactly(1), x.times(x)
	for n := 1.0; ; n += 2 {
		term = term.times(square).over(exactly(-n * (n + 1)))
		if small(term, sum) {
			return sum
		}
		sum = sum.plus(term)
	}
}

// exactReduce gives x less a multiple of pi/2, and the multiple modulo 4. It widens pi for a huge x.
func exactReduce(x float64) (exact, int) {
	const wide = 1400
	half := new(big.Float).SetPrec(wide).Quo(widePi(), big.NewFloat(2))
	value := new(big.Float).SetPrec(wide).SetFloat64(x)
	quotient := new(big.Float).SetPrec(wide).Quo(value, half)
	up := big.NewFloat(math.Copysign(0.5, x))
	n, _ := quotient.Add(quotient, up).Int(nil)
	rest := value.Sub(value, half.Mul(half, new(big.Float).SetPrec(wide).SetInt(n)))
	quadrant := new(big.Int).Mod(n, big.NewInt(4))
	return exact{fresh().Set(rest)}, int(quadrant.Int64())
}

var wideValue *big.Float

// widePi is pi by Machin's formula in integers of 1500 bits.
func widePi() *big.Float {
	if wideValue != nil {
		return wideValue
	}
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
	wideValue = new(big.Float).SetMantExp(new(big.Float).SetPrec(1480).SetInt(sum), -bits)
	return wideValue
}

func exactSin(x float64) exact { return exactSine(x, 0) }
func exactCos(x float64) exact { return exactSine(x, 1) }
func exactTan(x float64) exact { return exactSine(x, 0).over(exactSine(x, 1)) }

func exactSine(x float64, turn int) exact {
	rest, quadrant := exactReduce(x)
	quadrant += turn
	result := sineSeries(rest)
	if quadrant&1 != 0 {
		result = cosineSeries(rest)
	}
	if quadrant&2 != 0 {
		result = result.negative()
	}
	return result
}

// exactArctan halves the angle until the series is quick.
func exactArctan(x exact) exact {
	halvings := 0
	for !x.size().below(0.05) {
		// tan(a/2) = tan a / (1 + sqrt(1 + tan^2 a))
		x = x.over(exactly(1).plus(exactly(1).plus(x.times(x)).root()))
		halvings++
	}
	return arctanSeries(x).scaled(halvings)
}

func exactAtan(x float64) exact { return exactArctan(exactly(x)) }

func exactAsin(x float64) exact {
	if math.Abs(x) == 1 {
		return exactPi.scaled(-1).times(exactly(x))
	}
	value := exactly(x)
	// The product has its own precision: a subnormal squared is far below it.
	return exactArctan(value.over(exactly(1).minus(value.times(value)).root()))
}

// exactAtan2 is for points off the axes.
func exactAtan2(y, x float64) exact {
	angle := exactArctan(exactly(y).over(exactly(x)))
	switch {
	case x > 0:
		return angle
	case y > 0:
		return angle.plus(exactPi)
	default:
		return angle.minus(exactPi)
	}
}

func exactLog(x float64) exact { return exactLogOf(exactly(x)) }

func exactLogOf(x exact) exact {
	mantissa := fresh()
	exponent := x.MantExp(mantissa)
	m := exact{mantissa}
	if m.below(math.Sqrt2 / 2) {
		m, exponent = m.scaled(1), exponent-1
	}
	// Two square roots bring the mantissa near 1 for the series.
	m = m.root().root()
	one := exactly(1)
	series := areaTangent(m.minus(one).over(m.plus(one))).scaled(3)
	return series.plus(exactLog2.times(exactly(float64(exponent))))
}

func exactExp(x float64) exact { return exactExpOf(exactly(x)) }

func exactExpOf(x exact) exact {
	quotient, _ := x.over(exactLog2).Float64()
	n := math.Round(quotient)
	rest := x.minus(exactLog2.times(exactly(n)))
	term, sum := exactly(1), exactly(1)
	for k := 1.0; ; k++ {
		term = term.times(rest).over(exactly(k))
		if small(term, sum) {
			return sum.scaled(int(n))
		}
		sum = sum.plus(term)
	}
}

// ulps is the distance of a result from the truth in units of the truth's last place.
func ulps(got float64, want exact) float64 {
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
	difference, _ := exactly(got).minus(want).size().over(exactly(unit)).Float64()
	return difference
}
