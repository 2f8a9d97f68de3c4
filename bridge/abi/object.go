// SPDX-License-Identifier: Apache-2.0

package abi

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/ownership/handle"
	"github.com/tombolo-arrow/tombolo/ownership/ledger"
)

// object is the user's hold on a prepared object.
type object struct {
	*preparation
	kind    string
	own     handle.Handle
	cleanup runtime.Cleanup
}

// preparation is a prepared object as its user and the calls that are given it share it; it is released when the
// last of them lets go.
type preparation struct {
	library *library
	native  uintptr
	ticket  ledger.Ticket
	refs    atomic.Int64
}

// Prepare is part of bridge.Library.
func (l *library) Prepare(
	ctx context.Context, kind string, batch arrow.RecordBatch, options ...bridge.Option,
) (bridge.Object, error) {
	if err := l.hold(); err != nil {
		return nil, err
	}
	native, err := l.prepare(ctx, kind, batch, options)
	if err != nil {
		l.drop()
		return nil, err
	}
	o := &object{preparation: &preparation{library: l, native: native}, kind: kind}
	o.refs.Store(1)
	o.ticket = l.ledger.Add(ledger.Objects, 0)
	ownFresh(&o.own, objectSubject)
	o.cleanup = runtime.AddCleanup(o, (*preparation).forgotten, o.preparation)
	return o, nil
}

func (l *library) prepare(
	ctx context.Context, kind string, batch arrow.RecordBatch, options []bridge.Option,
) (uintptr, error) {
	if l.table.Prepare == 0 {
		return 0, bridge.NewError(bridge.CodeUnsupported, kind, "the library has no objects")
	}
	if batch == nil {
		return 0, bridge.NewError(bridge.CodeInvalid, kind, "batch is nil")
	}
	if strings.ContainsRune(kind, 0) { // C would cut it down to a kind that may be known
		return 0, fmt.Errorf("%w: object kind", bridge.ErrUnknown)
	}
	layout, err := newLayout(batch.Schema())
	if err != nil {
		return 0, err
	}
	exporters := []*Exporter{l.newExporter(layout)}

	defer l.closeExporters(exporters)

	f := l.newFrame(kind, exporters)
	l.enter(f, 1)

	defer f.free()

	arguments := &arguments{library: l}

	defer arguments.free()

	schema, err := arguments.schema(structField(batch.Schema()))
	if err != nil {
		return 0, f.named(err, 0)
	}
	table, err := arguments.options(options)
	if err != nil {
		return 0, f.named(err, -1)
	}
	if err := f.begin(ctx); err != nil {
		return 0, err
	}
	if err := f.send(0, batch); err != nil {
		return 0, err
	}
	f.calls.Add(1)
	*f.result() = 0
	status := l.caller.Call7(l.table.Prepare, f.contextAddress(), arguments.text(kind), schema, f.slots[0].root(),
		uintptr(len(options)), table, f.resultAddress())
	f.settle(0, batch)
	runtime.KeepAlive(batch)
	runtime.KeepAlive(options)
	if err := f.failure(ctx, status); err != nil {
		return 0, err
	}
	return *f.result(), nil
}

// Kind is part of bridge.Object.
func (o *object) Kind() string { return o.kind }

// use gives the native object to a call of its own library, which holds it until it drops it: Release may come in
// the middle of the call.
func (o *object) use(l *library) (*preparation, error) {
	if err := o.own.Use(); err != nil {
		return nil, gone("", "prepared object was released", err)
	}
	if o.library != l {
		return nil, invalid("prepared object belongs to another library")
	}
	for {
		refs := o.refs.Load()
		if refs == 0 {
			return nil, gone("", "prepared object was released", o.own.Use())
		}
		if o.refs.CompareAndSwap(refs, refs+1) {
			return o.preparation, nil
		}
	}
}

// Release is part of bridge.Object.
func (o *object) Release() {
	if last, _ := o.own.Release(); last {
		o.cleanup.Stop()
		o.library.ledger.Remove(ledger.Objects, 0, o.ticket)
		o.drop()
	}
}

// drop gives up a hold; the last one releases the object.
func (p *preparation) drop() {
	if p.refs.Add(-1) != 0 {
		return
	}
	p.library.caller.Call(at[Object](p.native).Release, p.native, 0, 0, 0, 0, 0)
	p.library.drop()
}

// forgotten is the cleanup of an object that nobody reaches any more.
func (p *preparation) forgotten() {
	p.library.ledger.Leaked(ledger.Objects, 0, p.ticket)
	p.drop()
}
