// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"context"
	"runtime"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/ownership/ledger"
)

// boundCore is what a bound kernel shares with its states: the objects stay as long as one of them
// lives.
type boundCore struct {
	library *library
	info    bridge.KernelInfo
	inputs  []*arrow.Schema
	shape   *bound
	objects []*handleCore
	holders holders
	ticket  ledger.Ticket
}

func (b *boundCore) release() {
	if b.holders.drop() {
		for _, object := range b.objects {
			object.release()
		}
	}
}

// forgotten is the cleanup of a bound kernel that nobody reaches any more.
func (b *boundCore) forgotten() {
	b.library.ledger.Leaked(ledger.BoundKernels, 0, b.ticket)
	b.release()
}

// boundKernel implements bridge.Bound.
type boundKernel struct {
	core     *boundCore
	released atomic.Bool
	cleanup  runtime.Cleanup
}

func newBoundKernel(l *library, info bridge.KernelInfo, b *binding, shape *bound) *boundKernel {
	core := &boundCore{
		library: l, info: info, inputs: b.inputs, shape: shape, objects: b.options.held,
	}
	core.holders.count.Store(1)
	core.ticket = l.ledger.Add(ledger.BoundKernels, 0)
	k := &boundKernel{core: core}
	k.cleanup = runtime.AddCleanup(k, (*boundCore).forgotten, core)
	return k
}

func (b *boundKernel) Kernel() bridge.KernelInfo { return b.core.info }
func (b *boundKernel) Inputs() []*arrow.Schema   { return b.core.inputs }
func (b *boundKernel) Output() *arrow.Schema     { return b.core.shape.output }

func (b *boundKernel) Release() {
	if b.released.Swap(true) {
		return
	}
	b.cleanup.Stop()
	b.core.library.ledger.Remove(ledger.BoundKernels, 0, b.core.ticket)
	b.core.release()
}

func (b *boundKernel) Run(
	ctx context.Context, inputs ...arrow.RecordBatch,
) (arrow.RecordBatch, error) {
	core := b.core
	if err := b.enter(bridge.Map); err != nil {
		return nil, err
	}
	defer core.release()

	if len(inputs) != len(core.inputs) {
		return nil, bridge.NewError(bridge.CodeInvalid, core.info.Name, "wrong number of inputs")
	}
	for i, batch := range inputs {
		if err := core.checkBatch(i, batch); err != nil {
			return nil, err
		}
	}
	c := core.library.newCall(ctx, core.info.Name)
	if err := c.cancelled(); err != nil {
		return nil, err
	}
	c.inputs, c.objects = inputs, core.objects
	columns, rows, err := guardResult(c, func() ([]arrow.Array, int64, error) {
		return core.shape.run(c, inputs)
	})
	return core.batch(columns, rows, err)
}

func (b *boundKernel) NewState(ctx context.Context) (bridge.State, error) {
	if err := b.enter(bridge.Accumulate); err != nil {
		return nil, err
	}
	c := b.core.library.newCall(ctx, b.core.info.Name)
	inside, err := guardValue(c, func() (state, error) { return b.core.shape.open(c) })
	if err != nil {
		b.core.release()
		return nil, err
	}
	return newState(b.core, inside), nil
}

func (b *boundKernel) NewEmitter(ctx context.Context) (bridge.Emitter, error) {
	if err := b.enter(bridge.Emit); err != nil {
		return nil, err
	}
	c := b.core.library.newCall(ctx, b.core.info.Name)
	inside, err := guardValue(c, func() (emitter, error) { return b.core.shape.emit(c) })
	if err != nil {
		b.core.release()
		return nil, err
	}
	return newEmitter(b.core, inside), nil
}

// enter takes a hold on the core for a method of the given kind.
func (b *boundKernel) enter(kind bridge.Kind) error {
	if b.core.library.closed.Load() {
		return bridge.ErrClosed
	}
	if b.core.info.Kind != kind {
		return bridge.ErrKind
	}
	if b.released.Load() || !b.core.holders.take() {
		return bridge.NewError(bridge.CodeReleased, b.core.info.Name,
			"the bound kernel was released")
	}
	return nil
}

// checkBatch refuses a batch that has not the bound schema. Names and metadata may differ: no
// kernel reads them after bind.
func (b *boundCore) checkBatch(argument int, batch arrow.RecordBatch) error {
	if batch == nil {
		err := bridge.NewError(bridge.CodeInvalid, b.info.Name, "a batch is nil")
		err.Argument = argument
		return err
	}
	want, got := b.inputs[argument], batch.Schema()
	if len(batch.Columns()) != got.NumFields() {
		return bridge.ColumnError(bridge.CodeReleased, b.info.Name, argument, -1,
			"the batch was released")
	}
	if want == got {
		return checkColumns(b.info.Name, argument, batch, false)
	}
	if want.NumFields() != got.NumFields() {
		return bridge.ColumnError(bridge.CodeInvalid, b.info.Name, argument, -1,
			"the batch has not as many columns as the bound schema")
	}
	for i := range want.NumFields() {
		if !arrow.TypeEqual(want.Field(i).Type, got.Field(i).Type) {
			return bridge.ColumnError(bridge.CodeInvalid, b.info.Name, argument, i,
				"the column has not the type of the bound schema")
		}
	}
	return checkColumns(b.info.Name, argument, batch, false)
}

// batch wraps result columns, which it takes over, on success and on failure.
func (b *boundCore) batch(columns []arrow.Array, rows int64, err error) (arrow.RecordBatch, error) {
	defer func() {
		for _, column := range columns {
			if column != nil {
				column.Release()
			}
		}
	}()
	if err != nil {
		return nil, err
	}
	if len(columns) != b.shape.output.NumFields() {
		return nil, bridge.NewError(bridge.CodeInternal, b.info.Name,
			"the result has the wrong number of columns")
	}
	return array.NewRecordBatch(b.shape.output, columns, rows), nil
}
