// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/bridge/kerneltest"
	"github.com/tombolo-arrow/tombolo/bridge/portable/vecmath/exact"
)

var degree = exact.Pi.Over(exact.Of(180))

// exactDistance takes the angle between two points as vectors, by sine and cosine: no haversine.
func exactDistance(latitude0, longitude0, latitude1, longitude1, radius float64) exact.Number {
	p0, p1 := exact.Of(latitude0).Times(degree), exact.Of(latitude1).Times(degree)
	turn := exact.Of(longitude1).Minus(exact.Of(longitude0)).Times(degree)
	sin0, cos0, sin1, cos1 := exact.SinOf(p0), exact.CosOf(p0), exact.SinOf(p1), exact.CosOf(p1)
	across := cos1.Times(exact.SinOf(turn))
	along := cos0.Times(sin1).Minus(sin0.Times(cos1).Times(exact.CosOf(turn)))
	sine := across.Times(across).Plus(along.Times(along)).Root()
	cosine := sin0.Times(sin1).Plus(cos0.Times(cos1).Times(exact.CosOf(turn)))
	angle := exact.Arctan(sine.Over(cosine))
	if cosine.Sign() < 0 {
		angle = angle.Plus(exact.Pi)
	}
	return angle.Times(exact.Of(radius))
}

func TestGreatCircleIsExactEverywhere(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 1))
	latitude := func() float64 { return random.Float64()*180 - 90 }
	longitude := func() float64 { return random.Float64()*360 - 180 }
	near := func() float64 { return math.Ldexp(random.Float64()-0.5, -random.IntN(40)) }
	sources := map[string]func() [4]float64{
		"anywhere": func() [4]float64 { return [4]float64{latitude(), longitude(), latitude(), longitude()} },
		"close": func() [4]float64 {
			p, l := latitude(), longitude()
			return [4]float64{p, l, p + near(), l + near()}
		},
		"nearly antipodal": func() [4]float64 {
			p, l := latitude(), longitude()
			return [4]float64{p, l, -p + near(), l + 180 + near()}
		},
		"at the poles": func() [4]float64 { return [4]float64{90 - math.Abs(near()), longitude(), -90, longitude()} },
		"date line":    func() [4]float64 { return [4]float64{latitude(), 180 - near(), latitude(), -180 + near()} },
		"equator":      func() [4]float64 { return [4]float64{near(), longitude(), near(), longitude()} },
		"any angle": func() [4]float64 {
			return [4]float64{latitude() * 100, longitude() * 100, latitude() * 100, longitude() * 100}
		},
	}
	for name, source := range sources {
		worst := 0.0
		for range 1000 {
			p := source()
			got := greatCircle(p[0], p[1], p[2], p[3], earthRadiusMiles)
			if back := greatCircle(p[2], p[3], p[0], p[1], earthRadiusMiles); back != got {
				t.Errorf("%s: %v is %v there and %v back", name, p, got, back)
			}
			worst = max(worst, exact.Ulps(got, exactDistance(p[0], p[1], p[2], p[3], earthRadiusMiles)))
		}
		t.Logf("%s: worst %.2f ulp", name, worst)
		if !(worst <= 4) {
			t.Errorf("%s: %.2f ulp off", name, worst)
		}
	}
}

func TestGreatCircleOfKnownPoints(t *testing.T) {
	half := math.Pi * earthRadiusMiles
	cases := []struct {
		name string
		p    [4]float64
		want float64
	}{
		{"the same point", [4]float64{12.5, -77.1, 12.5, -77.1}, 0},
		{"a turn apart", [4]float64{12.5, -180, 12.5, 180}, 0},
		{"pole to pole", [4]float64{90, 17, -90, -33}, half},
		{"one pole, two meridians", [4]float64{90, 17, 90, 107}, 0},
		{"antipodes on the equator", [4]float64{0, -90, 0, 90}, half},
		{"antipodes", [4]float64{37, 20, -37, -160}, half},
		{"a quarter", [4]float64{0, 0, 90, 123}, half / 2},
		{"not a number", [4]float64{math.NaN(), 0, 0, 0}, math.NaN()},
		{"infinite", [4]float64{0, math.Inf(-1), 0, 0}, math.NaN()},
		{"beyond all reduction", [4]float64{0, 0, 0, 1e10}, math.NaN()},
	}
	for _, c := range cases {
		got := greatCircle(c.p[0], c.p[1], c.p[2], c.p[3], earthRadiusMiles)
		if !(math.Abs(got-c.want) <= c.want*0x1p-52) && !(math.IsNaN(c.want) && math.Float64bits(got) == 0x7FF8000000000000) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// exactMercator is the ordinate of EPSG:3857: radius * log(tan(45 degrees + latitude / 2)).
func exactMercator(latitude float64) exact.Number {
	p := exact.Of(latitude).Times(degree)
	tangent := exact.Of(1).Plus(exact.SinOf(p)).Over(exact.CosOf(p))
	return exact.LogOf(tangent).Times(exact.Of(mercatorRadiusMetres))
}

func TestWebMercatorIsWithinATenthOfAMicrometre(t *testing.T) {
	random := rand.New(rand.NewPCG(12, 1))
	metres := degree.Times(exact.Of(mercatorRadiusMetres))
	worst, worstBack := 0.0, 0.0
	for i := range 6000 {
		longitude, latitude := random.Float64()*360-180, random.Float64()*180-90
		switch i % 3 {
		case 0: // from the equator to within 1e-13 degrees of a pole
			latitude = math.Copysign(90-math.Ldexp(90, -random.IntN(48)), latitude)
		case 1:
			latitude = math.Copysign(45+math.Ldexp(latitude, -random.IntN(40)-8), latitude)
		}
		x, y := mercatorForward(longitude, latitude)
		dx, _ := exact.Of(x).Minus(exact.Of(longitude).Times(metres)).Size().Float64()
		dy, _ := exact.Of(y).Minus(exactMercator(latitude)).Size().Float64()
		worst = max(worst, dx, dy)
		backLongitude, backLatitude := mercatorInverse(x, y)
		worstBack = max(worstBack, math.Abs(backLongitude-longitude), math.Abs(backLatitude-latitude))
	}
	t.Logf("worst %.2g m, there and back %.2g degrees", worst, worstBack)
	if worst > 1e-7 || worstBack > 1e-13 {
		t.Errorf("%.2g m off, there and back %.2g degrees off", worst, worstBack)
	}
}

func TestWebMercatorInverseAgainstTheOracle(t *testing.T) {
	random := rand.New(rand.NewPCG(13, 1))
	worst := 0.0
	for range 2000 {
		y := math.Ldexp(random.Float64()-0.5, random.IntN(29))
		_, latitude := mercatorInverse(0, y)
		e := exact.ExpOf(exact.Of(y).Over(exact.Of(mercatorRadiusMetres)))
		want := exact.Arctan(e).Scaled(1).Minus(exact.Pi.Scaled(-1)).Over(degree)
		worst = max(worst, exact.Ulps(latitude, want))
	}
	t.Logf("worst %.2f ulp", worst)
	if !(worst <= 8) {
		t.Errorf("%.2f ulp off", worst)
	}
}

func TestWebMercatorEdges(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	half := 20037508.342789244
	forward := [][4]float64{
		{0, 0, 0, 0}, {180, 0, half, 0}, {-180, 0, -half, 0}, {0, 90, 0, inf}, {10, -90, 10 * mercatorRadiusMetres * radiansPerDegree, -inf},
		{math.Nextafter(180, 181), 0, nan, nan}, {0, math.Nextafter(90, 91), nan, nan}, {nan, 0, nan, nan},
		{0, nan, nan, nan}, {inf, 0, nan, nan}, {0, -inf, nan, nan}, {math.Copysign(0, -1), math.Copysign(0, -1), math.Copysign(0, -1), math.Copysign(0, -1)},
	}
	for _, c := range forward {
		x, y := mercatorForward(c[0], c[1])
		checkBits(t, "forward", c, x, y)
	}
	inverse := [][4]float64{
		{0, 0, 0, 0}, {half, 0, 180, 0}, {0, inf, 0, 90}, {0, -inf, 0, -90}, {nan, 0, nan, 0}, {0, nan, 0, nan},
		{inf, 1e300, inf, 90}, {0, math.Copysign(0, -1), 0, math.Copysign(0, -1)},
	}
	for _, c := range inverse {
		x, y := mercatorInverse(c[0], c[1])
		checkBits(t, "inverse", c, x, y)
	}
}

func checkBits(t *testing.T, name string, c [4]float64, got0, got1 float64) {
	t.Helper()
	canonical := func(x float64) uint64 {
		if x != x {
			return 0x7FF8000000000000
		}
		return math.Float64bits(x)
	}
	if math.Float64bits(got0) != canonical(c[2]) || math.Float64bits(got1) != canonical(c[3]) {
		t.Errorf("%s(%v, %v) = %v, %v, want %v, %v", name, c[0], c[1], got0, got1, c[2], c[3])
	}
}

func TestGridCell(t *testing.T) {
	cases := []struct {
		x, y, size float64
		column     int32
		row        int32
		fits       bool
	}{
		{0, 0, 1, 0, 0, true}, {-0.5, 0.5, 1, -1, 0, true}, {250000, -250000, 1e5, 2, -3, true},
		{2147483647.5, -2147483648, 1, math.MaxInt32, math.MinInt32, true}, {2147483648, 0, 1, 0, 0, false},
		{0, -2147483648.5, 1, 0, 0, false}, {math.NaN(), 0, 1, 0, 0, false}, {0, math.Inf(1), 1, 0, 0, false},
		{1e300, 0, 1e-300, 0, 0, false}, {-5e-324, 5e-324, 1, -1, 0, true}, {-7, 7, math.Inf(1), 0, 0, true},
	}
	for _, c := range cases {
		cell, fits := gridCell(c.x, c.y, c.size)
		want := int64(c.column)<<32 | int64(uint32(c.row))
		if fits != c.fits || cell != want {
			t.Errorf("gridCell(%v, %v, %v) = %#x, %v", c.x, c.y, c.size, cell, fits)
		}
	}
}

// geoRow computes one row of a geo kernel; a nil is a null.
var geoRows = []struct {
	name    string
	columns int
	options []bridge.Option
	row     func(in []float64) []any
}{
	{"great_circle_distance", 4, nil, func(in []float64) []any {
		return []any{greatCircle(in[0], in[1], in[2], in[3], 3958.7613)}
	}},
	{"great_circle_distance", 4, []bridge.Option{{Name: "radius", Value: 6371.0}}, func(in []float64) []any {
		return []any{greatCircle(in[0], in[1], in[2], in[3], 6371)}
	}},
	{"web_mercator_forward", 2, nil, func(in []float64) []any {
		x, y := mercatorForward(in[0], in[1])
		return []any{x, y}
	}},
	{"web_mercator_inverse", 2, nil, func(in []float64) []any {
		x, y := mercatorInverse(in[0], in[1])
		return []any{x, y}
	}},
	{"grid_cell", 2, []bridge.Option{{Name: "size", Value: 0.75}}, func(in []float64) []any {
		cell, fits := gridCell(in[0], in[1], 0.75)
		if !fits {
			return []any{nil}
		}
		return []any{cell}
	}},
}

func TestGeoKernelsComputeEachRow(t *testing.T) {
	random := rand.New(rand.NewPCG(14, 1))
	for _, kernel := range geoRows {
		t.Run(kernel.name, func(t *testing.T) {
			for _, s := range shapes() {
				columns := make([]arrow.Array, kernel.columns)
				for c := range columns {
					// Some operands have nulls of their own, some none.
					nulls := kerneltest.Nulls(random.IntN(int(s.nulls) + 1))
					columns[c] = kerneltest.Column(random, arrow.PrimitiveTypes.Float64, s.rows, nulls, s.offset)
				}
				batch := inputBatch(t, columns...)
				result, err := runKernel(t, kernel.name, []arrow.RecordBatch{batch}, kernel.options...)
				if err != nil {
					t.Fatalf("%+v: %v", s, err)
				}
				checkGeoRows(t, s, columns, result, kernel.row)
			}
		})
	}
}

func checkGeoRows(t *testing.T, s shape, columns []arrow.Array, result arrow.RecordBatch, row func([]float64) []any) {
	t.Helper()
	in := make([]float64, len(columns))
	for i := range s.rows {
		missing := false
		for c, column := range columns {
			in[c] = column.(*array.Float64).Value(i)
			missing = missing || column.IsNull(i)
		}
		want := row(in)
		for c := range int(result.NumCols()) {
			var got any
			switch column := result.Column(c).(type) {
			case *array.Float64:
				got = math.Float64bits(column.Value(i))
				want[c] = math.Float64bits(want[c].(float64))
			case *array.Int64:
				got = column.Value(i)
			}
			if result.Column(c).IsNull(i) {
				got = nil
			}
			if missing {
				want[c] = nil
			}
			if got != want[c] {
				t.Fatalf("%+v: row %d column %d is %v, want %v", s, i, c, got, want[c])
			}
		}
	}
}

func TestGeoSchemas(t *testing.T) {
	names := map[string][]string{
		"great_circle_distance": {"result"}, "web_mercator_forward": {"x", "y"},
		"web_mercator_inverse": {"longitude", "latitude"}, "grid_cell": {"result"},
	}
	library := openChecked(t)
	for _, kernel := range geoRows {
		bound, err := library.Bind(t.Context(), kernel.name, []*arrow.Schema{doubleSchema(kernel.columns)}, kernel.options...)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, field := range bound.Output().Fields() {
			got = append(got, field.Name)
			if !field.Nullable {
				t.Errorf("%s: %s is not nullable", kernel.name, field.Name)
			}
		}
		bound.Release()
		if !slices.Equal(got, names[kernel.name]) {
			t.Errorf("%s: fields %v", kernel.name, got)
		}
	}
}

func doubleSchema(columns int) *arrow.Schema {
	fields := make([]arrow.Field, columns)
	for i := range fields {
		fields[i] = arrow.Field{Name: string(rune('a' + i)), Type: arrow.PrimitiveTypes.Float64, Nullable: true}
	}
	return arrow.NewSchema(fields, nil)
}

func TestGeoRefusesWrongArguments(t *testing.T) {
	text := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Float64},
		{Name: "b", Type: arrow.PrimitiveTypes.Float32}}, nil)
	cases := []struct {
		name    string
		kernel  string
		schema  *arrow.Schema
		options []bridge.Option
		want    error
	}{
		{"too few columns", "great_circle_distance", doubleSchema(3), nil, bridge.ErrInvalid},
		{"too many columns", "web_mercator_forward", doubleSchema(3), nil, bridge.ErrInvalid},
		{"another type", "web_mercator_inverse", text, nil, bridge.ErrType},
		{"radius of another kind", "great_circle_distance", doubleSchema(4), []bridge.Option{{Name: "radius", Value: "1"}}, bridge.ErrInvalid},
		{"no size", "grid_cell", doubleSchema(2), nil, bridge.ErrInvalid},
		{"size zero", "grid_cell", doubleSchema(2), []bridge.Option{{Name: "size", Value: 0.0}}, bridge.ErrInvalid},
		{"size not a number", "grid_cell", doubleSchema(2), []bridge.Option{{Name: "size", Value: math.NaN()}}, bridge.ErrInvalid},
		{"unknown option", "web_mercator_forward", doubleSchema(2), []bridge.Option{{Name: "radius", Value: 1.0}}, bridge.ErrInvalid},
	}
	library := openChecked(t)
	for _, c := range cases {
		_, err := library.Bind(t.Context(), c.kernel, []*arrow.Schema{c.schema}, c.options...)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
}
