// SPDX-License-Identifier: Apache-2.0

package abi

import (
	"context"
	"io"
	"runtime"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/ownership/ledger"
)

// emitter is a state of an emit kernel.
type emitter struct {
	*core
	ended   bool
	cleanup runtime.Cleanup
}

// NewEmitter is part of bridge.Bound.
func (k *boundKernel) NewEmitter(ctx context.Context) (bridge.Emitter, error) {
	c, err := k.openCore(ctx, bridge.Emit, ledger.Emitters)
	if err != nil {
		return nil, err
	}
	e := &emitter{core: c}
	e.cleanup = runtime.AddCleanup(e, (*core).forgotten, c)
	return e, nil
}

// Push is part of bridge.Emitter.
func (e *emitter) Push(ctx context.Context, batch arrow.RecordBatch) error {
	defer runtime.KeepAlive(e)

	if err := e.ready(); err != nil {
		return err
	}
	if e.ended {
		return bridge.NewError(bridge.CodeInvalid, e.bound.info.Name, "push after the last batch")
	}
	if batch != nil {
		return e.push(ctx, e.bound.kernel.Push, batch)
	}
	f := e.frame
	if err := f.begin(ctx); err != nil {
		return err
	}
	status := e.bound.library.caller.Call(
		e.bound.kernel.Push, f.contextAddress(), e.bound.native, e.native, 0, 0, 0)
	if err := f.failure(ctx, status); err != nil {
		return err
	}
	e.ended = true
	return nil
}

// Next is part of bridge.Emitter.
func (e *emitter) Next(ctx context.Context) (arrow.RecordBatch, error) {
	defer runtime.KeepAlive(e)

	if err := e.pull(ctx, e.bound.kernel.Next); err != nil {
		return nil, err
	}
	if e.frame.output().Release == 0 {
		if e.ended {
			return nil, io.EOF
		}
		return nil, bridge.ErrNeedInput
	}
	return e.bound.result(ctx, e.frame)
}

// Close is part of bridge.Emitter.
func (e *emitter) Close() {
	if !e.end() {
		return
	}
	e.cleanup.Stop()
	e.bound.library.ledger.Remove(e.kind, 0, e.ticket)
	e.close()
}
