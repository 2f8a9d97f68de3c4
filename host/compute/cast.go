// SPDX-License-Identifier: Apache-2.0

package compute

import (
	"context"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/host"
)

// Cast gives numbers and bools in another number type or bool. A value that would change is
// ErrOverflow, but float64 to float32, which rounds.
func Cast(
	ctx context.Context, engine *host.Engine, column arrow.Array, to arrow.DataType,
) (arrow.Array, error) {
	return cast(ctx, engine, column, to, true)
}

// CastUnsafe is Cast that wraps integers and truncates fractions.
func CastUnsafe(
	ctx context.Context, engine *host.Engine, column arrow.Array, to arrow.DataType,
) (arrow.Array, error) {
	return cast(ctx, engine, column, to, false)
}

// BindCast binds cast for columns of a type. Run it with RunColumns(ctx, column).
func BindCast(
	ctx context.Context, engine *host.Engine, column, to arrow.DataType, safe bool,
) (*Kernel, error) {
	if err := checkTypes("cast", column, to); err != nil {
		return nil, err
	}
	return bindColumns(ctx, engine, "cast", []arrow.DataType{column}, castOptions(to, safe)...)
}

func cast(
	ctx context.Context, engine *host.Engine, column arrow.Array, to arrow.DataType, safe bool,
) (arrow.Array, error) {
	if err := checkTypes("cast", to); err != nil {
		return nil, err
	}
	key := host.Key{Kernel: "cast", Options: to.Fingerprint() + strconv.FormatBool(safe)}
	return firstColumn(callColumns(ctx, engine, key, castOptions(to, safe), column))
}

func castOptions(to arrow.DataType, safe bool) []bridge.Option {
	return []bridge.Option{{Name: "to", Value: to}, {Name: "safe", Value: safe}}
}

// Month gives the month, 1 to 12, of a timestamp (without a zone, or in UTC), date32 or date64
// column, as int64.
func Month(ctx context.Context, engine *host.Engine, column arrow.Array) (arrow.Array, error) {
	return firstColumn(callColumns(ctx, engine, host.Key{Kernel: "month"}, nil, column))
}

// BindMonth binds month for columns of a type. Run it with RunColumns(ctx, column).
func BindMonth(
	ctx context.Context, engine *host.Engine, column arrow.DataType,
) (*Kernel, error) {
	return bindColumns(ctx, engine, "month", []arrow.DataType{column})
}
