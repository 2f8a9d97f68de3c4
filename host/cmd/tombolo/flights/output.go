// SPDX-License-Identifier: Apache-2.0

package flights

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// Metadata of a point column, by the GeoArrow specification: points with separated coordinates, in
// Web Mercator.
const (
	extensionName     = "geoarrow.point"
	extensionMetadata = `{"crs":"EPSG:3857","crs_type":"authority_code"}`
)

// pointType is the storage of geoarrow.point with separated coordinates. Coordinates are never
// null; a point may be.
var pointType = arrow.StructOf(
	arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Float64},
	arrow.Field{Name: "y", Type: arrow.PrimitiveTypes.Float64},
)

// plainColumns of a joined batch go into a row as they are.
var plainColumns = []string{
	"date", "delay", "distance", "origin", "destination", "origin_state", "destination_state",
	"month", "miles", "error_miles", "cell",
}

// points are made of the columns name_x and name_y.
var points = []string{"origin", "destination"}

// RowSchema is the schema of the rows that go into files: text as utf8 whatever it came as, both
// ends as GeoArrow points.
func RowSchema(joined *arrow.Schema) *arrow.Schema {
	var fields []arrow.Field
	for _, name := range plainColumns {
		field := joined.Field(slices.Index(joinedColumns, name))
		if isText(field.Type) {
			field.Type = arrow.BinaryTypes.String
		}
		field.Nullable = true
		fields = append(fields, field)
	}
	for _, name := range points {
		fields = append(fields, arrow.Field{
			Name: name + "_point", Type: pointType, Nullable: true,
			Metadata: arrow.MetadataFrom(map[string]string{
				"ARROW:extension:name":     extensionName,
				"ARROW:extension:metadata": extensionMetadata,
			}),
		})
	}
	return arrow.NewSchema(fields, nil)
}

// Rows makes the rows of a joined batch, which stays the caller's; the result is the caller's to
// release. The second result is how many bytes of text were copied: text that was not utf8 yet.
func Rows(
	allocator memory.Allocator, schema *arrow.Schema, joined arrow.RecordBatch,
) (arrow.RecordBatch, int64) {
	var (
		columns []arrow.Array
		copied  int64
	)
	defer func() {
		for _, column := range columns {
			column.Release()
		}
	}()
	for _, name := range plainColumns {
		column := joined.Column(slices.Index(joinedColumns, name))
		if isText(column.DataType()) && column.DataType().ID() != arrow.STRING {
			text, bytes := plainText(allocator, column)
			copied += bytes
			columns = append(columns, text)
			continue
		}
		column.Retain()
		columns = append(columns, column)
	}
	for _, name := range points {
		columns = append(columns, pointColumn(
			joined.Column(slices.Index(joinedColumns, name+"_x")),
			joined.Column(slices.Index(joinedColumns, name+"_y"))))
	}
	return array.NewRecordBatch(schema, columns, joined.NumRows()), copied
}

// plainText copies text of any form into utf8.
func plainText(allocator memory.Allocator, column arrow.Array) (arrow.Array, int64) {
	builder := array.NewStringBuilder(allocator)
	defer builder.Release()

	builder.Reserve(column.Len())
	value := textAt(column)
	copied := int64(0)
	for row := range column.Len() {
		if text, ok := value(row); ok {
			builder.Append(text)
			copied += int64(len(text))
		} else {
			builder.AppendNull()
		}
	}
	return builder.NewArray(), copied
}

// pointColumn joins two coordinate columns without copying them. Both are null in the same rows, as
// they come from one kernel; that validity becomes the point's, and zeros stay under it.
func pointColumn(x, y arrow.Array) arrow.Array {
	data := array.NewData(pointType, x.Len(),
		[]*memory.Buffer{x.Data().Buffers()[0]},
		[]arrow.ArrayData{coordinates(x), coordinates(y)}, x.NullN(), x.Data().Offset())
	defer data.Release()
	for _, child := range data.Children() {
		child.Release() // the point holds it
	}
	return array.NewStructData(data)
}

// coordinates is a column without its validity, from the start of its buffer: an offset stands in
// the struct alone.
func coordinates(column arrow.Array) arrow.ArrayData {
	return array.NewData(arrow.PrimitiveTypes.Float64, column.Len()+column.Data().Offset(),
		[]*memory.Buffer{nil, column.Data().Buffers()[1]}, nil, 0, 0)
}
