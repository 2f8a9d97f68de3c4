// SPDX-License-Identifier: Apache-2.0

package compute

import (
	"context"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/host"
)

// Radii of the mean sphere for great-circle distances: a distance is in the unit of its radius.
const (
	EarthRadiusMiles      = 3958.7613
	EarthRadiusKilometres = 6371.0088
	EarthRadiusMetres     = 6371008.8
)

// float64Columns are the types of the inputs of the geographic kernels.
func float64Columns(count int) []arrow.DataType {
	types := make([]arrow.DataType, count)
	for i := range types {
		types[i] = arrow.PrimitiveTypes.Float64
	}
	return types
}

func realKey(kernel string, value float64) host.Key {
	return host.Key{Kernel: kernel, Options: strconv.FormatFloat(value, 'g', -1, 64)}
}

// GreatCircleDistance gives the distance on a sphere between two points in degrees, in the unit of
// the radius, as float64. All columns are float64.
func GreatCircleDistance(
	ctx context.Context, engine *host.Engine,
	latitude0, longitude0, latitude1, longitude1 arrow.Array, radius float64,
) (arrow.Array, error) {
	options := []bridge.Option{{Name: "radius", Value: radius}}
	return firstColumn(callColumns(ctx, engine, realKey("great_circle_distance", radius), options,
		latitude0, longitude0, latitude1, longitude1))
}

// BindGreatCircleDistance binds GreatCircleDistance. Run it with
// RunColumns(ctx, latitude0, longitude0, latitude1, longitude1).
func BindGreatCircleDistance(
	ctx context.Context, engine *host.Engine, radius float64,
) (*Kernel, error) {
	return bindColumns(ctx, engine, "great_circle_distance", float64Columns(4),
		bridge.Option{Name: "radius", Value: radius})
}

// WebMercatorForward reprojects longitude and latitude in degrees to EPSG:3857 metres. Coordinates
// outside ±180 and ±90 give NaN.
func WebMercatorForward(
	ctx context.Context, engine *host.Engine, longitude, latitude arrow.Array,
) (x, y arrow.Array, err error) {
	key := host.Key{Kernel: "web_mercator_forward"}
	return twoColumns(callColumns(ctx, engine, key, nil, longitude, latitude))
}

// BindWebMercatorForward binds WebMercatorForward. Run it with RunColumns(ctx, longitude,
// latitude); the result has the columns x and y.
func BindWebMercatorForward(ctx context.Context, engine *host.Engine) (*Kernel, error) {
	return bindColumns(ctx, engine, "web_mercator_forward", float64Columns(2))
}

// WebMercatorInverse reprojects EPSG:3857 metres to longitude and latitude in degrees.
func WebMercatorInverse(
	ctx context.Context, engine *host.Engine, x, y arrow.Array,
) (longitude, latitude arrow.Array, err error) {
	key := host.Key{Kernel: "web_mercator_inverse"}
	return twoColumns(callColumns(ctx, engine, key, nil, x, y))
}

// BindWebMercatorInverse binds WebMercatorInverse. Run it with RunColumns(ctx, x, y); the result
// has the columns longitude and latitude.
func BindWebMercatorInverse(ctx context.Context, engine *host.Engine) (*Kernel, error) {
	return bindColumns(ctx, engine, "web_mercator_inverse", float64Columns(2))
}

// GridCell gives the cell of a square grid that a point lies in: the column of the cell in the high
// half of an int64, its row in the low half. What is not finite or outside the grid is null.
func GridCell(
	ctx context.Context, engine *host.Engine, x, y arrow.Array, size float64,
) (arrow.Array, error) {
	options := []bridge.Option{{Name: "size", Value: size}}
	return firstColumn(callColumns(ctx, engine, realKey("grid_cell", size), options, x, y))
}

// BindGridCell binds GridCell. Run it with RunColumns(ctx, x, y).
func BindGridCell(ctx context.Context, engine *host.Engine, size float64) (*Kernel, error) {
	return bindColumns(ctx, engine, "grid_cell", float64Columns(2),
		bridge.Option{Name: "size", Value: size})
}
