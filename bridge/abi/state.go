// SPDX-License-Identifier: Apache-2.0

package abi

import (
	"context"
	"runtime"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/ownership/handle"
	"github.com/tombolo-arrow/tombolo/ownership/ledger"
)

// core is what a state and an emitter have in common: a native state with a frame of its own, so that nothing is
// looked for per call.
type core struct {
	bound  *bound
	frame  *frame
	native uintptr
	own    handle.Handle
	kind   ledger.Kind
	ticket ledger.Ticket
}

// state is a state of an accumulate kernel.
type state struct {
	*core
	cleanup runtime.Cleanup
}

// openCore opens a native state of the kernel, which it keeps bound.
func (k *boundKernel) openCore(ctx context.Context, kind bridge.Kind, counted ledger.Kind) (*core, error) {
	if err := k.alive(); err != nil {
		return nil, err
	}
	b := k.bound
	if err := b.hold(kind); err != nil {
		return nil, err
	}
	f := b.take()
	err := f.begin(ctx)
	if err == nil {
		*f.result() = 0
		status := b.library.caller.Call(b.kernel.Open, f.contextAddress(), b.native, f.resultAddress(), 0, 0, 0)
		err = f.failure(ctx, status)
	}
	if err != nil {
		b.give(f)
		b.drop()
		return nil, err
	}
	runtime.KeepAlive(k)
	c := &core{bound: b, frame: f, native: *f.result(), kind: counted}
	c.ticket = b.library.ledger.Add(counted, 0)
	ownFresh(&c.own, stateSubject)
	return c, nil
}

// ready fails when the state or its library is closed. It asks the frame, not the handle: that is read anyway.
func (c *core) ready() error {
	if c.frame == nil {
		return gone(c.bound.info.Name, "used after close", c.own.Use())
	}
	if c.bound.library.closed.Load() {
		return bridge.ErrClosed
	}
	return nil
}

// end releases the state and tells whether it was the first time.
func (c *core) end() bool {
	last, _ := c.own.Release()
	return last
}

// close frees the native state and gives up the kernel.
func (c *core) close() {
	b := c.bound
	b.library.caller.Call(b.kernel.Close, c.native, 0, 0, 0, 0, 0)
	b.give(c.frame)
	c.frame, c.native = nil, 0
	b.drop()
}

// forgotten is the cleanup of a state that nobody reaches any more.
func (c *core) forgotten() {
	c.bound.library.ledger.Leaked(c.kind, 0, c.ticket)
	c.close()
}

// push gives a batch to a function that takes context, bound, state and input.
func (c *core) push(ctx context.Context, function uintptr, batch arrow.RecordBatch) error {
	if err := c.ready(); err != nil {
		return err
	}
	f := c.frame
	if err := f.begin(ctx); err != nil {
		return err
	}
	if err := f.send(0, batch); err != nil {
		return err
	}
	f.calls.Add(1)
	status := c.bound.library.caller.Call(
		function, f.contextAddress(), c.bound.native, c.native, f.slots[0].root(), 0, 0)
	f.settle(0, batch)
	runtime.KeepAlive(batch)
	return f.failure(ctx, status)
}

// pull fills the frame's output by a function that takes context, bound, state and output.
func (c *core) pull(ctx context.Context, function uintptr) error {
	if err := c.ready(); err != nil {
		return err
	}
	f := c.frame
	if err := f.begin(ctx); err != nil {
		return err
	}
	f.output().Release = 0
	status := c.bound.library.caller.Call(
		function, f.contextAddress(), c.bound.native, c.native, f.outputAddress(), 0, 0)
	return f.failure(ctx, status)
}

// NewState is part of bridge.Bound.
func (k *boundKernel) NewState(ctx context.Context) (bridge.State, error) {
	c, err := k.openCore(ctx, bridge.Accumulate, ledger.States)
	if err != nil {
		return nil, err
	}
	s := &state{core: c}
	s.cleanup = runtime.AddCleanup(s, (*core).forgotten, c)
	return s, nil
}

// Consume is part of bridge.State.
func (s *state) Consume(ctx context.Context, batch arrow.RecordBatch) error {
	err := s.push(ctx, s.bound.kernel.Consume, batch)
	runtime.KeepAlive(s)
	return err
}

// Merge is part of bridge.State.
func (s *state) Merge(ctx context.Context, other bridge.State) error {
	if err := s.ready(); err != nil {
		return err
	}
	o, ok := other.(*state)
	if !ok || o.bound != s.bound || o == s {
		return bridge.NewError(
			bridge.CodeInvalid, s.bound.info.Name, "merge needs another state of the same kernel")
	}
	if err := o.ready(); err != nil {
		return err
	}
	f := s.frame
	if err := f.begin(ctx); err != nil {
		return err
	}
	status := s.bound.library.caller.Call(
		s.bound.kernel.Merge, f.contextAddress(), s.bound.native, s.native, o.native, 0, 0)
	runtime.KeepAlive(s)
	runtime.KeepAlive(o)
	return f.failure(ctx, status)
}

// Finish is part of bridge.State.
func (s *state) Finish(ctx context.Context) (arrow.RecordBatch, error) {
	if err := s.pull(ctx, s.bound.kernel.Finish); err != nil {
		return nil, err
	}
	batch, err := s.bound.result(ctx, s.frame)
	runtime.KeepAlive(s)
	return batch, err
}

// Close is part of bridge.State.
func (s *state) Close() {
	if !s.end() {
		return
	}
	s.cleanup.Stop()
	s.bound.library.ledger.Remove(s.kind, 0, s.ticket)
	s.close()
}
