// SPDX-License-Identifier: Apache-2.0

package compute

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/host"
)

// Rechunker gives the rows that are pushed in batches of one size. It belongs to one goroutine at a
// time and is the caller's to close.
type Rechunker struct{ emitter *host.Emitter }

// Rechunk opens a rechunker for batches of a schema.
func Rechunk(
	ctx context.Context, engine *host.Engine, schema *arrow.Schema, rows int64,
) (*Rechunker, error) {
	kernel, err := engine.Bind(ctx, "rechunk", []*arrow.Schema{schema},
		bridge.Option{Name: "rows", Value: rows})
	if err != nil {
		return nil, err
	}
	// The emitter keeps what it needs.
	defer kernel.Release()

	emitter, err := kernel.NewEmitter(ctx)
	if err != nil {
		return nil, err
	}
	return &Rechunker{emitter: emitter}, nil
}

// Push gives a batch, which stays the caller's; nil says that no more will come.
func (r *Rechunker) Push(ctx context.Context, batch arrow.RecordBatch) error {
	return r.inside().Push(ctx, batch)
}

// Next returns the next batch, which is the caller's to release; host.ErrNeedInput when a push must
// come first; io.EOF after the last one, which may be shorter.
func (r *Rechunker) Next(ctx context.Context) (arrow.RecordBatch, error) {
	return r.inside().Next(ctx)
}

// Close frees the rechunker. A second call does nothing.
func (r *Rechunker) Close() { r.inside().Close() }

// inside is nil for a nil rechunker: methods of a nil emitter fail with a typed error.
func (r *Rechunker) inside() *host.Emitter {
	if r == nil {
		return nil
	}
	return r.emitter
}
