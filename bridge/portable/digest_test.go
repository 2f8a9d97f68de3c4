// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tombolo-arrow/tombolo/bridge/portable/vecmath"
)

var rewrite = flag.Bool("rewrite", false, "write the digests of ctests/unit/simd anew")

const (
	digestPath = "../../ctests/unit/simd/digests.txt"
	digestRows = 4099
)

// arguments makes the numbers of ctests/unit/simd/arguments.h, which compares with the same digests.
type arguments struct{ state uint64 }

var domains = []string{"bits", "unit", "eight", "degrees", "angles", "powers", "metres", "halves", "edges"}

var edges = []uint64{
	0x0000000000000001, 0x8000000000000001, 0x0010000000000000, 0x3fe0000000000000,
	0x3ff0000000000000, 0xbff0000000000000, 0x4046800000000000, 0xc046800000000000,
	0x4056800000000000, 0xc056800000000000, 0x4066800000000000, 0xc066800000000000,
	0x4076800000000000, 0x41e0000000000000, 0xc1e0000000000000, 0x4130000000000000,
	0x40862e42fefa39ef, 0xc0874910d52d3051, 0x417312d00c2f1b5e, 0x7fefffffffffffff,
	0x7ff0000000000001, 0xfff0000000000001, 0x7ff8000000000000, 0xfff8000000000123,
	0x3fe921fb54442d18, 0x3ff921fb54442d18, 0x400921fb54442d18, 0x3fdc000000000000,
}

func (a *arguments) next(domain int) float64 {
	a.state += 0x9e3779b97f4a7c15
	z := a.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	z ^= z >> 31
	unit := float64(int64(z)>>10) * 0x1p-53
	switch domain {
	case 0:
		return math.Float64frombits(z)
	case 1:
		return unit
	case 2:
		return unit * 8
	case 3:
		return unit * 180
	case 4:
		return unit * 0x1.8p20
	case 5:
		return unit * 750
	case 6:
		return unit * 4e7
	case 7:
		return float64(int64(z)%721) * 0.5
	default:
		return math.Float64frombits(edges[z%uint64(len(edges))] + (z>>32)%3 - 1)
	}
}

// digested is a function of up to four columns to one or two.
type digested struct {
	name    string
	columns int
	value   func(in [4]float64) []float64
}

func one(name string, f func(float64) float64) digested {
	return digested{name, 2, func(in [4]float64) []float64 { return []float64{f(in[0])} }}
}

func pair(x, y float64) []float64 { return []float64{x, y} }

var digestedFunctions = []digested{
	one("sin", vecmath.Sin), one("cos", vecmath.Cos), one("tan", vecmath.Tan), one("asin", vecmath.Asin),
	one("atan", vecmath.Atan), one("log", vecmath.Log), one("exp", vecmath.Exp),
	{"atan2", 2, func(in [4]float64) []float64 { return []float64{vecmath.Atan2(in[0], in[1])} }},
	{"great_circle", 4, func(in [4]float64) []float64 {
		return []float64{greatCircle(in[0], in[1], in[2], in[3], earthRadiusMiles)}
	}},
	{"mercator_forward", 4, func(in [4]float64) []float64 { return pair(mercatorForward(in[0], in[1])) }},
	{"mercator_inverse", 4, func(in [4]float64) []float64 { return pair(mercatorInverse(in[0], in[1])) }},
	{"grid_cell", 4, func(in [4]float64) []float64 {
		cell, fits := gridCell(in[0], in[1], 1e5)
		if !fits {
			return pair(0, 0)
		}
		return pair(math.Float64frombits(uint64(cell)), 1)
	}},
}

// TestDigests holds the portable functions to digests.txt, as the C++ tests hold the native ones at
// every level: the bits of both are the same.
func TestDigests(t *testing.T) {
	var text strings.Builder
	for _, f := range digestedFunctions {
		for domain, name := range domains {
			source := arguments{uint64(domain)}
			digest := uint64(0xcbf29ce484222325)
			for range digestRows {
				var in [4]float64
				for c := range f.columns {
					in[c] = source.next(domain)
				}
				for _, v := range f.value(in) {
					digest = (digest ^ math.Float64bits(v)) * 0x100000001b3
					digest ^= digest >> 32
				}
			}
			fmt.Fprintf(&text, "%s %s %016x\n", f.name, name, digest)
		}
	}
	if *rewrite {
		if err := os.WriteFile(digestPath, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(digestPath)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), text.String()); diff != "" {
		t.Error(diff)
	}
}
