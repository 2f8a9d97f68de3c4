// SPDX-License-Identifier: Apache-2.0

package abi

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"
)

// ForeignBatch imports a C schema and a C struct array that somebody else made as a record batch,
// after [Validate] at the level. It consumes both, on success and on failure. The result is the
// caller's to release.
func (im *Importer) ForeignBatch(
	ctx context.Context, schema *ArrowSchema, a *ArrowArray, level int32,
) (arrow.RecordBatch, error) {
	if err := im.admit(ctx, schema, a, level); err != nil {
		return nil, err
	}
	imported, err := ImportSchema(im.caller, schema)
	if err != nil {
		im.refuse(a)
		return nil, err
	}
	return im.Batch(imported, a, nil)
}

// ForeignArray is [Importer.ForeignBatch] for an array of any type.
func (im *Importer) ForeignArray(
	ctx context.Context, schema *ArrowSchema, a *ArrowArray, level int32,
) (arrow.Array, error) {
	if err := im.admit(ctx, schema, a, level); err != nil {
		return nil, err
	}
	field, err := ImportField(im.caller, schema)
	if err != nil {
		im.refuse(a)
		return nil, err
	}
	return im.Array(field.Type, a, nil)
}

// admit validates, and consumes what it refuses.
func (im *Importer) admit(ctx context.Context, schema *ArrowSchema, a *ArrowArray, level int32) error {
	err := invalid("array is NULL")
	if a != nil {
		err = Validate(ctx, schema, a, level)
	}
	if err != nil {
		im.refuse(a)
		if schema != nil {
			releaseSchema(im.caller, schema)
		}
	}
	return err
}
