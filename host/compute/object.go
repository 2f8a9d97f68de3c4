// SPDX-License-Identifier: Apache-2.0

package compute

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/host"
)

// ValueSet is a column of distinct integers or texts, prepared for look-ups. It is immutable, safe
// for concurrent use, and the caller's to release; kernels bound with it stay valid afterwards.
type ValueSet struct {
	object *host.Object
}

// NewValueSet prepares a set. The column must hold no value twice (ErrInvalid); one null is
// allowed. The set keeps the column's memory until it is released.
func NewValueSet(
	ctx context.Context, engine *host.Engine, column arrow.Array,
) (*ValueSet, error) {
	batch, err := batchOf("value_set", column)
	if err != nil {
		return nil, err
	}
	defer batch.Release()

	object, err := engine.Prepare(ctx, "value_set", batch)
	if err != nil {
		return nil, err
	}
	return &ValueSet{object: object}, nil
}

// Release gives up the caller's hold. A second call does nothing.
func (s *ValueSet) Release() {
	if s != nil {
		s.object.Release()
	}
}

// IndexIn gives for each row its position in the set's column, as int32, or null where it is not
// there. A null finds the set's null if there is one. Integers of any width match by value, texts
// of any layout by bytes.
func IndexIn(
	ctx context.Context, engine *host.Engine, column arrow.Array, set *ValueSet,
) (arrow.Array, error) {
	if set == nil {
		return nil, fail(bridge.CodeInvalid, "index_in", "the value set is nil")
	}
	key := host.Key{Kernel: "index_in", Object: set.object}
	options := []bridge.Option{{Name: "value_set", Value: set.object}}
	return firstColumn(callColumns(ctx, engine, key, options, column))
}

// BindIndexIn binds index_in for columns of a type. Run it with RunColumns(ctx, column).
func BindIndexIn(
	ctx context.Context, engine *host.Engine, column arrow.DataType, set *ValueSet,
) (*Kernel, error) {
	if set == nil {
		return nil, fail(bridge.CodeInvalid, "index_in", "the value set is nil")
	}
	return bindColumns(ctx, engine, "index_in", []arrow.DataType{column},
		bridge.Option{Name: "value_set", Value: set.object})
}

// Reference is a batch prepared to be taken from many times: the other side of a join by position.
// It is immutable, safe for concurrent use, and the caller's to release; kernels bound with it stay
// valid afterwards.
type Reference struct {
	object *host.Object
	schema *arrow.Schema
}

// NewReference prepares a batch. The reference keeps the batch's memory until it is released.
func NewReference(
	ctx context.Context, engine *host.Engine, batch arrow.RecordBatch,
) (*Reference, error) {
	object, err := engine.Prepare(ctx, "batch", batch)
	if err != nil {
		return nil, err
	}
	return &Reference{object: object, schema: batch.Schema()}, nil
}

// Schema is the schema of the batch, and of what is taken from it; nil for a nil reference.
func (r *Reference) Schema() *arrow.Schema {
	if r == nil {
		return nil
	}
	return r.schema
}

// Release gives up the caller's hold. A second call does nothing.
func (r *Reference) Release() {
	if r != nil {
		r.object.Release()
	}
}

// TakeFrom gives for each index that row of the reference. A null index gives a row of nulls; an
// index outside the reference is ErrIndex.
func TakeFrom(
	ctx context.Context, engine *host.Engine, reference *Reference, indices arrow.Array,
) (arrow.RecordBatch, error) {
	if reference == nil {
		return nil, fail(bridge.CodeInvalid, "take", "the reference is nil")
	}
	key := host.Key{Kernel: "take", Object: reference.object}
	options := []bridge.Option{{Name: "values", Value: reference.object}}
	return callColumns(ctx, engine, key, options, indices)
}

// BindTakeFrom binds TakeFrom for indices of a type. Run it with RunColumns(ctx, indices).
func BindTakeFrom(
	ctx context.Context, engine *host.Engine, reference *Reference, indices arrow.DataType,
) (*Kernel, error) {
	if reference == nil {
		return nil, fail(bridge.CodeInvalid, "take", "the reference is nil")
	}
	return bindColumns(ctx, engine, "take", []arrow.DataType{indices},
		bridge.Option{Name: "values", Value: reference.object})
}
