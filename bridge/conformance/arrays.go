// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"fmt"
	"math/rand/v2"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/decimal256"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/arrow-go/v18/arrow/float16"
	arrowmemory "github.com/apache/arrow-go/v18/arrow/memory"
)

// Maker builds arrays of any type with random content.
type Maker struct {
	*rand.Rand
	Mem   arrowmemory.Allocator
	Nulls float64 // share of nulls: 0 none, 1 all
}

// LeafTypes are all types without children.
var LeafTypes = []arrow.DataType{
	arrow.Null, arrow.FixedWidthTypes.Boolean,
	arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64,
	arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint32,
	arrow.PrimitiveTypes.Uint64, arrow.FixedWidthTypes.Float16, arrow.PrimitiveTypes.Float32,
	arrow.PrimitiveTypes.Float64,
	&arrow.Decimal32Type{Precision: 9, Scale: 2}, &arrow.Decimal64Type{Precision: 18, Scale: -3},
	&arrow.Decimal128Type{Precision: 38, Scale: 10}, &arrow.Decimal256Type{Precision: 76, Scale: 0},
	arrow.FixedWidthTypes.Date32, arrow.FixedWidthTypes.Date64,
	arrow.FixedWidthTypes.Time32s, arrow.FixedWidthTypes.Time32ms, arrow.FixedWidthTypes.Time64us,
	arrow.FixedWidthTypes.Time64ns,
	&arrow.TimestampType{Unit: arrow.Second}, &arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: "UTC"},
	&arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "+01:00"},
	&arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "Europe/Paris"},
	arrow.FixedWidthTypes.Duration_s, arrow.FixedWidthTypes.Duration_ms, arrow.FixedWidthTypes.Duration_us,
	arrow.FixedWidthTypes.Duration_ns,
	arrow.FixedWidthTypes.MonthInterval, arrow.FixedWidthTypes.DayTimeInterval,
	arrow.FixedWidthTypes.MonthDayNanoInterval,
	arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.StringView,
	arrow.BinaryTypes.Binary, arrow.BinaryTypes.LargeBinary, arrow.BinaryTypes.BinaryView,
	&arrow.FixedSizeBinaryType{ByteWidth: 1}, &arrow.FixedSizeBinaryType{ByteWidth: 7},
}

// NestedTypes covers every type with children, dictionaries and extensions.
func NestedTypes() []arrow.DataType {
	item := arrow.Field{
		Name: "element", Type: arrow.BinaryTypes.String, Nullable: true,
		Metadata: arrow.NewMetadata([]string{"k"}, []string{"v"}),
	}
	pair := []arrow.Field{
		{Name: "number", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
		{Name: "text", Type: arrow.BinaryTypes.StringView, Nullable: true},
		{Name: "bit", Type: arrow.FixedWidthTypes.Boolean},
	}
	sorted := arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Float64)
	sorted.KeysSorted = true
	described := arrow.MapOfFields(
		arrow.Field{Name: "key", Type: arrow.PrimitiveTypes.Int64, Metadata: item.Metadata},
		arrow.Field{Name: "value", Type: arrow.StructOf(pair...), Metadata: item.Metadata})
	ends := arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int16, arrow.BinaryTypes.String)
	ends.ValueNullable = false
	types := []arrow.DataType{
		arrow.ListOfField(item), arrow.LargeListOf(arrow.PrimitiveTypes.Int64),
		arrow.ListViewOf(arrow.BinaryTypes.String), arrow.LargeListViewOfField(item),
		arrow.FixedSizeListOf(3, arrow.PrimitiveTypes.Int16), arrow.FixedSizeListOfNonNullable(1, item.Type),
		arrow.StructOf(pair...), arrow.StructOf(),
		arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int32), sorted, described,
		arrow.SparseUnionOf(pair, []arrow.UnionTypeCode{5, 7, 0}),
		arrow.DenseUnionOf(pair, []arrow.UnionTypeCode{7, 5, 127}),
		ends, arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Float64),
		arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int64, arrow.ListOf(arrow.PrimitiveTypes.Int8)),
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String},
		&arrow.DictionaryType{
			IndexType: arrow.PrimitiveTypes.Uint32, ValueType: arrow.BinaryTypes.LargeString, Ordered: true,
		},
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int64, ValueType: arrow.StructOf(pair...)},
		arrow.ListOf(&arrow.DictionaryType{
			IndexType: arrow.PrimitiveTypes.Int16, ValueType: arrow.BinaryTypes.String,
		}),
		extensions.NewUUIDType(), extensions.NewBool8Type(),
	}
	// No extension over null: arrow-go itself counts the nulls of a slice of one in a bitmap that is not there.
	for _, storage := range []arrow.DataType{
		arrow.BinaryTypes.StringView, arrow.StructOf(pair...), arrow.ListOf(arrow.PrimitiveTypes.Int8),
		arrow.DenseUnionOf(pair, []arrow.UnionTypeCode{1, 2, 3}),
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String},
	} {
		types = append(types, extensions.NewOpaqueType(storage, "thing", "vendor"))
	}
	return types
}

// Wrapped puts a type into a struct and into a list.
func Wrapped(typ arrow.DataType) []arrow.DataType {
	field := arrow.Field{Name: "inner", Type: typ, Nullable: true}
	return []arrow.DataType{
		arrow.StructOf(arrow.Field{Name: "before", Type: arrow.PrimitiveTypes.Int64}, field), arrow.ListOfField(field),
	}
}

func (m *Maker) buffer(bytes int) *arrowmemory.Buffer {
	buffer := arrowmemory.NewResizableBuffer(m.Mem)
	buffer.Resize(bytes)
	clear(buffer.Bytes())
	return buffer
}

// Array makes length values of a type. The array is the caller's to release.
func (m *Maker) Array(typ arrow.DataType, length int) arrow.Array {
	data := m.data(typ, length)
	defer data.Release()
	return array.MakeFromData(data)
}

// validity makes a bitmap, or none where there are no nulls.
func (m *Maker) validity(length int) (*arrowmemory.Buffer, int) {
	if m.Nulls == 0 || length == 0 {
		return nil, 0
	}
	bitmap, nulls := m.buffer((length+7)/8), 0
	for i := range length {
		if m.Float64() < m.Nulls {
			nulls++
		} else {
			bitmap.Bytes()[i/8] |= 1 << (i % 8)
		}
	}
	return bitmap, nulls
}

// data makes the Data of a type; nested types are put together here, leaves by arrow-go's builders.
func (m *Maker) data(typ arrow.DataType, length int) arrow.ArrayData {
	var (
		buffers  []*arrowmemory.Buffer
		children []arrow.ArrayData
		values   *array.Data
		nulls    int
	)
	switch typ := typ.(type) {
	case arrow.ExtensionType:
		storage := m.data(typ.StorageType(), length)
		defer storage.Release()
		data := array.NewData(typ, length, storage.Buffers(), storage.Children(), storage.NullN(), storage.Offset())
		if storage.DataType().ID() == arrow.DICTIONARY {
			data.SetDictionary(storage.Dictionary())
		}
		return data
	case *arrow.DictionaryType:
		return m.dictionary(typ, length)
	case *arrow.StructType:
		bitmap, n := m.validity(length)
		buffers, nulls = append(buffers, bitmap), n
		for _, field := range typ.Fields() {
			children = append(children, m.data(field.Type, length))
		}
	case *arrow.FixedSizeListType:
		bitmap, n := m.validity(length)
		buffers, nulls = append(buffers, bitmap), n
		children = append(children, m.data(typ.Elem(), length*int(typ.Len())))
	case arrow.UnionType:
		buffers, children = m.union(typ, length)
	case *arrow.RunEndEncodedType:
		return m.runs(typ, length)
	case arrow.ListLikeType:
		bitmap, n := m.validity(length)
		nulls = n
		buffers, children = m.list(typ, length)
		buffers[0] = bitmap
	default:
		return m.leaf(typ, length)
	}
	data := array.NewData(typ, length, buffers, children, nulls, 0)
	for _, buffer := range buffers {
		if buffer != nil {
			buffer.Release()
		}
	}
	for _, child := range children {
		child.Release()
	}
	if values != nil {
		data.SetDictionary(values)
	}
	return data
}

func (m *Maker) list(typ arrow.ListLikeType, length int) (buffers []*arrowmemory.Buffer, children []arrow.ArrayData) {
	element := typ.Elem()
	switch typ.ID() {
	case arrow.LIST_VIEW, arrow.LARGE_LIST_VIEW:
		total := 20
		large := typ.ID() == arrow.LARGE_LIST_VIEW
		offsets, sizes := m.integers(large, length), m.integers(large, length)
		for i := range length {
			start := m.IntN(total)
			offsets.set(i, start)
			sizes.set(i, m.IntN(min(4, total-start)+1))
		}
		return []*arrowmemory.Buffer{nil, offsets.Buffer, sizes.Buffer}, []arrow.ArrayData{m.data(element, total)}
	}
	offsets := m.integers(typ.ID() == arrow.LARGE_LIST, length+1)
	total := m.IntN(3)
	for i := range length + 1 {
		offsets.set(i, total)
		if i < length {
			total += m.IntN(4)
		}
	}
	child := (&Maker{m.Rand, m.Mem, m.Nulls}).elements(typ, element, total)
	return []*arrowmemory.Buffer{nil, offsets.Buffer}, []arrow.ArrayData{child}
}

// elements makes the child of a list; the entries and keys of a map have no nulls.
func (m *Maker) elements(typ, element arrow.DataType, length int) arrow.ArrayData {
	if typ.ID() != arrow.MAP {
		return m.data(element, length)
	}
	entries := element.(*arrow.StructType)
	keys := (&Maker{m.Rand, m.Mem, 0}).data(entries.Field(0).Type, length)
	items := m.data(entries.Field(1).Type, length)
	defer keys.Release()
	defer items.Release()
	return array.NewData(entries, length, []*arrowmemory.Buffer{nil}, []arrow.ArrayData{keys, items}, 0, 0)
}

func (m *Maker) union(typ arrow.UnionType, length int) (buffers []*arrowmemory.Buffer, children []arrow.ArrayData) {
	ids, offsets := m.buffer(length), m.integers(false, length)
	counts := make([]int, typ.NumFields())
	for i := range length {
		child := m.IntN(typ.NumFields())
		ids.Bytes()[i] = byte(typ.TypeCodes()[child])
		offsets.set(i, counts[child])
		counts[child]++
	}
	buffers = []*arrowmemory.Buffer{nil, ids}
	if typ.Mode() == arrow.DenseMode {
		buffers = append(buffers, offsets.Buffer)
	} else {
		offsets.Release()
	}
	for i, field := range typ.Fields() {
		count := length + 2 // children of a sparse union may be longer
		if typ.Mode() == arrow.DenseMode {
			count = counts[i]
		}
		children = append(children, m.data(field.Type, count))
	}
	return buffers, children
}

func (m *Maker) runs(typ *arrow.RunEndEncodedType, length int) arrow.ArrayData {
	builder := array.NewBuilder(m.Mem, typ.RunEnds())
	defer builder.Release()
	count := 0
	for end := 0; end < length; count++ {
		end += 1 + m.IntN(5)
		switch builder := builder.(type) {
		case *array.Int16Builder:
			builder.Append(int16(end))
		case *array.Int32Builder:
			builder.Append(int32(end))
		case *array.Int64Builder:
			builder.Append(int64(end))
		}
	}
	ends := builder.NewArray()
	defer ends.Release()
	values := m.data(typ.Encoded(), count)
	defer values.Release()
	return array.NewData(typ, length, []*arrowmemory.Buffer{nil}, []arrow.ArrayData{ends.Data(), values}, 0, 0)
}

// dictionary gives the dictionary an offset of its own.
func (m *Maker) dictionary(typ *arrow.DictionaryType, length int) arrow.ArrayData {
	whole := m.data(typ.ValueType, 12)
	defer whole.Release()
	values := array.NewSliceData(whole, 3, 11)
	defer values.Release()
	indices := array.NewBuilder(m.Mem, typ.IndexType)
	defer indices.Release()
	for range length {
		if m.Float64() < m.Nulls {
			indices.AppendNull()
		} else if err := indices.AppendValueFromString(fmt.Sprint(m.IntN(8))); err != nil {
			panic(err)
		}
	}
	built := indices.NewArray()
	defer built.Release()
	data := built.Data()
	return array.NewDataWithDictionary(typ, length, data.Buffers(), data.NullN(), 0, values.(*array.Data))
}

// integers is a buffer of offsets.
type integers struct {
	*arrowmemory.Buffer
	wide bool
}

func (m *Maker) integers(wide bool, count int) integers {
	width := 4
	if wide {
		width = 8
	}
	return integers{m.buffer(width * count), wide}
}

func (n integers) set(i, value int) {
	if n.wide {
		arrow.Int64Traits.CastFromBytes(n.Bytes())[i] = int64(value)
	} else {
		arrow.Int32Traits.CastFromBytes(n.Bytes())[i] = int32(value)
	}
}

func (m *Maker) leaf(typ arrow.DataType, length int) arrow.ArrayData {
	builder := array.NewBuilder(m.Mem, typ)
	defer builder.Release()
	for range length {
		if m.Float64() < m.Nulls {
			builder.AppendNull()
		} else {
			m.append(builder)
		}
	}
	built := builder.NewArray()
	defer built.Release()
	data := built.Data()
	data.Retain()
	return data
}

func (m *Maker) text() []byte {
	text := make([]byte, m.IntN(30))
	for i := range text {
		text[i] = byte('a' + m.IntN(26))
	}
	return text
}

func (m *Maker) append(builder array.Builder) {
	switch builder := builder.(type) {
	case *array.NullBuilder:
		builder.AppendNull()
	case *array.BooleanBuilder:
		builder.Append(m.IntN(2) == 0)
	case *array.Float16Builder:
		builder.Append(float16.New(m.Float32()))
	case *array.Float32Builder:
		builder.Append(m.Float32())
	case *array.Float64Builder:
		builder.Append(m.NormFloat64())
	case *array.Decimal32Builder:
		builder.Append(decimal.Decimal32(m.Int32N(1e9)))
	case *array.Decimal64Builder:
		builder.Append(decimal.Decimal64(m.Int64N(1e18)))
	case *array.Decimal128Builder:
		builder.Append(decimal128.New(m.Int64N(1e9), m.Uint64()))
	case *array.Decimal256Builder:
		builder.Append(decimal256.New(m.Uint64N(1e9), m.Uint64(), m.Uint64(), m.Uint64()))
	case *array.MonthIntervalBuilder:
		builder.Append(arrow.MonthInterval(m.Int32()))
	case *array.DayTimeIntervalBuilder:
		builder.Append(arrow.DayTimeInterval{Days: m.Int32(), Milliseconds: m.Int32()})
	case *array.MonthDayNanoIntervalBuilder:
		builder.Append(arrow.MonthDayNanoInterval{Months: m.Int32(), Days: m.Int32(), Nanoseconds: m.Int64()})
	case *array.StringBuilder:
		builder.Append(string(m.text()))
	case *array.LargeStringBuilder:
		builder.Append(string(m.text()))
	case *array.StringViewBuilder:
		builder.Append(string(m.text()))
	case *array.BinaryBuilder: // Binary and LargeBinary
		builder.Append(m.text())
	case *array.BinaryViewBuilder:
		builder.Append(m.text())
	case *array.FixedSizeBinaryBuilder:
		text := make([]byte, builder.Type().(*arrow.FixedSizeBinaryType).ByteWidth)
		for i := range text {
			text[i] = byte(m.IntN(256))
		}
		builder.Append(text)
	default:
		m.appendInteger(builder)
	}
}

func (m *Maker) appendInteger(builder array.Builder) {
	value := m.Int32N(100)
	switch builder := builder.(type) {
	case *array.Int8Builder:
		builder.Append(int8(value))
	case *array.Int16Builder:
		builder.Append(int16(value))
	case *array.Int32Builder:
		builder.Append(value)
	case *array.Int64Builder:
		builder.Append(m.Int64())
	case *array.Uint8Builder:
		builder.Append(uint8(value))
	case *array.Uint16Builder:
		builder.Append(uint16(value))
	case *array.Uint32Builder:
		builder.Append(m.Uint32())
	case *array.Uint64Builder:
		builder.Append(m.Uint64())
	case *array.Date32Builder:
		builder.Append(arrow.Date32(value))
	case *array.Date64Builder:
		builder.Append(arrow.Date64(value) * 86400000)
	case *array.Time32Builder:
		builder.Append(arrow.Time32(value))
	case *array.Time64Builder:
		builder.Append(arrow.Time64(value))
	case *array.TimestampBuilder:
		builder.Append(arrow.Timestamp(m.Int64()))
	case *array.DurationBuilder:
		builder.Append(arrow.Duration(m.Int64()))
	default:
		panic(fmt.Sprintf("no values for %T", builder))
	}
}
