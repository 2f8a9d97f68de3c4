// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tombolo-arrow/tombolo/bridge"
)

func int32Bytes(values ...int32) *memory.Buffer {
	var bytes []byte
	for _, value := range values {
		bytes = binary.LittleEndian.AppendUint32(bytes, uint32(value))
	}
	return memory.NewBufferBytes(bytes)
}

func dictionaryData(indices ...int32) *array.Data {
	texts := array.NewData(arrow.BinaryTypes.String, 2,
		[]*memory.Buffer{nil, int32Bytes(0, 1, 2), memory.NewBufferBytes([]byte("ab"))}, nil, 0, 0)
	dataType := &arrow.DictionaryType{
		IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String,
	}
	return array.NewDataWithDictionary(dataType, len(indices),
		[]*memory.Buffer{nil, int32Bytes(indices...)}, 0, 0, texts)
}

func textData(offsets ...int32) *array.Data {
	return array.NewData(arrow.BinaryTypes.String, len(offsets)-1,
		[]*memory.Buffer{nil, int32Bytes(offsets...), memory.NewBufferBytes([]byte("abcd"))},
		nil, 0, 0)
}

func fixedData(dataType arrow.DataType, rows, nulls int, buffers ...*memory.Buffer) *array.Data {
	return array.NewData(dataType, rows, buffers, nil, nulls, 0)
}

func TestCheckData(t *testing.T) {
	integer, flag := arrow.PrimitiveTypes.Int32, arrow.FixedWidthTypes.Boolean
	view := make([]byte, 16)
	binary.LittleEndian.PutUint32(view, 20)
	wide := &arrow.FixedSizeBinaryType{ByteWidth: 1 << 30}
	for name, c := range map[string]struct {
		data        *array.Data
		cheap, full string
	}{
		"whole":           {fixedData(integer, 2, 0, nil, int32Bytes(1, 2)), "", ""},
		"empty":           {fixedData(integer, 0, 0, nil, nil), "", ""},
		"no buffer":       {fixedData(integer, 3, 0, nil, nil), problemShort, problemShort},
		"no buffers":      {fixedData(integer, 3, 0), problemBuffers, problemBuffers},
		"short":           {fixedData(integer, 3, 0, nil, int32Bytes(1, 2)), problemShort, problemShort},
		"short bits":      {fixedData(flag, 33, 0, nil, int32Bytes(1)), problemShort, problemShort},
		"no validity":     {fixedData(integer, 1, 1, nil, int32Bytes(1)), problemValidity, problemValidity},
		"short validity":  {fixedData(flag, 33, 1, int32Bytes(1), int32Bytes(1, 2)), problemShort, problemShort},
		"huge":            {fixedData(wide, 1<<39, 0, nil, int32Bytes(1)), problemShort, problemShort},
		"text":            {textData(0, 2, 4), "", ""},
		"last offset":     {textData(0, 2, 5), problemOffsets, problemOffsets},
		"first offset":    {textData(-1, 2, 4), problemOffsets, problemOffsets},
		"falling offsets": {textData(0, 9, 4), "", problemOffsets},
		"dictionary":      {dictionaryData(0, 1), "", ""},
		"index":           {dictionaryData(0, 2), "", problemIndex},
		"negative index":  {dictionaryData(0, -1), "", problemIndex},
		"view": {fixedData(arrow.BinaryTypes.StringView, 1, 0, nil, memory.NewBufferBytes(view)), "",
			problemView},
	} {
		if got := checkData(c.data, false); got != c.cheap {
			t.Errorf("%s: got %q, want %q", name, got, c.cheap)
		}
		if got := checkData(c.data, true); got != c.full {
			t.Errorf("%s, in full: got %q, want %q", name, got, c.full)
		}
	}
}

// dataBatch wraps an array of buffers that may be wrong, where arrow-go does not look.
func dataBatch(data arrow.ArrayData) arrow.RecordBatch {
	column := array.MakeFromData(data)
	defer column.Release()

	schema := arrow.NewSchema([]arrow.Field{{Name: "v", Type: data.DataType()}}, nil)
	return array.NewRecordBatch(schema, []arrow.Array{column}, int64(data.Len()))
}

func TestMalformedInputIsTheCallersMistake(t *testing.T) {
	for name, data := range map[string]*array.Data{
		"no buffer": fixedData(arrow.PrimitiveTypes.Int32, 3, 0, nil, nil),
		"offsets":   textData(0, 9, 4),
		"index":     dictionaryData(0, 7),
	} {
		t.Run(name, func(t *testing.T) {
			l := openLibrary(t)
			batch := dataBatch(data)
			defer batch.Release()

			schemas := []*arrow.Schema{batch.Schema(), batch.Schema()}
			kernel, err := l.Bind(t.Context(), "equal", schemas[:1],
				bridge.Option{Name: "right", Value: prepared(t, l, batch.Schema())})
			if err != nil {
				t.Fatal(err)
			}
			defer kernel.Release()

			want := bridge.ErrInvalid
			if name == "index" {
				want = bridge.ErrIndex // the kernel looks at indices by itself
			}
			if _, err = kernel.Run(t.Context(), batch); !errors.Is(err, want) {
				t.Errorf("got error %v, want %v", err, want)
			}
		})
	}
}

// prepared makes a scalar for the values of a column.
func prepared(t *testing.T, l bridge.Library, schema *arrow.Schema) bridge.Object {
	t.Helper()
	dataType := schema.Field(0).Type
	data := fixedData(dataType, 1, 0, nil, int32Bytes(1))
	if dataType.ID() != arrow.INT32 {
		data = textData(0, 1)
	}
	batch := dataBatch(data)
	defer batch.Release()

	object, err := l.Prepare(t.Context(), "batch", batch)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(object.Release)
	return object
}
