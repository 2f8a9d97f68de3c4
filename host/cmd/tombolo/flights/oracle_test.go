// SPDX-License-Identifier: Apache-2.0

package flights

import (
	"context"
	"math"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tombolo-arrow/tombolo/host/cmd/tombolo/source"
)

// The job once more, row by row, in the plainest Go and with the standard library's functions: what
// the kernels and their wiring are held against.

type oracleGroup struct {
	n, late           int64
	delay, minDelay   int64
	maxDelay          int64
	miles, sumX, sumY float64
}

type oracle struct {
	airports map[string][2]float64 // latitude, longitude in degrees
	states   map[string]string
	months   map[stateMonth]*oracleGroup
	cells    map[[2]int32]*oracleGroup
	routes   map[[2]string]*oracleGroup
}

type stateMonth struct {
	state string
	month int64
}

func newOracle(t *testing.T, reference arrow.RecordBatch) *oracle {
	t.Helper()
	o := &oracle{
		airports: map[string][2]float64{}, states: map[string]string{},
		months: map[stateMonth]*oracleGroup{}, cells: map[[2]int32]*oracleGroup{},
		routes: map[[2]string]*oracleGroup{},
	}
	latitude, longitude := numberAt(reference.Column(2)), numberAt(reference.Column(3))
	for row := range int(reference.NumRows()) {
		key := reference.Column(0).ValueStr(row)
		north, _, err := latitude(row)
		east, _, err2 := longitude(row)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		o.airports[key] = [2]float64{north, east}
		o.states[key] = reference.Column(1).ValueStr(row)
	}
	return o
}

const earthMiles = 3958.7613

func haversineMiles(from, to [2]float64) float64 {
	radians := math.Pi / 180
	north := math.Sin((to[0] - from[0]) * radians / 2)
	east := math.Sin((to[1] - from[1]) * radians / 2)
	h := north*north + math.Cos(from[0]*radians)*math.Cos(to[0]*radians)*east*east
	return 2 * earthMiles * math.Asin(math.Sqrt(h))
}

func mercator(place [2]float64) (x, y float64) {
	const radius = 6378137
	return radius * place[1] * math.Pi / 180,
		radius * math.Log(math.Tan(math.Pi/4+place[0]*math.Pi/360))
}

// add takes a row and returns its miles and projected origin.
func (o *oracle) add(events arrow.RecordBatch, row int) (miles, x, y float64) {
	date := events.Column(0).(*array.Timestamp)
	unit := date.DataType().(*arrow.TimestampType).Unit
	month := int64(date.Value(row).ToTime(unit).Month())
	delay := events.Column(1).(*array.Int64).Value(row)
	origin, destination := events.Column(3).ValueStr(row), events.Column(4).ValueStr(row)

	miles = haversineMiles(o.airports[origin], o.airports[destination])
	x, y = mercator(o.airports[origin])
	cell := [2]int32{int32(math.Floor(x / 100_000)), int32(math.Floor(y / 100_000))}
	for _, group := range []*oracleGroup{
		groupOf(o.months, stateMonth{o.states[origin], month}),
		groupOf(o.cells, cell),
		groupOf(o.routes, [2]string{origin, destination}),
	} {
		if group.n == 0 {
			group.minDelay, group.maxDelay = delay, delay
		}
		group.n++
		group.delay += delay
		group.minDelay, group.maxDelay = min(group.minDelay, delay), max(group.maxDelay, delay)
		group.miles += miles
		group.sumX += x
		group.sumY += y
		if delay > 15 {
			group.late++
		}
	}
	return miles, x, y
}

func groupOf[K comparable](groups map[K]*oracleGroup, key K) *oracleGroup {
	if groups[key] == nil {
		groups[key] = &oracleGroup{}
	}
	return groups[key]
}

// near allows what two libraries and two orders of summing may differ by.
func near(got, want float64) bool {
	return math.Abs(got-want) <= 1e-9*math.Max(1, math.Abs(want))
}

func TestAgainstOracle(t *testing.T) {
	engine := openEngine(t)
	allocator := engine.Allocator()
	reference := sampleReference(t, allocator)
	events := sampleEvents(t, allocator, source.BatchRowsDefault)
	o := newOracle(t, reference[0])

	job, err := Prepare(context.Background(), engine, events[0].Schema(), reference)
	if err != nil {
		t.Fatal(err)
	}
	defer job.Release()

	next := 0
	result, err := job.Run(context.Background(), FromBatches(events), Options{
		Consumers: []Consumer{func(_ context.Context, joined arrow.RecordBatch) error {
			o.checkJoined(t, events[next], joined)
			next++
			return nil
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer result.Release()

	o.checkMonths(t, result.Tables[ByStateMonth].Batch)
	o.checkCells(t, result.Tables[ByCell].Batch)
	o.checkRoutes(t, result.Tables[ByRoute].Batch)
}

func (o *oracle) checkJoined(t *testing.T, events, joined arrow.RecordBatch) {
	t.Helper()
	given := joined.Column(2).(*array.Int64)
	for row := range int(events.NumRows()) {
		miles, x, y := o.add(events, row)
		got := func(name string) float64 { return named(joined, name).(*array.Float64).Value(row) }
		if !near(got("miles"), miles) || !near(got("origin_x"), x) || !near(got("origin_y"), y) ||
			!near(got("error_miles"), math.Abs(miles-float64(given.Value(row)))) {
			t.Fatalf("row %d: got %v miles at %v, %v; want %v at %v, %v",
				row, got("miles"), got("origin_x"), got("origin_y"), miles, x, y)
		}
	}
}

func realAt(batch arrow.RecordBatch, name string, row int) float64 {
	return named(batch, name).(*array.Float64).Value(row)
}

func integerAt(batch arrow.RecordBatch, name string, row int) int64 {
	return named(batch, name).(*array.Int64).Value(row)
}

func (o *oracle) checkMonths(t *testing.T, table arrow.RecordBatch) {
	t.Helper()
	if int(table.NumRows()) != len(o.months) {
		t.Errorf("by_state_month: %d groups, want %d", table.NumRows(), len(o.months))
	}
	for row := range int(table.NumRows()) {
		key := stateMonth{table.Column(0).ValueStr(row), integerAt(table, "month", row)}
		want := groupOf(o.months, key)
		if integerAt(table, "n", row) != want.n ||
			integerAt(table, "min_delay", row) != want.minDelay ||
			integerAt(table, "max_delay", row) != want.maxDelay ||
			!near(realAt(table, "mean_delay", row), float64(want.delay)/float64(want.n)) ||
			!near(realAt(table, "late_percent", row), 100*float64(want.late)/float64(want.n)) ||
			!near(realAt(table, "miles", row), want.miles) {
			t.Errorf("by_state_month: %v differs from %+v", key, want)
		}
	}
}

func (o *oracle) checkCells(t *testing.T, table arrow.RecordBatch) {
	t.Helper()
	if int(table.NumRows()) != len(o.cells) {
		t.Errorf("by_cell: %d groups, want %d", table.NumRows(), len(o.cells))
	}
	for row := range int(table.NumRows()) {
		key := [2]int32{
			named(table, "cell_x").(*array.Int32).Value(row),
			named(table, "cell_y").(*array.Int32).Value(row),
		}
		want := groupOf(o.cells, key)
		n := float64(want.n)
		if integerAt(table, "n", row) != want.n ||
			!near(realAt(table, "mean_delay", row), float64(want.delay)/n) ||
			!near(realAt(table, "centroid_x", row), want.sumX/n) ||
			!near(realAt(table, "centroid_y", row), want.sumY/n) {
			t.Errorf("by_cell: %v differs from %+v", key, want)
		}
	}
}

func (o *oracle) checkRoutes(t *testing.T, table arrow.RecordBatch) {
	t.Helper()
	if int(table.NumRows()) != len(o.routes) {
		t.Errorf("by_route: %d groups, want %d", table.NumRows(), len(o.routes))
	}
	for row := range int(table.NumRows()) {
		key := [2]string{table.Column(0).ValueStr(row), table.Column(1).ValueStr(row)}
		want := groupOf(o.routes, key)
		if integerAt(table, "n", row) != want.n ||
			!near(realAt(table, "mean_delay", row), float64(want.delay)/float64(want.n)) {
			t.Errorf("by_route: %v differs from %+v", key, want)
		}
		if row > 0 && integerAt(table, "n", row) > integerAt(table, "n", row-1) {
			t.Errorf("by_route: row %d is out of order", row)
		}
	}
}
