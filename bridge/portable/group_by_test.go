// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"pgregory.net/rapid"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/bridge/kerneltest"
)

// oracle groups rows by a map, a value at a time. Rows are those of the first state and then of a merged one.
type oracle struct {
	order  []string
	groups map[string]*oracleGroup
}

type oracleGroup struct {
	keys []any
	rows [2][]oracleRow
}

type oracleRow struct {
	batch arrow.RecordBatch
	row   int
}

func newOracle(keys int, states [2][]arrow.RecordBatch) *oracle {
	o := &oracle{groups: map[string]*oracleGroup{}}
	for state, batches := range states {
		for _, batch := range batches {
			for row := range int(batch.NumRows()) {
				o.add(state, keys, oracleRow{batch, row})
			}
		}
	}
	return o
}

func (o *oracle) add(state, keys int, at oracleRow) {
	values := make([]any, keys)
	var name strings.Builder
	for i := range values {
		values[i] = kerneltest.Value(at.batch.Column(i), at.row)
		name.WriteString(quoted(values[i]) + "|")
	}
	group := o.groups[name.String()]
	if group == nil {
		group = &oracleGroup{keys: values}
		o.groups[name.String()] = group
		o.order = append(o.order, name.String())
	}
	group.rows[state] = append(group.rows[state], at)
}

func quoted(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	default:
		return strconv.Quote(v.(string))
	}
}

// aggregate computes "function:column:name" for one group as kerneltest.Value shows it.
func (g *oracleGroup) aggregate(spec string) any {
	function, rest, _ := strings.Cut(spec, ":")
	position, _, _ := strings.Cut(rest, ":")
	column, _ := strconv.Atoi(position)
	rows := append(append([]oracleRow{}, g.rows[0]...), g.rows[1]...)
	if column < 0 {
		return kerneltest.Bits(int64(len(rows)), 8)
	}
	var present []oracleRow
	for _, at := range rows {
		if kerneltest.Value(at.batch.Column(column), at.row) != nil {
			present = append(present, at)
		}
	}
	switch {
	case function == "count":
		return kerneltest.Bits(int64(len(present)), 8)
	case function == "count_if":
		count := int64(0)
		for _, at := range present {
			if kerneltest.Value(at.batch.Column(column), at.row) == true {
				count++
			}
		}
		return kerneltest.Bits(count, 8)
	case len(present) == 0:
		return nil
	case function == "sum" || function == "mean":
		return g.total(function, column, len(present))
	}
	return bestOf(function, column, present)
}

func (g *oracleGroup) total(function string, column, count int) any {
	if isFloat(g.anyRow().batch.Column(column).DataType()) {
		return math.Float64bits(g.floatTotal(function, column, count))
	}
	sum := new(big.Int)
	for _, at := range append(append([]oracleRow{}, g.rows[0]...), g.rows[1]...) {
		if kerneltest.Value(at.batch.Column(column), at.row) != nil {
			sum.Add(sum, kerneltest.Plain(at.batch.Column(column), at.row).(*big.Int))
		}
	}
	if function == "mean" {
		rounded, _ := new(big.Float).SetInt(sum).Float64()
		return math.Float64bits(rounded / float64(count))
	}
	bytes := make([]byte, 8)
	modulus := new(big.Int).Lsh(big.NewInt(1), 64)
	binary.LittleEndian.PutUint64(bytes, sum.Mod(sum, modulus).Uint64())
	return string(bytes)
}

func (g *oracleGroup) anyRow() oracleRow {
	if len(g.rows[0]) > 0 {
		return g.rows[0][0]
	}
	return g.rows[1][0]
}

func (g *oracleGroup) floatTotal(function string, column, count int) float64 {
	var sum, lost [2]float64
	add := func(i int, value float64) {
		total := sum[i] + value
		if math.Abs(sum[i]) >= math.Abs(value) {
			lost[i] += (sum[i] - total) + value
		} else {
			lost[i] += (value - total) + sum[i]
		}
		sum[i] = total
	}
	for i, rows := range g.rows {
		for _, at := range rows {
			if kerneltest.Value(at.batch.Column(column), at.row) != nil {
				add(i, kerneltest.Plain(at.batch.Column(column), at.row).(float64))
			}
		}
	}
	add(0, sum[1])
	result := sum[0]
	if !math.IsNaN(result) && !math.IsInf(result, 0) {
		result += lost[0] + lost[1]
	}
	if function == "mean" {
		result /= float64(count)
	}
	if math.IsNaN(result) {
		return math.Float64frombits(0x7FF8000000000000)
	}
	return result
}

func bestOf(function string, column int, rows []oracleRow) any {
	best := rows[0]
	for _, at := range rows[1:] {
		order := compareFirst(kerneltest.Plain(at.batch.Column(column), at.row),
			kerneltest.Plain(best.batch.Column(column), best.row))
		if (function == "min" && order < 0) || (function == "max" && order > 0) || order == bestIsNaN {
			best = at
		}
	}
	switch value := kerneltest.Value(best.batch.Column(column), best.row).(type) {
	case uint64:
		if math.IsNaN(math.Float64frombits(value)) {
			return uint64(0x7FF8000000000000)
		}
		return value
	case uint32:
		if f := math.Float32frombits(value); f != f {
			return uint32(0x7FC00000)
		}
		return value
	default:
		return value
	}
}

const bestIsNaN = 2

// compareFirst orders two values; a NaN is never better, and bestIsNaN when b is one.
func compareFirst(a, b any) int {
	switch x := a.(type) {
	case *big.Int:
		return x.Cmp(b.(*big.Int))
	case string:
		return strings.Compare(x, b.(string))
	}
	x, y := a.(float64), b.(float64)
	switch {
	case math.IsNaN(y):
		return bestIsNaN
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

func TestGroupByIsTheOracle(t *testing.T) {
	l := openLibrary(t)
	keyTypes := append(append([]arrow.DataType{}, kerneltest.TextTypes...), kerneltest.IntegerKeyTypes...)
	rapid.Check(t, func(t *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		var types []arrow.DataType
		for range rapid.IntRange(1, 2).Draw(t, "keys") {
			types = append(types, rapid.SampledFrom(keyTypes).Draw(t, "type"))
		}
		nulls := kerneltest.Nulls(rapid.IntRange(0, 2).Draw(t, "nulls"))
		pool := kerneltest.NewKeyPool(random, rapid.IntRange(1, 90).Draw(t, "pool"))
		var states [2][]arrow.RecordBatch
		for range rapid.IntRange(1, 4).Draw(t, "batches") {
			state := rapid.IntRange(0, 1).Draw(t, "state")
			batch := pool.GroupBatch(random, types, rapid.IntRange(0, 90).Draw(t, "rows"), nulls)
			defer batch.Release()
			states[state] = append(states[state], batch)
		}
		aggregates := kerneltest.GroupAggregates(random, len(types))
		result := groupStates(t, l, len(types), aggregates, states)
		defer result.Release()
		kerneltest.CheckShape(t, result)
		compareOracle(t, newOracle(len(types), states), len(types), aggregates, result)
	})
}

func compareOracle(t *rapid.T, o *oracle, keys int, aggregates []string, result arrow.RecordBatch) {
	if int(result.NumRows()) != len(o.order) {
		t.Fatalf("%d groups, want %d", result.NumRows(), len(o.order))
	}
	for row, name := range o.order {
		group := o.groups[name]
		for i, want := range group.keys {
			if got := kerneltest.Value(result.Column(i), row); got != want {
				t.Fatalf("group %d: key %d is %q, want %q", row, i, got, want)
			}
		}
		for i, spec := range aggregates {
			got, want := kerneltest.Value(result.Column(keys+i), row), group.aggregate(spec)
			if got != want {
				t.Fatalf("group %d: %s is %x, want %x", row, spec, got, want)
			}
		}
	}
}

func groupStates(
	t *rapid.T, l bridge.Library, keys int, aggregates []string, states [2][]arrow.RecordBatch,
) arrow.RecordBatch {
	var options []bridge.Option
	for i := range keys {
		options = append(options, bridge.Option{Name: "key", Value: int64(i)})
	}
	for _, text := range aggregates {
		options = append(options, bridge.Option{Name: "aggregate", Value: text})
	}
	schema := append(append([]arrow.RecordBatch{}, states[0]...), states[1]...)[0].Schema()
	bound, err := l.Bind(context.Background(), "group_by", []*arrow.Schema{schema}, options...)
	if err != nil {
		t.Fatal(err)
	}
	defer bound.Release()

	var opened [2]bridge.State
	for i, batches := range states {
		if opened[i], err = bound.NewState(context.Background()); err != nil {
			t.Fatal(err)
		}
		defer opened[i].Close()
		for _, batch := range batches {
			if err := opened[i].Consume(context.Background(), batch); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := opened[0].Merge(context.Background(), opened[1]); err != nil {
		t.Fatal(err)
	}
	result, err := opened[0].Finish(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func TestGroupByRefuses(t *testing.T) {
	l := openLibrary(t)
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "i", Type: arrow.PrimitiveTypes.Int64}, {Name: "f", Type: arrow.PrimitiveTypes.Float64},
		{Name: "s", Type: arrow.BinaryTypes.String}, {Name: "b", Type: arrow.FixedWidthTypes.Boolean},
		{Name: "l", Type: arrow.ListOf(arrow.PrimitiveTypes.Int8)},
	}, nil)
	key := func(column int64) bridge.Option { return bridge.Option{Name: "key", Value: column} }
	aggregate := func(text string) bridge.Option { return bridge.Option{Name: "aggregate", Value: text} }
	cases := map[string]struct {
		options []bridge.Option
		want    error
		column  int
	}{
		"no key":            {nil, bridge.ErrInvalid, -1},
		"three keys":        {[]bridge.Option{key(0), key(2), key(3)}, bridge.ErrInvalid, -1},
		"float key":         {[]bridge.Option{key(1)}, bridge.ErrType, 1},
		"list key":          {[]bridge.Option{key(0), key(4)}, bridge.ErrType, 4},
		"key past the end":  {[]bridge.Option{key(5)}, bridge.ErrInvalid, 5},
		"negative key":      {[]bridge.Option{key(-1)}, bridge.ErrInvalid, -1},
		"huge key":          {[]bridge.Option{key(1 << 40)}, bridge.ErrInvalid, -1},
		"key of text":       {[]bridge.Option{{Name: "key", Value: "0"}}, bridge.ErrInvalid, -1},
		"no colon":          {[]bridge.Option{key(0), aggregate("count")}, bridge.ErrInvalid, -1},
		"one colon":         {[]bridge.Option{key(0), aggregate("count:0")}, bridge.ErrInvalid, -1},
		"column not number": {[]bridge.Option{key(0), aggregate("count:a:n")}, bridge.ErrInvalid, -1},
		"column with plus":  {[]bridge.Option{key(0), aggregate("count:+1:n")}, bridge.ErrInvalid, -1},
		"column too long":   {[]bridge.Option{key(0), aggregate("count:0000000001:n")}, bridge.ErrInvalid, -1},
		"column past end":   {[]bridge.Option{key(0), aggregate("sum:5:n")}, bridge.ErrInvalid, 5},
		"sum of all rows":   {[]bridge.Option{key(0), aggregate("sum:-1:n")}, bridge.ErrInvalid, -1},
		"count_all of one":  {[]bridge.Option{key(0), aggregate("count_all:1:n")}, bridge.ErrInvalid, -1},
		"unknown function":  {[]bridge.Option{key(0), aggregate("median:0:n")}, bridge.ErrInvalid, -1},
		"sum of text":       {[]bridge.Option{key(0), aggregate("sum:2:n")}, bridge.ErrType, 2},
		"count_if of int":   {[]bridge.Option{key(0), aggregate("count_if:0:n")}, bridge.ErrType, 0},
		"min of bool":       {[]bridge.Option{key(0), aggregate("min:3:n")}, bridge.ErrType, 3},
		"key twice":         {[]bridge.Option{key(0), key(0)}, bridge.ErrInvalid, -1},
		"name twice":        {[]bridge.Option{key(0), aggregate("sum:1:n"), aggregate("min:1:n")}, bridge.ErrInvalid, -1},
		"name of a key":     {[]bridge.Option{key(0), aggregate("sum:1:i")}, bridge.ErrInvalid, -1},
		"no name twice":     {[]bridge.Option{key(0), aggregate("sum:1:"), aggregate("min:1:")}, bridge.ErrInvalid, -1},
		"unknown option":    {[]bridge.Option{key(0), {Name: "keys", Value: int64(1)}}, bridge.ErrInvalid, -1},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			bound, err := l.Bind(t.Context(), "group_by", []*arrow.Schema{schema}, c.options...)
			if err == nil {
				bound.Release()
			}
			if !errors.Is(err, c.want) {
				t.Fatalf("got %v, want %v", err, c.want)
			}
			var kernelError *bridge.Error
			if errors.As(err, &kernelError) && kernelError.Column != c.column {
				t.Fatalf("column %d, want %d", kernelError.Column, c.column)
			}
		})
	}
}

func TestKeyNumbersHaveALimit(t *testing.T) {
	l := Open(bridge.Config{Allocator: memory.DefaultAllocator}).(*library)
	c := l.newCall(t.Context(), "group_by")
	batch := int64Batch(t, 1, 2, 3, 1)
	defer batch.Release()

	for limit, want := range map[int]bridge.Code{2: bridge.CodeOverflow, 3: 0} {
		single := newGroupState(&groupBy{keys: []int{0}, kinds: []keyKind{keyInteger}})
		single.keys[0].limit = limit
		pairs := newGroupState(&groupBy{keys: []int{0, 0}, kinds: []keyKind{keyInteger, keyInteger}})
		pairs.pairs.limit = limit
		for _, s := range []*groupState{single, pairs} {
			err := s.consume(c, batch)
			var kernelError *bridge.Error
			if errors.As(err, &kernelError); (kernelError == nil) != (want == 0) || (want != 0 && kernelError.Code != want) {
				t.Errorf("limit %d: %v", limit, err)
			}
			// A state whose call failed midway takes no more.
			if err != nil && !errors.Is(s.consume(c, batch), bridge.ErrInvalid) {
				t.Error("a broken state was used")
			}
		}
	}
}

func TestEqualHashesStayApart(t *testing.T) {
	// With known seeds a long text that begins with the factor's bytes has one tag, whatever follows; with a factor of
	// 0 every key starts at slot 0.
	prefix := "aaaaaaaa"
	set := newKeySet(keyText)
	set.table.seeds = hashSeeds{3: binary.LittleEndian.Uint64([]byte(prefix))}
	words := kerneltest.TextWords(rand.New(rand.NewPCG(1, 2)), 1000)
	for i := range 1000 {
		words = append(words, prefix+strconv.Itoa(i%700))
		if tag := tagOf([]byte(words[len(words)-1]), &set.table.seeds); tag != textLong {
			t.Fatalf("%q has tag %x", words[len(words)-1], tag)
		}
	}
	numbers := map[string]int32{}
	for _, word := range words {
		number := set.numberOfText(tagOf([]byte(word), &set.table.seeds), []byte(word))
		if known, ok := numbers[word]; ok && known != number {
			t.Fatalf("%q has numbers %d and %d", word, known, number)
		} else if !ok && int(number) != len(numbers) {
			t.Fatalf("%q has number %d, want %d", word, number, len(numbers))
		}
		numbers[word] = number
	}
}

func TestWideRoundsOnce(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 9))
	for range 20000 {
		w := wide{low: random.Uint64(), high: random.Uint64() >> random.IntN(64)}
		if random.IntN(2) == 0 {
			w.low &= w.low << random.IntN(64) // long runs of zeros: the ties
		}
		if random.IntN(2) == 0 {
			w.high = -w.high
		}
		exact := new(big.Int).Lsh(big.NewInt(int64(w.high)), 64)
		exact.Add(exact, new(big.Int).SetUint64(w.low))
		want, _ := new(big.Float).SetInt(exact).Float64()
		if got := w.float(); got != want {
			t.Fatalf("%v is %v, want %v", exact, got, want)
		}
	}
}
