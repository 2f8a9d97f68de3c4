// SPDX-License-Identifier: Apache-2.0

package vecmath

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tombolo-arrow/tombolo/bridge/portable/vecmath/exact"
)

// ulpsMax is the promise of design: no result is further from the truth.
const ulpsMax = 2

// function is one elementary function with its oracle and where it is tried.
type function struct {
	name   string
	value  func(float64) float64
	truth  func(float64) exact.Number
	ranges []span
}

// span is a range of arguments, spread evenly or, with logarithmic set, by binary exponent.
type span struct {
	from, to    float64
	logarithmic bool
}

func (s span) draw(random *rand.Rand) float64 {
	if !s.logarithmic {
		return s.from + random.Float64()*(s.to-s.from)
	}
	from, to := math.Log2(s.from), math.Log2(s.to)
	x := math.Exp2(from + random.Float64()*(to-from))
	if random.IntN(2) == 0 {
		return -x
	}
	return x
}

var functions = []function{
	{"sin", Sin, exact.Sin, angles}, {"cos", Cos, exact.Cos, angles}, {"tan", Tan, exact.Tan, angles},
	{"asin", Asin, exact.Asin, []span{{-1, 1, false}, {0.499, 0.501, false}, {1e-12, 1, true}, {0.999, 1, false}}},
	{"atan", Atan, exact.Atan, []span{{-3, 3, false}, {0.4374, 0.4376, false}, {0.7187, 0.7188, false},
		{1e-300, 1e300, true}, {1e-3, 1e3, true}}},
	{"log", Log, exact.Log, []span{{0.5, 2, false}, {0.999, 1.001, false}, {0, 1e6, false}}},
	{"exp", Exp, exact.Exp, []span{{-2, 2, false}, {-745, 709.7, false}, {-745.2, -707, false}, {1e-20, 1, true}}},
}

var angles = []span{
	{-0.8, 0.8, false}, {-10, 10, false}, {-1000, 1000, false}, {-0x1p20, 0x1p20, false},
	{0x1p20, 0x1p30, false}, {1e-30, 1e20, true}, {1e20, 1e308, true},
}

func TestFunctionsAreWithinTwoUlps(t *testing.T) {
	draws := 1500
	if testing.Short() {
		draws = 200
	}
	for _, f := range functions {
		t.Run(f.name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(1, 2))
			worst, at := 0.0, 0.0
			for _, s := range f.ranges {
				for range draws {
					x := s.draw(random)
					if e := exact.Ulps(f.value(x), f.truth(x)); !(e <= worst) {
						worst, at = e, x
					}
				}
			}
			t.Logf("worst %.3f ulp", worst)
			if !(worst <= ulpsMax) {
				t.Errorf("%.3f ulp off at %x", worst, at)
			}
		})
	}
}

func TestAnglesNearMultiplesOfHalfPi(t *testing.T) {
	// The double nearest to a multiple of pi/2 is 6381956970095103 * 2^797 (Muller, Elementary
	// Functions, 2016, section 11.3).
	arguments := []float64{6381956970095103 * 0x1p797, 0x1p1023, math.MaxFloat64, 0x1p20, math.Nextafter(0x1p20, 1e9)}
	for n := 1.0; n < 1e6; n = math.Ceil(n * 1.05) {
		near := n * (math.Pi / 2)
		arguments = append(arguments, near, math.Nextafter(near, 0), math.Nextafter(near, 1e9))
	}
	worst := 0.0
	for _, x := range arguments {
		for _, sign := range []float64{1, -1} {
			x := x * sign
			for _, f := range functions[:3] {
				e := exact.Ulps(f.value(x), f.truth(x))
				worst = max(worst, e)
				if !(e <= ulpsMax) {
					t.Errorf("%s: %.3f ulp off at %x", f.name, e, x)
				}
			}
		}
	}
	t.Logf("worst %.3f ulp", worst)
}

func TestAtan2IsWithinTwoUlps(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	worst := 0.0
	try := func(y, x float64) {
		e := exact.Ulps(Atan2(y, x), exact.Atan2(y, x))
		worst = max(worst, e)
		if !(e <= ulpsMax) {
			t.Errorf("%.3f ulp off at (%x, %x)", e, y, x)
		}
	}
	spans := []span{{-1, 1, false}, {1e-3, 1e3, true}, {1e-300, 1e300, true}, {0x1p-1074, 0x1p-1000, true}, {0x1p1000, 0x1p1023, true}}
	for range 400 {
		for _, a := range spans {
			for _, b := range spans {
				try(a.draw(random), b.draw(random))
			}
		}
		// Slopes where the table of angles changes over.
		x := random.Float64() + 0.5
		for _, slope := range []float64{0.4375, 0.5, 0.71875, 1, 2} {
			try(x*slope, x)
			try(math.Nextafter(x*slope, 0), -x)
		}
	}
	t.Logf("worst %.3f ulp", worst)
}

var (
	inf      = math.Inf(1)
	negative = math.Copysign(0, -1)
)

func TestEdges(t *testing.T) {
	smallest, largest := math.SmallestNonzeroFloat64, math.MaxFloat64
	cases := []struct {
		name      string
		got, want float64
	}{
		{"sin 0", Sin(0), 0}, {"sin -0", Sin(negative), negative}, {"sin tiny", Sin(-smallest), -smallest},
		{"cos 0", Cos(0), 1}, {"cos tiny", Cos(smallest), 1}, {"tan -0", Tan(negative), negative},
		{"tan tiny", Tan(smallest), smallest}, {"sin +Inf", Sin(inf), NaN()}, {"cos -Inf", Cos(-inf), NaN()},
		{"tan +Inf", Tan(inf), NaN()}, {"asin -0", Asin(negative), negative}, {"asin 1", Asin(1), math.Pi / 2},
		{"asin -1", Asin(-1), -math.Pi / 2}, {"asin tiny", Asin(smallest), smallest},
		{"asin above 1", Asin(math.Nextafter(1, 2)), NaN()}, {"asin Inf", Asin(-inf), NaN()},
		{"atan -0", Atan(negative), negative}, {"atan tiny", Atan(-smallest), -smallest}, {"atan 1", Atan(1), math.Pi / 4},
		{"atan Inf", Atan(inf), math.Pi / 2}, {"atan -Inf", Atan(-inf), -math.Pi / 2}, {"log 0", Log(0), -inf},
		{"log -0", Log(negative), -inf}, {"log 1", Log(1), 0}, {"log Inf", Log(inf), inf}, {"log -1", Log(-1), NaN()},
		{"log -Inf", Log(-inf), NaN()}, {"exp 0", Exp(0), 1}, {"exp -0", Exp(negative), 1}, {"exp tiny", Exp(smallest), 1},
		{"exp Inf", Exp(inf), inf}, {"exp -Inf", Exp(-inf), 0}, {"exp large", Exp(largest), inf},
		{"exp 710", Exp(710), inf}, {"exp low", Exp(-746), 0}, {"exp lowest", Exp(-largest), 0},
	}
	for _, c := range cases {
		if math.Float64bits(c.got) != math.Float64bits(c.want) {
			t.Errorf("%s = %x, want %x", c.name, c.got, c.want)
		}
	}
	payload := math.Float64frombits(0xFFF0000000000123)
	for _, f := range functions {
		for _, x := range []float64{math.NaN(), payload} {
			if got := math.Float64bits(f.value(x)); got != nanBits {
				t.Errorf("%s NaN = %#x", f.name, got)
			}
		}
	}
}

func TestAtan2Edges(t *testing.T) {
	cases := []struct{ y, x, want float64 }{
		{0, 1, 0}, {negative, 1, negative}, {0, -1, math.Pi}, {negative, -1, -math.Pi},
		{0, 0, 0}, {negative, 0, negative}, {0, negative, math.Pi}, {negative, negative, -math.Pi},
		{1, 0, math.Pi / 2}, {-1, negative, -math.Pi / 2}, {inf, 1, math.Pi / 2}, {-inf, -inf, -0x1.2d97c7f3321d2p+1},
		{inf, inf, math.Pi / 4}, {inf, -inf, 0x1.2d97c7f3321d2p+1}, {1, inf, 0}, {-1, inf, negative},
		{1, -inf, math.Pi}, {-1, -inf, -math.Pi}, {math.NaN(), 1, NaN()}, {1, math.NaN(), NaN()},
		{math.NaN(), inf, NaN()}, {math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64, 0x1.2d97c7f3321d2p+1},
		{math.MaxFloat64, math.MaxFloat64, math.Pi / 4}, {math.SmallestNonzeroFloat64, 2 * math.SmallestNonzeroFloat64, a},
		{math.SmallestNonzeroFloat64, 1, math.SmallestNonzeroFloat64},
	}
	for _, c := range cases {
		if got := Atan2(c.y, c.x); math.Float64bits(got) != math.Float64bits(c.want) {
			t.Errorf("Atan2(%v, %v) = %x, want %x", c.y, c.x, got, c.want)
		}
	}
}
