// SPDX-License-Identifier: Apache-2.0

package abi

import (
	"context"
	"runtime"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tombolo-arrow/tombolo/bridge"
)

// Run is part of bridge.Bound.
func (k *boundKernel) Run(ctx context.Context, inputs ...arrow.RecordBatch) (arrow.RecordBatch, error) {
	if err := k.alive(); err != nil {
		return nil, err
	}
	if err := k.hold(bridge.Map); err != nil {
		return nil, err
	}
	batch, err := k.run(ctx, inputs)
	k.drop()
	runtime.KeepAlive(k)
	return batch, err
}

func (b *bound) run(ctx context.Context, inputs []arrow.RecordBatch) (arrow.RecordBatch, error) {
	if len(inputs) != len(b.exporters) {
		return nil, bridge.NewError(bridge.CodeInvalid, b.info.Name, "wrong number of inputs")
	}
	f := b.take()

	defer b.give(f)

	if err := f.begin(ctx); err != nil {
		return nil, err
	}
	for i, input := range inputs {
		if err := f.send(i, input); err != nil {
			for sent := range i {
				f.unsend(sent)
			}
			return nil, err
		}
	}
	f.calls.Add(1)
	f.output().Release = 0
	status := b.library.caller.Call(
		b.kernel.Run, f.contextAddress(), b.native, f.inputs(), f.outputAddress(), 0, 0)
	for i, input := range inputs {
		f.settle(i, input)
	}
	runtime.KeepAlive(inputs)
	if err := f.failure(ctx, status); err != nil {
		return nil, err
	}
	return b.result(ctx, f)
}

// give takes a frame back after a call.
func (b *bound) give(f *frame) {
	f.unwatch()
	b.frames.give(f)
}
