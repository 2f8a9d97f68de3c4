// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/ownership/ledger"
)

// boundState implements bridge.State over the state of a kernel.
type boundState struct {
	core   *boundCore
	inside state
	ticket ledger.Ticket
}

func (s *boundState) Consume(ctx context.Context, batch arrow.RecordBatch) error {
	c, err := s.core.enterState(ctx, s.inside != nil)
	if err != nil {
		return err
	}
	if err := s.core.checkBatch(0, batch); err != nil {
		return err
	}
	return guard(c, func() error { return s.inside.consume(c, batch) })
}

func (s *boundState) Merge(ctx context.Context, other bridge.State) error {
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
	return guard(c, func() error { return s.inside.merge(c, from.inside) })
}

func (s *boundState) Finish(ctx context.Context) (arrow.RecordBatch, error) {
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
	s.inside.close()
	s.inside = nil
	s.core.library.ledger.Remove(ledger.States, 0, s.ticket)
	s.core.release()
}

// boundEmitter implements bridge.Emitter over the emitter of a kernel.
type boundEmitter struct {
	core   *boundCore
	inside emitter
	ended  bool
	ticket ledger.Ticket
}

func (e *boundEmitter) Push(ctx context.Context, batch arrow.RecordBatch) error {
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
	return guard(c, func() error { return e.inside.push(c, batch) })
}

func (e *boundEmitter) Next(ctx context.Context) (arrow.RecordBatch, error) {
	c, err := e.core.enterState(ctx, e.inside != nil)
	if err != nil {
		return nil, err
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
	e.inside.close()
	e.inside = nil
	e.core.library.ledger.Remove(ledger.Emitters, 0, e.ticket)
	e.core.release()
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
	return c, c.cancelled()
}
