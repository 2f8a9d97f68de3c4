// SPDX-License-Identifier: Apache-2.0

package compute

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tombolo-arrow/tombolo/host"
)

// Arithmetic is an arithmetic kernel of two operands, for [BindArithmetic].
type Arithmetic string

// The arithmetic kernels. The unchecked ones wrap where the others fail with ErrOverflow.
const (
	DoAdd               Arithmetic = "add"
	DoAddUnchecked      Arithmetic = "add_unchecked"
	DoSubtract          Arithmetic = "subtract"
	DoSubtractUnchecked Arithmetic = "subtract_unchecked"
	DoDivide            Arithmetic = "divide"
	DoDivideUnchecked   Arithmetic = "divide_unchecked"
)

// Add gives left plus right, in the type that both have, null where either is null. An integer
// result that does not fit is ErrOverflow.
func Add(
	ctx context.Context, engine *host.Engine, left arrow.Array, right Operand,
) (arrow.Array, error) {
	return callBinary(ctx, engine, string(DoAdd), left, right)
}

// AddUnchecked is Add with integers that wrap.
func AddUnchecked(
	ctx context.Context, engine *host.Engine, left arrow.Array, right Operand,
) (arrow.Array, error) {
	return callBinary(ctx, engine, string(DoAddUnchecked), left, right)
}

// Subtract gives left minus right, in the type that both have, null where either is null. An
// integer result that does not fit is ErrOverflow.
func Subtract(
	ctx context.Context, engine *host.Engine, left arrow.Array, right Operand,
) (arrow.Array, error) {
	return callBinary(ctx, engine, string(DoSubtract), left, right)
}

// SubtractUnchecked is Subtract with integers that wrap.
func SubtractUnchecked(
	ctx context.Context, engine *host.Engine, left arrow.Array, right Operand,
) (arrow.Array, error) {
	return callBinary(ctx, engine, string(DoSubtractUnchecked), left, right)
}

// Divide gives left by right, in the type that both have, null where either is null. Integer
// division truncates; by zero it is ErrDivideByZero, and a result that does not fit is ErrOverflow.
func Divide(
	ctx context.Context, engine *host.Engine, left arrow.Array, right Operand,
) (arrow.Array, error) {
	return callBinary(ctx, engine, string(DoDivide), left, right)
}

// DivideUnchecked is Divide with integers that wrap.
func DivideUnchecked(
	ctx context.Context, engine *host.Engine, left arrow.Array, right Operand,
) (arrow.Array, error) {
	return callBinary(ctx, engine, string(DoDivideUnchecked), left, right)
}

// BindArithmetic binds an arithmetic kernel for columns of a type and another column of that type,
// when right is nil, or a [Scalar] or [Literal]. Run it with RunColumns(ctx, left, right) or
// RunColumns(ctx, left).
func BindArithmetic(
	ctx context.Context, engine *host.Engine, arithmetic Arithmetic, left arrow.DataType,
	right Operand,
) (*Kernel, error) {
	return bindOperands(ctx, engine, string(arithmetic), left, right)
}

// Abs gives the absolute value in the column's type. The least integer is ErrOverflow.
func Abs(ctx context.Context, engine *host.Engine, column arrow.Array) (arrow.Array, error) {
	return firstColumn(callColumns(ctx, engine, host.Key{Kernel: "abs"}, nil, column))
}

// AbsUnchecked is Abs that leaves the least integer as it is.
func AbsUnchecked(
	ctx context.Context, engine *host.Engine, column arrow.Array,
) (arrow.Array, error) {
	return firstColumn(callColumns(ctx, engine, host.Key{Kernel: "abs_unchecked"}, nil, column))
}

// BindAbs binds abs, or abs_unchecked, for columns of a type. Run it with RunColumns(ctx, column).
func BindAbs(
	ctx context.Context, engine *host.Engine, column arrow.DataType, checked bool,
) (*Kernel, error) {
	kernel := "abs"
	if !checked {
		kernel = "abs_unchecked"
	}
	return bindColumns(ctx, engine, kernel, []arrow.DataType{column})
}
