// SPDX-License-Identifier: Apache-2.0

//go:build cgo && linux && (amd64 || arm64) && !tombolo_portable

package cgolink_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/compute"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/bridge/kerneltest"
)

// The rows of one batch and the batches of one pass: enough of both that a branch predictor cannot learn them.
const (
	benchRows    = 65536
	benchBatches = 16
)

// code makes the text of a key: letters as in airport codes, as many as it takes.
func code(key int) string {
	text := []byte{}
	for i := 0; i < 3 || key > 0; i++ {
		text = append(text, byte('A'+key%26))
		key /= 26
	}
	return string(text)
}

// benchColumn makes a column whose rows are keys below count, drawn by random.
func benchColumn(dataType arrow.DataType, rows, count int, random *rand.Rand) arrow.Array {
	if dataType.ID() == arrow.INT64 {
		values := make([]*uint64, rows)
		for i := range values {
			key := uint64(random.IntN(count)) * 2654435761
			values[i] = &key
		}
		return kerneltest.IntegerKeys(dataType, values, 0)
	}
	values := make([]*string, rows)
	for i := range values {
		key := code(random.IntN(count))
		values[i] = &key
	}
	return kerneltest.TextKeys(random, dataType, values, 0)
}

// benchSet makes the set of all keys below count.
func benchSet(dataType arrow.DataType, count int) arrow.RecordBatch {
	random := rand.New(rand.NewPCG(1, 1))
	if dataType.ID() == arrow.INT64 {
		values := make([]*uint64, count)
		for i := range values {
			key := uint64(i) * 2654435761
			values[i] = &key
		}
		return kerneltest.Batch(kerneltest.IntegerKeys(dataType, values, 0))
	}
	values := make([]*string, count)
	for i := range values {
		key := code(i)
		values[i] = &key
	}
	return kerneltest.Batch(kerneltest.TextKeys(random, arrow.BinaryTypes.String, values, 0))
}

func libraryName(library bridge.Library) string {
	if library.Info().Native {
		return fmt.Sprint("native", library.Info().SIMDLevel)
	}
	return "portable"
}

// processTime is the processor time of the process so far: on a shared machine the clock on the wall measures the
// others.
func processTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func perRow(b *testing.B, started time.Duration, rows int) {
	b.ReportMetric(float64(processTime()-started)/float64(b.N)/float64(rows), "ns/row")
}

func BenchmarkIndexIn(b *testing.B) {
	all := libraries(b)
	types := []arrow.DataType{
		arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String, arrow.BinaryTypes.StringView,
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String},
	}
	for _, dataType := range types {
		for _, count := range []int{3376, 65536} {
			set := benchSet(dataType, count)
			random := rand.New(rand.NewPCG(2, uint64(count)))
			var batches []arrow.RecordBatch
			for range benchBatches {
				batches = append(batches, kerneltest.Batch(benchColumn(dataType, benchRows, count+count/8, random)))
			}
			for _, library := range all {
				b.Run(fmt.Sprintf("%s/set=%d/%s", dataType.ID(), count, libraryName(library)), func(b *testing.B) {
					benchIndexIn(b, library, set, batches)
				})
			}
			if dataType.ID() != arrow.DICTIONARY && dataType.ID() != arrow.STRING_VIEW {
				b.Run(fmt.Sprintf("%s/set=%d/arrow-go", dataType.ID(), count), func(b *testing.B) {
					benchIsIn(b, set, batches)
				})
				b.Run(fmt.Sprintf("%s/set=%d/map", dataType.ID(), count), func(b *testing.B) {
					benchMap(b, set, batches)
				})
			}
			for _, batch := range batches {
				batch.Release()
			}
			set.Release()
		}
	}
}

func benchIndexIn(b *testing.B, library bridge.Library, set arrow.RecordBatch, batches []arrow.RecordBatch) {
	ctx := context.Background()
	object, err := library.Prepare(ctx, "value_set", set)
	if err != nil {
		b.Fatal(err)
	}
	defer object.Release()
	bound, err := library.Bind(ctx, "index_in", []*arrow.Schema{batches[0].Schema()},
		bridge.Option{Name: "value_set", Value: object})
	if err != nil {
		b.Fatal(err)
	}
	defer bound.Release()
	started := processTime()
	for b.Loop() {
		for _, batch := range batches {
			result, err := bound.Run(ctx, batch)
			if err != nil {
				b.Fatal(err)
			}
			result.Release()
		}
	}
	perRow(b, started, benchRows*len(batches))
}

// benchIsIn times arrow-go's is_in, which builds its set on every call: subtract the time of an empty batch.
func benchIsIn(b *testing.B, set arrow.RecordBatch, batches []arrow.RecordBatch) {
	ctx := context.Background()
	options := &compute.SetOptions{ValueSet: compute.NewDatumWithoutOwning(set.Column(0))}
	empty := batches[0].Column(0)
	empty = array.NewSlice(empty, 0, 0)
	defer empty.Release()
	one := func(column arrow.Array) {
		result, err := compute.CallFunction(ctx, "is_in", options, compute.NewDatumWithoutOwning(column))
		if err != nil {
			b.Skip(err)
		}
		result.Release()
	}
	started := processTime()
	for b.Loop() {
		for _, batch := range batches {
			one(batch.Column(0))
		}
	}
	full := float64(processTime()-started) / float64(b.N*len(batches))
	started = processTime()
	for range benchBatches {
		one(empty)
	}
	build := (processTime() - started) / benchBatches
	b.ReportMetric((full-float64(build))/benchRows, "ns/row")
}

func benchMap(b *testing.B, set arrow.RecordBatch, batches []arrow.RecordBatch) {
	positions := make([]int32, benchRows)
	started := processTime()
	switch column := set.Column(0).(type) {
	case *array.Int64:
		known := map[int64]int32{}
		for i, value := range column.Int64Values() {
			known[value] = int32(i)
		}
		started = processTime()
		for b.Loop() {
			for _, batch := range batches {
				for i, value := range batch.Column(0).(*array.Int64).Int64Values() {
					position, ok := known[value]
					if !ok {
						position = -1
					}
					positions[i] = position
				}
			}
		}
	case *array.String:
		known := map[string]int32{}
		for i := range column.Len() {
			known[column.Value(i)] = int32(i)
		}
		started = processTime()
		for b.Loop() {
			for _, batch := range batches {
				texts := batch.Column(0).(*array.String)
				for i := range texts.Len() {
					position, ok := known[texts.Value(i)]
					if !ok {
						position = -1
					}
					positions[i] = position
				}
			}
		}
	}
	perRow(b, started, benchRows*len(batches))
}

func BenchmarkGroupBy(b *testing.B) {
	all := libraries(b)
	text := arrow.BinaryTypes.String
	coded := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: text}
	long := arrow.PrimitiveTypes.Int64
	cases := []struct {
		keys  []arrow.DataType
		sizes []int
	}{
		{[]arrow.DataType{long}, []int{16}}, {[]arrow.DataType{long}, []int{3399}},
		{[]arrow.DataType{long}, []int{65536}}, {[]arrow.DataType{long}, []int{2000000}},
		{[]arrow.DataType{text}, []int{3399}}, {[]arrow.DataType{coded}, []int{3399}},
		{[]arrow.DataType{text, long}, []int{52, 6}}, {[]arrow.DataType{text, text}, []int{229, 228}},
		{[]arrow.DataType{coded, coded}, []int{229, 228}}, {[]arrow.DataType{text, text}, []int{3000, 3000}},
	}
	aggregates := map[string][]string{
		"sum": {"sum:%d:sum"},
		"job": {"count:-1:n", "mean:%[2]d:mean", "min:%[2]d:min", "max:%[2]d:max", "count_if:%[3]d:late", "sum:%[1]d:sum"},
	}
	for _, c := range cases {
		random := rand.New(rand.NewPCG(3, uint64(c.sizes[0])))
		var batches []arrow.RecordBatch
		for range benchBatches {
			var columns []arrow.Array
			for i, dataType := range c.keys {
				columns = append(columns, benchColumn(dataType, benchRows, c.sizes[i], random))
			}
			columns = append(columns, benchFloats(random), benchColumn(long, benchRows, 1000, random), benchBools(random))
			batches = append(batches, kerneltest.Batch(columns...))
		}
		for name, texts := range aggregates {
			var options []bridge.Option
			label := ""
			for i := range c.keys {
				options = append(options, bridge.Option{Name: "key", Value: int64(i)})
				label += fmt.Sprintf("%s:%d,", c.keys[i].ID(), c.sizes[i])
			}
			n := len(c.keys)
			for _, text := range texts {
				given := text
				if text != "count:-1:n" {
					given = fmt.Sprintf(text+"%[4]s", n, n+1, n+2, "")
				}
				options = append(options, bridge.Option{Name: "aggregate", Value: given})
			}
			for _, library := range all {
				b.Run(fmt.Sprintf("%s/%s/%s", label, name, libraryName(library)), func(b *testing.B) {
					benchGroup(b, library, options, batches)
				})
			}
		}
		if len(c.keys) == 1 && c.keys[0].ID() == arrow.INT64 {
			b.Run(fmt.Sprintf("INT64:%d,/sum/map", c.sizes[0]), func(b *testing.B) { benchGroupMap(b, batches) })
		}
		for _, batch := range batches {
			batch.Release()
		}
	}
}

func benchFloats(random *rand.Rand) arrow.Array {
	builder := array.NewFloat64Builder(memory.DefaultAllocator)
	defer builder.Release()
	for range benchRows {
		builder.Append(random.Float64() * 1000)
	}
	return builder.NewArray()
}

func benchBools(random *rand.Rand) arrow.Array {
	builder := array.NewBooleanBuilder(memory.DefaultAllocator)
	defer builder.Release()
	for range benchRows {
		builder.Append(random.IntN(4) == 0)
	}
	return builder.NewArray()
}

// benchGroup times passes over all batches by one state, after a first that meets every group.
func benchGroup(b *testing.B, library bridge.Library, options []bridge.Option, batches []arrow.RecordBatch) {
	ctx := context.Background()
	bound, err := library.Bind(ctx, "group_by", []*arrow.Schema{batches[0].Schema()}, options...)
	if err != nil {
		b.Fatal(err)
	}
	defer bound.Release()
	state, err := bound.NewState(ctx)
	if err != nil {
		b.Fatal(err)
	}
	defer state.Close()
	pass := func() {
		for _, batch := range batches {
			if err := state.Consume(ctx, batch); err != nil {
				b.Fatal(err)
			}
		}
	}
	pass()
	started := processTime()
	for b.Loop() {
		pass()
	}
	perRow(b, started, benchRows*len(batches))
}

func benchGroupMap(b *testing.B, batches []arrow.RecordBatch) {
	sums := map[int64]float64{}
	started := processTime()
	for b.Loop() {
		for _, batch := range batches {
			values := batch.Column(1).(*array.Float64).Float64Values()
			for i, key := range batch.Column(0).(*array.Int64).Int64Values() {
				sums[key] += values[i]
			}
		}
	}
	perRow(b, started, benchRows*len(batches))
}
