// SPDX-License-Identifier: Apache-2.0

package abi

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"
)

// ForeignBatch is [Importer.Receive] and [Foreign.Batch]: it imports a C schema and a C struct array that somebody
// else made as a record batch, after [Validate] at the level. It consumes both, on success and on failure. A root
// that is released already gives an error that matches bridge.ErrReleased and handle.ErrUseAfterRelease. The
// result is the caller's to release.
func (im *Importer) ForeignBatch(
	ctx context.Context, schema *ArrowSchema, a *ArrowArray, level int32,
) (arrow.RecordBatch, error) {
	f, err := im.Receive(schema, a)
	if err != nil {
		return nil, err
	}
	return f.Batch(ctx, level)
}

// ForeignArray is [Importer.ForeignBatch] for an array of any type.
func (im *Importer) ForeignArray(
	ctx context.Context, schema *ArrowSchema, a *ArrowArray, level int32,
) (arrow.Array, error) {
	f, err := im.Receive(schema, a)
	if err != nil {
		return nil, err
	}
	return f.Array(ctx, level)
}
