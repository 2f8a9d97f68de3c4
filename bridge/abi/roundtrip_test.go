// SPDX-License-Identifier: Apache-2.0

package abi

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	arrowmemory "github.com/apache/arrow-go/v18/arrow/memory"
	"pgregory.net/rapid"

	"github.com/tombolo-arrow/tombolo/bridge/conformance"
	"github.com/tombolo-arrow/tombolo/ownership/buildtag"
)

// crossSchema sends a field through C structs.
func (w *world) crossSchema(t testing.TB, field arrow.Field) arrow.Field {
	t.Helper()
	memory := &memory{}
	defer memory.close()
	block, err := layOutSchema(memory, field, w.releases.Schema, w.releases.SchemaChild)
	if err != nil {
		t.Fatal(err)
	}
	defer memory.release(block.address, block.bytes)
	back, err := ImportField(w.fakeCaller, at[ArrowSchema](block.root()))
	if err != nil {
		t.Fatalf("schema of %v: %v", field.Type, err)
	}
	return back
}

// crossBatch sends a batch through C structs and compares.
func (w *world) crossBatch(t testing.TB, batch arrow.RecordBatch) {
	t.Helper()
	exporter, err := NewExporter(batch.Schema(), w.releases, w.arena, w.ledger)
	if err != nil {
		t.Fatal(err)
	}
	defer exporter.Close()
	for range 2 { // the second one meets a used block
		address, err := exporter.Export(batch)
		if err != nil {
			t.Fatal(err)
		}
		back, err := w.importer.Batch(batch.Schema(), at[ArrowArray](address), nil)
		if err != nil {
			t.Fatal(err)
		}
		if !array.RecordEqual(batch, back) {
			t.Errorf("got\n%v\nwant\n%v", back, batch)
		}
		back.Release()
	}
}

// cases are the lengths and slices that every type goes through.
func cases(m *conformance.Maker, typ arrow.DataType) map[string]arrow.Array {
	all := map[string]arrow.Array{}
	m.Nulls = 0.2
	whole := m.Array(typ, 150)
	defer whole.Release()
	all["plain"] = array.NewSlice(whole, 0, 150)
	for _, offset := range []int64{1, 7, 8, 63} {
		all[fmt.Sprint("sliced", offset)] = array.NewSlice(whole, offset, 141)
	}
	twice := array.NewSlice(whole, 5, 100)
	defer twice.Release()
	all["sliced twice"] = array.NewSlice(twice, 3, 77)
	all["sliced to nothing"] = array.NewSlice(whole, 9, 9)
	all["empty"] = m.Array(typ, 0)
	m.Nulls = 0
	all["no nulls"] = m.Array(typ, 20)
	m.Nulls = 1
	all["all null"] = m.Array(typ, 20)
	return all
}

func TestEveryTypeRoundTrips(t *testing.T) {
	types := append(append([]arrow.DataType{}, conformance.LeafTypes...), conformance.NestedTypes()...)
	if !buildtag.Debug { // a collection for each export takes its time
		for _, typ := range types {
			types = append(types, conformance.Wrapped(typ)...)
		}
	}
	for i, typ := range types {
		t.Run(fmt.Sprint(i, " ", typ), func(t *testing.T) {
			w := newWorld(t)
			field := arrow.Field{
				Name: "column", Type: typ, Nullable: true,
				Metadata: arrow.NewMetadata([]string{"a", ""}, []string{"", "\xff"}),
			}
			if back := w.crossSchema(t, field); !back.Equal(field) {
				t.Errorf("schema: got %v, want %v", back, field)
			}
			mems := []arrowmemory.Allocator{w.arena, arrowmemory.NewGoAllocator()}
			m := &conformance.Maker{Rand: rand.New(rand.NewPCG(uint64(i), 1)), Mem: mems[i%2]}
			for name, values := range cases(m, typ) {
				other := (&conformance.Maker{Rand: m.Rand, Mem: mems[1-i%2]}).Array(arrow.PrimitiveTypes.Int64, values.Len())
				schema := arrow.NewSchema([]arrow.Field{field, {Name: "other", Type: other.DataType()}}, nil)
				batch := array.NewRecordBatch(schema, []arrow.Array{values, other}, int64(values.Len()))
				t.Run(name, func(t *testing.T) { w.crossBatch(t, batch) })
				sliced := batch.NewSlice(batch.NumRows()/3, batch.NumRows())
				t.Run(name+", batch sliced", func(t *testing.T) { w.crossBatch(t, sliced) })
				sliced.Release()
				batch.Release()
				other.Release()
				values.Release()
			}
		})
	}
}

// drawType draws a type of limited depth.
func drawType(t *rapid.T, depth int) arrow.DataType {
	if depth == 0 || rapid.IntRange(0, 2).Draw(t, "leaf") == 0 {
		return rapid.SampledFrom(conformance.LeafTypes).Draw(t, "type")
	}
	below := func(name string) arrow.Field {
		return arrow.Field{
			Name: name, Type: drawType(t, depth-1), Nullable: true,
		}
	}
	switch rapid.IntRange(0, 9).Draw(t, "nested") {
	case 0:
		return arrow.ListOfField(below("item"))
	case 1:
		return arrow.LargeListOfField(below("item"))
	case 2:
		return arrow.ListViewOfField(below("item"))
	case 3:
		return arrow.LargeListViewOfField(below("item"))
	case 4:
		return arrow.FixedSizeListOfField(int32(rapid.IntRange(1, 4).Draw(t, "size")), below("item"))
	case 5:
		return arrow.MapOf(rapid.SampledFrom(conformance.LeafTypes[1:]).Draw(t, "key"), below("").Type)
	case 6:
		return arrow.DenseUnionOf([]arrow.Field{below("a"), below("b")}, []arrow.UnionTypeCode{3, 1})
	case 7:
		return arrow.SparseUnionOf([]arrow.Field{below("a"), below("b")}, []arrow.UnionTypeCode{0, 9})
	case 8:
		return arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, rapid.SampledFrom(conformance.LeafTypes[1:]).Draw(t, "values"))
	}
	return arrow.StructOf(below("x"), below("y"))
}

func TestDrawnBatchesRoundTrip(t *testing.T) {
	w := newWorld(t)
	rapid.Check(t, func(rt *rapid.T) {
		typ := drawType(rt, 3)
		seed := rapid.Uint64().Draw(rt, "seed")
		m := &conformance.Maker{
			Rand: rand.New(rand.NewPCG(seed, 2)), Mem: w.arena, Nulls: rapid.SampledFrom([]float64{0, 0.3, 1}).Draw(rt, "nulls"),
		}
		if rapid.Bool().Draw(rt, "go heap") {
			m.Mem = arrowmemory.NewGoAllocator()
		}
		length := rapid.IntRange(0, 70).Draw(rt, "length")
		values := m.Array(typ, length)
		defer values.Release()
		field := arrow.Field{Name: "c", Type: typ, Nullable: true}
		if back := w.crossSchema(t, field); !back.Equal(field) {
			rt.Fatalf("schema: got %v, want %v", back, field)
		}
		batch := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{field}, nil), []arrow.Array{values}, int64(length))
		defer batch.Release()
		start := rapid.IntRange(0, length).Draw(rt, "start")
		sliced := batch.NewSlice(int64(start), int64(rapid.IntRange(start, length).Draw(rt, "end")))
		defer sliced.Release()
		w.crossBatch(t, sliced)
	})
}
