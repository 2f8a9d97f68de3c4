// SPDX-License-Identifier: Apache-2.0

package flights

import (
	"context"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
)

// Batches is a source of batches in memory, which stay the caller's. It may be read once.
type Batches struct{ left []arrow.RecordBatch }

// FromBatches makes a source of batches; they must outlive the run.
func FromBatches(batches []arrow.RecordBatch) *Batches { return &Batches{left: batches} }

// Next hands out the next batch.
func (b *Batches) Next(ctx context.Context) (arrow.RecordBatch, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(b.left) == 0 {
		return nil, io.EOF
	}
	batch := b.left[0]
	b.left = b.left[1:]
	batch.Retain()
	return batch, nil
}
