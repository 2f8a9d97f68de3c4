// SPDX-License-Identifier: Apache-2.0

package abi

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/ownership/handle"
	"github.com/tombolo-arrow/tombolo/ownership/ledger"
)

// bound is a bound kernel as calls and states share it; it is unbound when the last of them lets go.
type bound struct {
	library   *library
	kernel    *Kernel
	info      bridge.KernelInfo
	inputs    []*arrow.Schema
	layout    *layout // of the output
	schema    schemaBlock
	exporters []*Exporter
	native    uintptr
	ticket    ledger.Ticket
	refs      atomic.Int64
	frames    freeList[frame]
}

// boundKernel is the user's hold on a bound kernel.
type boundKernel struct {
	*bound
	own     handle.Handle
	cleanup runtime.Cleanup
}

// Bind is part of bridge.Library.
func (l *library) Bind(
	ctx context.Context, kernel string, inputs []*arrow.Schema, options ...bridge.Option,
) (bridge.Bound, error) {
	if err := l.hold(); err != nil {
		return nil, err
	}
	b, err := l.bind(ctx, kernel, inputs, options)
	if err != nil {
		l.drop()
		return nil, err
	}
	b.ticket = l.ledger.Add(ledger.BoundKernels, 0)
	k := &boundKernel{bound: b}
	ownFresh(&k.own, boundKernelSubject)
	k.cleanup = runtime.AddCleanup(k, (*bound).forgotten, b)
	return k, nil
}

func (l *library) bind(
	ctx context.Context, name string, inputs []*arrow.Schema, options []bridge.Option,
) (_ *bound, err error) {
	kernel, info, err := l.find(name)
	if err != nil {
		return nil, err
	}
	if info.Inputs >= 0 && len(inputs) != info.Inputs || len(inputs) == 0 {
		return nil, bridge.NewError(bridge.CodeInvalid, name, "wrong number of inputs")
	}
	b := &bound{library: l, kernel: kernel, info: info, inputs: slices.Clone(inputs)}
	b.refs.Store(1)
	arguments := &arguments{library: l}

	defer arguments.free()

	f := l.newFrame(name, nil)

	defer f.free()

	schemas, err := arguments.schemas(inputs)
	if err != nil {
		return nil, f.kernelOf(err)
	}
	table, err := arguments.options(options)
	if err != nil {
		return nil, f.named(err, -1)
	}
	if err := f.begin(ctx); err != nil {
		return nil, err
	}
	*f.result() = 0
	*f.schema() = ArrowSchema{}
	status := l.caller.Call7(kernel.Bind, f.contextAddress(), uintptr(len(inputs)), schemas,
		uintptr(len(options)), table, f.resultAddress(), f.outputAddress())
	runtime.KeepAlive(options)
	if err := f.failure(ctx, status); err != nil {
		return nil, err
	}
	b.native = *f.result()
	if err := b.prepare(f); err != nil {
		l.caller.Call(kernel.Unbind, b.native, 0, 0, 0, 0, 0)
		return nil, err
	}
	return b, nil
}

// prepare resolves the output schema and makes the exporters of the inputs.
func (b *bound) prepare(f *frame) error {
	l := b.library
	output, err := ImportSchema(l.caller, f.schema())
	if err != nil {
		return fmt.Errorf("result schema of %s: %w", b.info.Name, err)
	}
	if b.layout, err = newLayout(output); err != nil {
		return fmt.Errorf("result schema of %s: %w", b.info.Name, err)
	}
	if l.entry.Foreign {
		b.schema, err = layOutSchema(l.memory, structField(output), l.releases.Schema, l.releases.SchemaChild)
		if err != nil {
			return err
		}
	}
	var layouts []*layout
	for _, input := range b.inputs {
		layout, err := newLayout(input)
		if err != nil {
			b.freeSchema()
			return f.named(err, len(layouts))
		}
		layouts = append(layouts, layout)
	}
	for _, layout := range layouts {
		b.exporters = append(b.exporters, l.newExporter(layout))
	}
	return nil
}

func (b *bound) freeSchema() {
	if b.schema.address != 0 {
		b.library.memory.release(b.schema.address, b.schema.bytes)
	}
}

// Kernel is part of bridge.Bound.
func (b *bound) Kernel() bridge.KernelInfo { return b.info }

// Inputs is part of bridge.Bound.
func (b *bound) Inputs() []*arrow.Schema { return slices.Clone(b.inputs) }

// Output is part of bridge.Bound.
func (b *bound) Output() *arrow.Schema { return b.layout.schema }

// hold keeps the kernel bound; it fails after the last hold is gone or the library is closed.
func (b *bound) hold(kind bridge.Kind) error {
	if b.info.Kind != kind {
		return fmt.Errorf("%w: %s", bridge.ErrKind, b.info.Name)
	}
	if b.library.closed.Load() {
		return bridge.ErrClosed
	}
	for {
		refs := b.refs.Load()
		if refs == 0 {
			return bridge.NewError(bridge.CodeReleased, b.info.Name, "bound kernel was released")
		}
		if b.refs.CompareAndSwap(refs, refs+1) {
			return nil
		}
	}
}

// drop gives up a hold; the last one unbinds.
func (b *bound) drop() {
	if b.refs.Add(-1) != 0 {
		return
	}
	for _, f := range b.frames.empty() {
		f.free()
	}
	l := b.library
	l.closeExporters(b.exporters)
	l.caller.Call(b.kernel.Unbind, b.native, 0, 0, 0, 0, 0)
	b.freeSchema()
	l.drop()
}

// take returns a frame for a call, or makes one.
func (b *bound) take() *frame {
	if f := b.frames.take(); f != nil {
		return f
	}
	f := b.library.newFrame(b.info.Name, b.exporters)
	b.library.enter(f, len(b.exporters))
	return f
}

// result imports the output of a call.
func (b *bound) result(ctx context.Context, f *frame) (arrow.RecordBatch, error) {
	batch, err := b.library.importer.batch(b.layout, f.output(), b.library.check(ctx, f, b.schema.root()), nil)
	if err != nil {
		return nil, f.named(err, -1)
	}
	return batch, nil
}

// Release is part of bridge.Bound.
func (k *boundKernel) Release() {
	// A second call does nothing; the handle counts it.
	if last, _ := k.own.Release(); last {
		k.cleanup.Stop()
		k.library.ledger.Remove(ledger.BoundKernels, 0, k.ticket)
		k.drop()
	}
}

// alive fails after Release. It costs one load as long as all is well.
func (k *boundKernel) alive() error {
	if k.own.State() == handle.Owned {
		return nil
	}
	return gone(k.info.Name, "bound kernel was released", k.own.Use())
}

// forgotten is the cleanup of a hold that nobody reaches any more.
func (b *bound) forgotten() {
	b.library.ledger.Leaked(ledger.BoundKernels, 0, b.ticket)
	b.drop()
}
