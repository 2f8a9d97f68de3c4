// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/host/internal/input"
	"github.com/tombolo-arrow/tombolo/host/telemetry"
)

// Object is a prepared object: a value set or a reference batch, built once and used by any number
// of kernels of the engine that made it. It is immutable and safe for concurrent use. Its maker
// releases it; kernels that were bound with it keep what they need.
type Object struct {
	engine   *Engine
	kind     string
	options  []bridge.Option
	batch    arrow.RecordBatch // kept for the library that has not made it yet
	holders  holders
	released atomic.Bool
	cleanup  runtime.Cleanup

	mu   sync.Mutex
	made map[bridge.Library]bridge.Object
}

// Prepare makes an object of the named kind from a batch. The object holds the batch until it is
// released, so its memory must not be changed. Errors are those of the kind, and ErrUnknown.
func (e *Engine) Prepare(
	ctx context.Context, kind string, batch arrow.RecordBatch, options ...bridge.Option,
) (*Object, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	if err := input.CheckBatch(kind, 0, batch); err != nil {
		return nil, err
	}
	o := &Object{
		engine: e, kind: kind, options: options, batch: batch,
		made: map[bridge.Library]bridge.Object{},
	}
	call := telemetry.Call{
		Kernel: kind, Operation: telemetry.Prepare, Carrier: e.preferred().Info().Carrier,
		RowsIn: batch.NumRows(),
	}
	err := e.observe(ctx, call, func(ctx context.Context) (int64, error) {
		_, err := o.in(ctx, e.preferred())
		if err != nil && e.mayFallBack(err) {
			_, err = o.in(ctx, e.portable)
		}
		return batch.NumRows(), err
	})
	if err != nil {
		return nil, err
	}
	batch.Retain()
	o.holders.count.Store(1)
	// A net for objects that are forgotten: the libraries have their own for what they made.
	o.cleanup = runtime.AddCleanup(o, arrow.RecordBatch.Release, batch)
	return o, nil
}

// Kind is the name it was prepared under.
func (o *Object) Kind() string {
	if o == nil {
		return ""
	}
	return o.kind
}

// Release gives up the caller's hold. A second call does nothing.
func (o *Object) Release() {
	if o == nil || o.engine == nil || o.released.Swap(true) {
		return
	}
	o.engine.cache.forget(o)
	o.unhold()
}

// in gives the object of one library, made at the first call.
func (o *Object) in(ctx context.Context, library bridge.Library) (bridge.Object, error) {
	o.mu.Lock()
	defer o.mu.Unlock()

	if made := o.made[library]; made != nil {
		return made, nil
	}
	made, err := library.Prepare(ctx, o.kind, o.batch, o.options...)
	if err != nil {
		return nil, o.engine.judge(err)
	}
	o.made[library] = made
	return made, nil
}

func (o *Object) unhold() {
	if !o.holders.drop() {
		return
	}
	o.cleanup.Stop()
	for _, made := range o.made {
		made.Release()
	}
	o.batch.Release()
}
