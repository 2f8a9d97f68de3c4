// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"context"
	"runtime"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/ownership/ledger"
)

// held is what a state or an emitter must give back: apart from it, so that a cleanup can.
type held struct {
	core   *boundCore
	kind   ledger.Kind
	ticket ledger.Ticket
	close  func()
}

func (h held) release() {
	h.core.library.ledger.Remove(h.kind, 0, h.ticket)
	h.close()
	h.core.release()
}

// forgotten is the cleanup of a state that nobody reaches any more.
func (h held) forgotten() {
	h.core.library.ledger.Leaked(h.kind, 0, h.ticket)
	h.close()
	h.core.release()
}

// boundState implements bridge.State over the state of a kernel.
type boundState struct {
	held
	inside  state // nil once closed
	cleanup runtime.Cleanup
}

// newState takes over the caller's hold on the core.
func newState(core *boundCore, inside state) *boundState {
	ticket := core.library.ledger.Add(ledger.States, 0)
	s := &boundState{held: held{core, ledger.States, ticket, inside.close}, inside: inside}
	s.cleanup = runtime.AddCleanup(s, held.forgotten, s.held)
	return s
}

func (s *boundState) Consume(ctx context.Context, batch arrow.RecordBatch) error {
	defer runtime.KeepAlive(s) // or the cleanup closes it under the call

	c, err := s.core.enterState(ctx, s.inside != nil)
	if err != nil {
		return err
	}
	if err := s.core.checkBatch(0, batch); err != nil {
		return err
	}
	c.input[0] = batch
	c.inputs = c.input[:]
	return guard(c, func() error { return s.inside.consume(c, batch) })
}

func (s *boundState) Merge(ctx context.Context, other bridge.State) error {
	defer runtime.KeepAlive(s) // or the cleanup closes it under the call

	c, err := s.core.enterState(ctx, s.inside != nil)
	if err != nil {
		return err
	}
	from, ok := other.(*boundState)
	if !ok || from.core != s.core {
		return c.fail(bridge.CodeInvalid, "merge takes a state of the same bound kernel")
	}
	if from == s {
		return c.fail(bridge.CodeInvalid, "a state cannot be merged into itself")
	}
	if from.inside == nil {
		return c.fail(bridge.CodeReleased, "the other state is closed")
	}
	defer runtime.KeepAlive(from)

	return guard(c, func() error { return s.inside.merge(c, from.inside) })
}

func (s *boundState) Finish(ctx context.Context) (arrow.RecordBatch, error) {
	defer runtime.KeepAlive(s) // or the cleanup closes it under the call

	c, err := s.core.enterState(ctx, s.inside != nil)
	if err != nil {
		return nil, err
	}
	columns, rows, err := guardResult(c, func() ([]arrow.Array, int64, error) {
		return s.inside.finish(c)
	})
	return s.core.batch(columns, rows, err)
}

func (s *boundState) Close() {
	if s.inside == nil {
		return
	}
	s.inside = nil
	s.cleanup.Stop()
	s.release()
}

// boundEmitter implements bridge.Emitter over the emitter of a kernel.
type boundEmitter struct {
	held
	inside  emitter // nil once closed
	ended   bool
	cleanup runtime.Cleanup
}

// newEmitter takes over the caller's hold on the core.
func newEmitter(core *boundCore, inside emitter) *boundEmitter {
	ticket := core.library.ledger.Add(ledger.Emitters, 0)
	e := &boundEmitter{held: held{core, ledger.Emitters, ticket, inside.close}, inside: inside}
	e.cleanup = runtime.AddCleanup(e, held.forgotten, e.held)
	return e
}

func (e *boundEmitter) Push(ctx context.Context, batch arrow.RecordBatch) error {
	defer runtime.KeepAlive(e) // or the cleanup closes it under the call

	c, err := e.core.enterState(ctx, e.inside != nil)
	if err != nil {
		return err
	}
	if e.ended {
		return c.fail(bridge.CodeInvalid, "push after the end")
	}
	if batch != nil {
		if err := e.core.checkBatch(0, batch); err != nil {
			return err
		}
	}
	e.ended = batch == nil
	c.input[0] = batch
	c.inputs = c.input[:]
	return guard(c, func() error { return e.inside.push(c, batch) })
}

func (e *boundEmitter) Next(ctx context.Context) (arrow.RecordBatch, error) {
	defer runtime.KeepAlive(e) // or the cleanup closes it under the call

	c, err := e.core.enterState(ctx, e.inside != nil)
	if err != nil {
		return nil, err
	}
	if keeper, ok := e.inside.(batchKeeper); ok {
		c.inputs = keeper.batches()
	}
	columns, rows, err := guardNext(c, func() ([]arrow.Array, int64, error) {
		return e.inside.next(c)
	})
	return e.core.batch(columns, rows, err)
}

func (e *boundEmitter) Close() {
	if e.inside == nil {
		return
	}
	e.inside = nil
	e.cleanup.Stop()
	e.release()
}

// enterState checks what holds for every method of a state: the library and the state are open, the
// call is not cancelled.
func (b *boundCore) enterState(ctx context.Context, open bool) (*call, error) {
	if b.library.closed.Load() {
		return nil, bridge.ErrClosed
	}
	if !open {
		return nil, bridge.NewError(bridge.CodeReleased, b.info.Name, "the state is closed")
	}
	c := b.library.newCall(ctx, b.info.Name)
	c.objects = b.objects
	return c, c.cancelled()
}
