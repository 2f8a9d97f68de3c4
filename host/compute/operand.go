// SPDX-License-Identifier: Apache-2.0

package compute

import (
	"context"
	"fmt"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/host"
	"github.com/tombolo-arrow/tombolo/host/internal/input"
)

// Operand is the right side of a comparison or an arithmetic kernel: an arrow.Array of as many rows
// as the left side, a [Scalar] or a [Literal].
type Operand interface {
	// DataType is the type of the operand; nil for a literal, which takes the type of the left
	// side.
	DataType() arrow.DataType
}

// scalar is one value for all rows: a column of one row.
type scalar struct{ column arrow.Array }

// DataType is that of the column.
func (s scalar) DataType() arrow.DataType {
	if input.IsNil(s.column) {
		return nil
	}
	return s.column.DataType()
}

// Scalar makes an operand of a column of one row. The column stays the caller's and must outlive
// the call; a bound kernel keeps what it needs.
func Scalar(column arrow.Array) Operand { return scalar{column} }

// Value is what a literal may be.
type Value interface {
	bool | int | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 |
		float32 | float64 | string | time.Time | arrow.Timestamp | arrow.Date32 | arrow.Date64 | arrow.Time32 |
		arrow.Time64 | arrow.Duration
}

type literal struct{ value any }

// DataType is nil: a literal takes the type of the left side.
func (literal) DataType() arrow.DataType { return nil }

// Literal makes an operand of a Go value. It takes the type of the left side, and binding fails
// with ErrOverflow where that type does not hold the value exactly, with ErrType where the kinds
// differ.
func Literal[T Value](value T) Operand { return literal{value} }

// scalarColumn gives the one-row column of a scalar operand. The caller releases it.
func scalarColumn(kernel string, left arrow.DataType, right Operand) (arrow.Array, error) {
	switch right := right.(type) {
	case scalar:
		if err := input.CheckColumn(kernel, 0, 1, right.column); err != nil {
			return nil, err
		}
		if right.column.Len() != 1 {
			return nil, fail(bridge.CodeInvalid, kernel, "a scalar is a column of one row")
		}
		right.column.Retain()
		return right.column, nil
	case literal:
		return literalColumn(kernel, left, right.value)
	}
	return nil, fail(bridge.CodeInvalid, kernel, "the right operand is not a scalar")
}

// prepareRight makes the object `right` of a scalar operand. The caller releases it.
func prepareRight(
	ctx context.Context, engine *host.Engine, kernel string, left arrow.DataType, right Operand,
) (*host.Object, error) {
	column, err := scalarColumn(kernel, left, right)
	if err != nil {
		return nil, err
	}
	defer column.Release()

	batch, err := batchOf(kernel, column)
	if err != nil {
		return nil, err
	}
	defer batch.Release()

	return engine.Prepare(ctx, "batch", batch)
}

// bindOperands binds a kernel of two operands; a nil right stands for a column of left's type.
func bindOperands(
	ctx context.Context, engine *host.Engine, kernel string, left arrow.DataType, right Operand,
) (*Kernel, error) {
	if right == nil {
		return bindColumns(ctx, engine, kernel, []arrow.DataType{left, left})
	}
	return bindBinary(ctx, engine, kernel, left, right)
}

// bindBinary binds a kernel of two operands of which the right one is a scalar.
func bindBinary(
	ctx context.Context, engine *host.Engine, kernel string, left arrow.DataType, right Operand,
) (*Kernel, error) {
	if err := checkTypes(kernel, left); err != nil {
		return nil, err
	}
	object, err := prepareRight(ctx, engine, kernel, left, right)
	if err != nil {
		return nil, err
	}
	defer object.Release()

	return bindColumns(ctx, engine, kernel, []arrow.DataType{left},
		bridge.Option{Name: "right", Value: object})
}

// callBinary runs a kernel of two operands once.
func callBinary(
	ctx context.Context, engine *host.Engine, kernel string, left arrow.Array, right Operand,
) (arrow.Array, error) {
	key := host.Key{Kernel: kernel}
	switch right := right.(type) {
	case arrow.Array:
		return firstColumn(callColumns(ctx, engine, key, nil, left, right))
	case literal:
		key.Options = fmt.Sprintf("%T %v", right.value, right.value)
	case scalar:
		// The value of a column is not worth a key: bind for this call alone.
		return callScalar(ctx, engine, kernel, left, right)
	default:
		return nil, fail(bridge.CodeInvalid, kernel, "the right operand is nil or foreign")
	}
	bind := func(ctx context.Context) (*Kernel, error) {
		return bindBinary(ctx, engine, kernel, left.DataType(), right)
	}
	return firstColumn(engine.CallColumns(ctx, key, bind, left))
}

func callScalar(
	ctx context.Context, engine *host.Engine, kernel string, left arrow.Array, right scalar,
) (arrow.Array, error) {
	if err := input.CheckColumn(kernel, 0, 0, left); err != nil {
		return nil, err
	}
	bound, err := bindBinary(ctx, engine, kernel, left.DataType(), right)
	if err != nil {
		return nil, err
	}
	defer bound.Release()

	return firstColumn(bound.RunColumns(ctx, left))
}

// literalColumn builds a column of one row that holds value as the type to.
func literalColumn(kernel string, to arrow.DataType, value any) (arrow.Array, error) {
	if dictionary, ok := to.(*arrow.DictionaryType); ok {
		to = dictionary.ValueType
	}
	builder := array.NewBuilder(memory.DefaultAllocator, to)
	defer builder.Release()

	if err := appendLiteral(kernel, builder, value); err != nil {
		return nil, err
	}
	return builder.NewArray(), nil
}
