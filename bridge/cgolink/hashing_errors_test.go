// SPDX-License-Identifier: Apache-2.0

//go:build cgo && linux && (amd64 || arm64) && !tombolo_portable

package cgolink_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/bridge/kerneltest"
)

// expect checks code and column of an error.
func expect(t *testing.T, library bridge.Library, err error, code bridge.Code, column int) {
	t.Helper()
	var kernelError *bridge.Error
	if !errors.As(err, &kernelError) {
		t.Errorf("%s: %v is no kernel error", libraryName(library), err)
		return
	}
	if kernelError.Code != code || kernelError.Column != column {
		t.Errorf("%s: %v (code %d, column %d), want code %d, column %d", libraryName(library), err,
			kernelError.Code, kernelError.Column, code, column)
	}
}

// coded makes a dictionary column of int8 codes over size values.
func coded(size int, codes ...int8) arrow.Array {
	words := make([]*string, size)
	for i := range words {
		word := fmt.Sprint("word ", i)
		words[i] = &word
	}
	dictionary := kerneltest.TextKeys(nil, arrow.BinaryTypes.String, words, 0)
	defer dictionary.Release()
	builder := array.NewInt8Builder(memory.DefaultAllocator)
	defer builder.Release()
	builder.AppendValues(codes, nil)
	indices := builder.NewArray()
	defer indices.Release()
	return array.NewDictionaryArray(
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String},
		indices, dictionary)
}

func words(values ...string) arrow.Array {
	rows := make([]*string, len(values))
	for i := range values {
		rows[i] = &values[i]
	}
	return kerneltest.TextKeys(nil, arrow.BinaryTypes.String, rows, 0)
}

func numbers(dataType arrow.DataType, values ...uint64) arrow.Array {
	rows := make([]*uint64, len(values))
	for i := range values {
		rows[i] = &values[i]
	}
	return kerneltest.IntegerKeys(dataType, rows, 0)
}

func TestValueSetRefuses(t *testing.T) {
	all := libraries(t)
	floats := array.NewFloat64Builder(memory.DefaultAllocator)
	defer floats.Release()
	floats.Append(1)
	cases := []struct {
		name   string
		set    arrow.RecordBatch
		code   bridge.Code
		column int
	}{
		{"text twice", kerneltest.Batch(words("a", "b", "a")), bridge.CodeInvalid, 0},
		{"long text twice", kerneltest.Batch(words("a long text of 20 b.", "a long text of 20 b.")), bridge.CodeInvalid, 0},
		{"number twice", kerneltest.Batch(numbers(arrow.PrimitiveTypes.Int8, 1, 2, 2)), bridge.CodeInvalid, 0},
		{"code twice", kerneltest.Batch(coded(3, 0, 1, 0)), bridge.CodeInvalid, 0},
		{"two nulls", kerneltest.Batch(kerneltest.IntegerKeys(arrow.PrimitiveTypes.Int16, []*uint64{nil, nil}, 0)),
			bridge.CodeInvalid, 0},
		{"code outside", kerneltest.Batch(coded(3, 0, 3)), bridge.CodeIndex, 0},
		{"negative code", kerneltest.Batch(coded(300, 0, -1)), bridge.CodeIndex, 0},
		{"two columns", kerneltest.Batch(words("a"), words("b")), bridge.CodeInvalid, -1},
		{"floats", kerneltest.Batch(floats.NewArray()), bridge.CodeType, 0},
		{"dates", kerneltest.Batch(numbers(arrow.FixedWidthTypes.Date32, 1)), bridge.CodeType, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for _, library := range all {
				object, err := library.Prepare(t.Context(), "value_set", c.set)
				if err == nil {
					object.Release()
				}
				expect(t, library, err, c.code, c.column)
			}
		})
		c.set.Release()
	}
}

func TestIndexInRefuses(t *testing.T) {
	all := libraries(t)
	set := kerneltest.Batch(words("a", "b"))
	defer set.Release()
	bad := kerneltest.Batch(coded(300, 0, 5, -1))
	defer bad.Release()
	for _, library := range all {
		object, err := library.Prepare(t.Context(), "value_set", set)
		if err != nil {
			t.Fatal(err)
		}
		option := bridge.Option{Name: "value_set", Value: object}
		integers := arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int64}}, nil)
		two := arrow.NewSchema([]arrow.Field{
			{Name: "a", Type: arrow.BinaryTypes.String}, {Name: "b", Type: arrow.BinaryTypes.String},
		}, nil)
		bind := func(schema *arrow.Schema, options ...bridge.Option) error {
			bound, err := library.Bind(t.Context(), "index_in", []*arrow.Schema{schema}, options...)
			if err == nil {
				bound.Release()
			}
			return err
		}
		expect(t, library, bind(set.Schema()), bridge.CodeInvalid, -1)
		expect(t, library, bind(integers, option), bridge.CodeType, 0)
		expect(t, library, bind(two, option), bridge.CodeInvalid, -1)

		bound, err := library.Bind(t.Context(), "index_in", []*arrow.Schema{bad.Schema()}, option)
		object.Release()
		if err != nil {
			t.Fatal(err)
		}
		_, err = bound.Run(t.Context(), bad)
		expect(t, library, err, bridge.CodeIndex, 0)
		cancelled, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := bound.Run(cancelled, bad); !errors.Is(err, bridge.ErrCancelled) {
			t.Errorf("%s: %v, want a cancel", libraryName(library), err)
		}
		bound.Release()
	}
}

// A key with the top bit set is large in uint64 and negative elsewhere: never the same.
func TestIndexInKeepsSignsApart(t *testing.T) {
	all := libraries(t)
	p := arrow.PrimitiveTypes
	top, minusOne := uint64(1)<<63, ^uint64(0)
	cases := []struct {
		set, column arrow.DataType
		want        []any
	}{
		{p.Uint64, p.Int64, []any{nil, nil, kerneltest.Bits(2, 4)}},
		{p.Int64, p.Uint64, []any{nil, nil, kerneltest.Bits(2, 4)}},
		{p.Uint64, p.Uint64, []any{kerneltest.Bits(0, 4), kerneltest.Bits(1, 4), kerneltest.Bits(2, 4)}},
		{p.Int64, p.Int64, []any{kerneltest.Bits(0, 4), kerneltest.Bits(1, 4), kerneltest.Bits(2, 4)}},
		{p.Int64, p.Int8, []any{nil, kerneltest.Bits(1, 4), kerneltest.Bits(2, 4)}},
	}
	for _, c := range cases {
		set := kerneltest.Batch(numbers(c.set, top, minusOne, 7))
		batch := kerneltest.Batch(numbers(c.column, top, minusOne, 7))
		for _, library := range all {
			result := indexIn(t, library, set, batch)
			for i, want := range c.want {
				// Cut to eight bits the first key is 0, which is not in the set.
				if got := kerneltest.Value(result.Column(0), i); got != want {
					t.Errorf("%s: %s in %s, row %d: %x, want %x", libraryName(library), c.column, c.set, i, got, want)
				}
			}
			result.Release()
		}
		set.Release()
		batch.Release()
	}
}

func TestGroupByRefusesCodesAndStaysBroken(t *testing.T) {
	all := libraries(t)
	good := kerneltest.Batch(coded(3, 0, 1, 2), numbers(arrow.PrimitiveTypes.Int64, 1, 2, 3))
	defer good.Release()
	for name, bad := range map[string]arrow.RecordBatch{
		"key":       kerneltest.Batch(coded(300, 0, 2, -1), numbers(arrow.PrimitiveTypes.Int64, 1, 2, 3)),
		"aggregate": kerneltest.Batch(numbers(arrow.PrimitiveTypes.Int64, 1, 2, 3), coded(3, 0, 2, 3)),
	} {
		key, column := int64(0), 0
		if name == "aggregate" {
			column = 1
		}
		for _, library := range all {
			bound, err := library.Bind(t.Context(), "group_by", []*arrow.Schema{bad.Schema()},
				bridge.Option{Name: "key", Value: key},
				bridge.Option{Name: "aggregate", Value: fmt.Sprintf("count:%d:n", column)})
			if err != nil {
				t.Fatal(err)
			}
			state, err := bound.NewState(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			expect(t, library, state.Consume(t.Context(), bad), bridge.CodeIndex, column)
			_, err = state.Finish(t.Context())
			expect(t, library, err, bridge.CodeInvalid, -1)
			state.Close()
			bound.Release()
		}
		bad.Release()
	}
}

// Texts that fill the last bytes of their buffer must not be read past it, whatever is behind.
func TestTextsAtTheEndOfTheirBuffer(t *testing.T) {
	all := libraries(t)
	for size := range 40 {
		word := make([]byte, size)
		for i := range word {
			word[i] = byte('a' + i%26)
		}
		set := kerneltest.Batch(words("x", string(word)+"y", string(word)))
		batch := kerneltest.Batch(words(string(word)))
		for _, library := range all {
			result := indexIn(t, library, set, batch)
			if got := kerneltest.Value(result.Column(0), 0); got != kerneltest.Bits(2, 4) {
				t.Errorf("%s: %d bytes: %x", libraryName(library), size, got)
			}
			result.Release()
		}
		set.Release()
		batch.Release()
	}
}

// FuzzTextKeys cuts texts out of arbitrary bytes and compares every library on them, as a set and as group keys.
func FuzzTextKeys(f *testing.F) {
	f.Add([]byte("a\x00b\xff\x07seven b\x08eight by"), uint64(1))
	f.Add([]byte{}, uint64(2))
	f.Add([]byte("\x10sixteen bytes ok\x11seventeen bytes ok\x10sixteen bytes ok"), uint64(3))
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		random := rand.New(rand.NewPCG(seed, 0))
		var rows []*string
		for len(data) > 0 && len(rows) < 5000 {
			size := min(int(data[0])&63, len(data)-1)
			word := string(data[1 : 1+size])
			rows = append(rows, &word)
			if data[0] > 250 {
				rows = append(rows, nil)
			}
			data = data[1+size:]
		}
		all := libraries(t)
		dataType := kerneltest.TextTypes[int(seed%3)]
		other := kerneltest.TextTypes[int(seed/3%3)]
		set := kerneltest.Distinct(kerneltest.TextKeys(random, dataType, rows, int(seed%9)))
		defer set.Release()
		batch := kerneltest.Batch(kerneltest.TextKeys(random, other, rows, int(seed%7)))
		defer batch.Release()
		var want arrow.RecordBatch
		for i, library := range all {
			got := indexIn(t, library, set, batch)
			if i == 0 {
				want = got
				continue
			}
			kerneltest.CheckEqual(t, got, want)
			got.Release()
		}
		want.Release()
		batch.Retain() // compareGroups releases its batches
		compareGroups(t, all, &groupCase{
			schema:  batch.Schema(),
			options: []bridge.Option{{Name: "key", Value: int64(0)}, {Name: "aggregate", Value: "max:0:m"}},
			first:   []arrow.RecordBatch{batch},
		}, 3)
	})
}

// TestGroupByRefusesAlike binds what is wrong in some way or not: codes and columns are the portable ones.
func TestGroupByRefusesAlike(t *testing.T) {
	all := libraries(t)
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "i", Type: arrow.PrimitiveTypes.Int64}, {Name: "f", Type: arrow.PrimitiveTypes.Float64},
		{Name: "s", Type: arrow.BinaryTypes.String}, {Name: "b", Type: arrow.FixedWidthTypes.Boolean},
		{Name: "l", Type: arrow.ListOf(arrow.PrimitiveTypes.Int8)}, {Name: "n", Type: arrow.Null},
		{Name: "d", Type: &arrow.Decimal128Type{Precision: 9}}, {Name: "t", Type: arrow.FixedWidthTypes.Time32s},
		{Name: "c", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.PrimitiveTypes.Int64}},
		{Name: "u", Type: arrow.FixedWidthTypes.Timestamp_ns},
	}, nil)
	var sets [][]bridge.Option
	for key := int64(-2); key < 12; key++ {
		sets = append(sets, []bridge.Option{{Name: "key", Value: key}})
	}
	sets = append(sets, nil, []bridge.Option{{Name: "key", Value: int64(1) << 40}},
		[]bridge.Option{{Name: "key", Value: "0"}}, []bridge.Option{{Name: "key", Value: int64(0)}, {Name: "what", Value: "0"}})
	for _, function := range []string{"count", "count_all", "count_if", "sum", "mean", "min", "max", "median", "", "Count"} {
		for _, column := range []string{"-2", "-1", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "+1", "", "x", "0000000001"} {
			for _, name := range []string{":n", ":", "::", ""} {
				sets = append(sets, []bridge.Option{
					{Name: "key", Value: int64(0)}, {Name: "aggregate", Value: function + ":" + column + name},
				})
			}
		}
	}
	for _, names := range [][]string{{"n", "n"}, {"", ""}, {"n", "N"}, {"n", "m", "n"}, {schema.Field(0).Name}} {
		options := []bridge.Option{{Name: "key", Value: int64(0)}}
		for _, name := range names {
			options = append(options, bridge.Option{Name: "aggregate", Value: "count:-1:" + name})
		}
		sets = append(sets, options)
	}
	sets = append(sets, []bridge.Option{{Name: "key", Value: int64(0)}, {Name: "key", Value: int64(0)}})
	refused := 0
	for _, options := range sets {
		var want *bridge.Error
		for i, library := range all {
			bound, err := library.Bind(t.Context(), "group_by", []*arrow.Schema{schema}, options...)
			var got *bridge.Error
			if err == nil {
				bound.Release()
			} else if !errors.As(err, &got) {
				t.Fatal(err)
			}
			if i == 0 {
				want = got
				continue
			}
			if (got == nil) != (want == nil) || (got != nil && (got.Code != want.Code || got.Column != want.Column)) {
				t.Errorf("%s, %v: %v, want %v", libraryName(library), options, err, want)
			}
		}
		if want != nil {
			refused++
		}
	}
	if refused == 0 || refused == len(sets) {
		t.Errorf("%d of %d refused", refused, len(sets))
	}
}
