// SPDX-License-Identifier: Apache-2.0

package compute

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tombolo-arrow/tombolo/host"
)

// Comparison is a comparison kernel, for [BindCompare].
type Comparison string

// The comparisons. Text is compared by bytes, dictionaries by value; NaN is unequal to everything.
const (
	IsEqual        Comparison = "equal"
	IsNotEqual     Comparison = "not_equal"
	IsLess         Comparison = "less"
	IsLessEqual    Comparison = "less_equal"
	IsGreater      Comparison = "greater"
	IsGreaterEqual Comparison = "greater_equal"
)

// Equal says for each row whether left is equal to right, null where either is null.
func Equal(
	ctx context.Context, engine *host.Engine, left arrow.Array, right Operand,
) (arrow.Array, error) {
	return callBinary(ctx, engine, string(IsEqual), left, right)
}

// NotEqual says for each row whether left is different from right, null where either is null.
func NotEqual(
	ctx context.Context, engine *host.Engine, left arrow.Array, right Operand,
) (arrow.Array, error) {
	return callBinary(ctx, engine, string(IsNotEqual), left, right)
}

// Less says for each row whether left is less than right, null where either is null.
func Less(
	ctx context.Context, engine *host.Engine, left arrow.Array, right Operand,
) (arrow.Array, error) {
	return callBinary(ctx, engine, string(IsLess), left, right)
}

// LessEqual says for each row whether left is less than or equal to right, null where either is
// null.
func LessEqual(
	ctx context.Context, engine *host.Engine, left arrow.Array, right Operand,
) (arrow.Array, error) {
	return callBinary(ctx, engine, string(IsLessEqual), left, right)
}

// Greater says for each row whether left is greater than right, null where either is null.
func Greater(
	ctx context.Context, engine *host.Engine, left arrow.Array, right Operand,
) (arrow.Array, error) {
	return callBinary(ctx, engine, string(IsGreater), left, right)
}

// GreaterEqual says for each row whether left is greater than or equal to right, null where either
// is null.
func GreaterEqual(
	ctx context.Context, engine *host.Engine, left arrow.Array, right Operand,
) (arrow.Array, error) {
	return callBinary(ctx, engine, string(IsGreaterEqual), left, right)
}

// BindCompare binds a comparison of columns of a type with another column of that type, when right
// is nil, or with a [Scalar] or [Literal]. Run it with RunColumns(ctx, left, right) or
// RunColumns(ctx, left).
func BindCompare(
	ctx context.Context, engine *host.Engine, comparison Comparison, left arrow.DataType,
	right Operand,
) (*Kernel, error) {
	return bindOperands(ctx, engine, string(comparison), left, right)
}
