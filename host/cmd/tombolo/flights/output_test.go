// SPDX-License-Identifier: Apache-2.0

package flights

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/google/go-cmp/cmp"
)

// Points are GeoArrow by the letter: the name, the reference system, separated coordinates without
// nulls of their own, and a null where an airport is unknown.
func TestPoints(t *testing.T) {
	engine := openEngine(t)
	events := made(t, engine.Allocator(), arrow.BinaryTypes.StringView,
		arrow.PrimitiveTypes.Int64, mixed...)
	job, err := Prepare(context.Background(), engine, events.Schema(),
		airportsBatch(t, engine.Allocator(), airports...))
	if err != nil {
		t.Fatal(err)
	}
	defer job.Release()

	schema := RowSchema(job.Schema())
	for _, name := range []string{"origin_point", "destination_point"} {
		field := schema.Field(schema.FieldIndices(name)[0])
		if got, _ := field.Metadata.GetValue("ARROW:extension:name"); got != "geoarrow.point" {
			t.Errorf("%s: extension %q", name, got)
		}
		text, _ := field.Metadata.GetValue("ARROW:extension:metadata")
		var metadata map[string]string
		if err := json.Unmarshal([]byte(text), &metadata); err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"crs": "EPSG:3857", "crs_type": "authority_code"}
		if diff := cmp.Diff(want, metadata); diff != "" {
			t.Error(diff)
		}
	}
	slice := events.NewSlice(1, events.NumRows()-1)
	defer slice.Release()

	result, err := job.Run(context.Background(), FromBatches([]arrow.RecordBatch{slice}), Options{
		Consumers: []Consumer{func(_ context.Context, joined arrow.RecordBatch) error {
			rows, copied := Rows(engine.Allocator(), schema, joined)
			defer rows.Release()

			if copied == 0 {
				t.Error("views became utf8 without a copy")
			}
			checkPoints(t, rows, joined)
			return nil
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	result.Release()
}

func checkPoints(t *testing.T, rows, joined arrow.RecordBatch) {
	t.Helper()
	for _, end := range points {
		point := named(rows, end+"_point").(*array.Struct)
		x := named(joined, end+"_x").(*array.Float64)
		y := named(joined, end+"_y").(*array.Float64)
		nulls := 0
		for row := range point.Len() {
			if point.IsNull(row) != x.IsNull(row) || point.IsNull(row) != y.IsNull(row) {
				t.Errorf("%s, row %d: null %v, x %v, y %v",
					end, row, point.IsNull(row), x.IsNull(row), y.IsNull(row))
			}
			if point.IsNull(row) {
				nulls++
				continue
			}
			if point.Field(0).(*array.Float64).Value(row) != x.Value(row) ||
				point.Field(1).(*array.Float64).Value(row) != y.Value(row) {
				t.Errorf("%s, row %d: other coordinates", end, row)
			}
		}
		if nulls == 0 || point.NullN() != nulls {
			t.Errorf("%s: %d nulls, counted as %d", end, nulls, point.NullN())
		}
		for i := range 2 {
			if point.Field(i).NullN() != 0 {
				t.Errorf("%s: coordinate %d has nulls", end, i)
			}
		}
	}
}
