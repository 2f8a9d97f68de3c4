// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/host/internal/input"
	"github.com/tombolo-arrow/tombolo/host/telemetry"
)

// State gathers batches towards one result. It belongs to one goroutine at a time; several states
// of one kernel may run side by side and be merged at the end.
type State struct {
	kernel  *Kernel
	library bridge.Library
	inside  bridge.State // nil once closed
}

// NewState opens a state of an accumulate kernel, natively where that is open: a state sees many
// batches. The state is the caller's to close.
func (k *Kernel) NewState(ctx context.Context) (*State, error) {
	if err := k.enter(ctx); err != nil {
		return nil, err
	}
	defer k.unhold()

	return k.newStateIn(ctx, k.large)
}

func (k *Kernel) newStateIn(ctx context.Context, library bridge.Library) (*State, error) {
	bound, err := k.boundIn(ctx, library)
	if err != nil {
		return nil, err
	}
	inside, err := bound.NewState(ctx)
	if err != nil {
		return nil, k.engine.judge(err)
	}
	return &State{kernel: k, library: library, inside: inside}, nil
}

// Consume adds a batch, which stays the caller's. After an error the state can only be closed: it
// may have taken a part of the batch.
func (s *State) Consume(ctx context.Context, batch arrow.RecordBatch) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	k := s.kernel
	if err := input.CheckBatch(k.name, 0, batch); err != nil {
		return err
	}
	var err error
	if k.engine.collector == nil {
		err = s.inside.Consume(ctx, batch)
	} else {
		err = k.observe(ctx, telemetry.Consume, s.library, batch.NumRows(),
			func(ctx context.Context) (int64, error) { return 0, s.inside.Consume(ctx, batch) })
	}
	if err != nil {
		return k.engine.judge(err)
	}
	k.count(s.library)
	return nil
}

// Merge adds all of other, a state of the same kernel, and leaves it empty; other must still be
// closed.
func (s *State) Merge(ctx context.Context, other *State) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	k := s.kernel
	if other == nil || other.kernel != k || other.library != s.library {
		return bridge.NewError(bridge.CodeInvalid, k.name, "merge takes a state of the same kernel")
	}
	if other.inside == nil {
		return bridge.NewError(bridge.CodeReleased, k.name, "the other state is closed")
	}
	return k.engine.judge(k.observe(ctx, telemetry.Merge, s.library, 0,
		func(ctx context.Context) (int64, error) { return 0, s.inside.Merge(ctx, other.inside) }))
}

// Finish returns the result, which is the caller's to release, and leaves the state empty.
func (s *State) Finish(ctx context.Context) (arrow.RecordBatch, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	k := s.kernel
	var result arrow.RecordBatch
	err := k.observe(ctx, telemetry.Finish, s.library, 0,
		func(ctx context.Context) (rows int64, err error) {
			if result, err = s.inside.Finish(ctx); err != nil {
				return 0, err
			}
			return result.NumRows(), nil
		})
	if err != nil {
		return nil, k.engine.judge(err)
	}
	return k.engine.deliver(result, s.library), nil
}

// Close frees the state. A second call does nothing.
func (s *State) Close() {
	if s != nil && s.inside != nil {
		s.inside.Close()
		s.inside = nil
	}
}

func (s *State) enter(ctx context.Context) error {
	if s == nil {
		return invalid("the state is nil")
	}
	if s.inside == nil {
		return bridge.NewError(bridge.CodeReleased, s.kernel.Name(), "the state is closed")
	}
	return s.kernel.engine.enter(ctx)
}

// Emitter turns pushed batches into others. It belongs to one goroutine at a time.
type Emitter struct {
	kernel  *Kernel
	library bridge.Library
	inside  bridge.Emitter // nil once closed
}

// NewEmitter opens an emitter of an emit kernel. It is the caller's to close.
func (k *Kernel) NewEmitter(ctx context.Context) (*Emitter, error) {
	if err := k.enter(ctx); err != nil {
		return nil, err
	}
	defer k.unhold()

	bound, err := k.boundIn(ctx, k.large)
	if err != nil {
		return nil, err
	}
	inside, err := bound.NewEmitter(ctx)
	if err != nil {
		return nil, k.engine.judge(err)
	}
	return &Emitter{kernel: k, library: k.large, inside: inside}, nil
}

// Push gives a batch, which stays the caller's; nil says that no more will come.
func (e *Emitter) Push(ctx context.Context, batch arrow.RecordBatch) error {
	if err := e.enter(ctx); err != nil {
		return err
	}
	k, rows := e.kernel, int64(0)
	if batch != nil {
		if err := input.CheckBatch(k.name, 0, batch); err != nil {
			return err
		}
		rows = batch.NumRows()
	}
	err := k.observe(ctx, telemetry.Push, e.library, rows,
		func(ctx context.Context) (int64, error) { return 0, e.inside.Push(ctx, batch) })
	if err != nil {
		return k.engine.judge(err)
	}
	k.count(e.library)
	return nil
}

// Next returns the next batch, which is the caller's to release; ErrNeedInput when a push must come
// first; io.EOF after the last batch.
func (e *Emitter) Next(ctx context.Context) (arrow.RecordBatch, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	// No report here: most calls end with ErrNeedInput, which is no failure.
	result, err := e.inside.Next(ctx)
	if err != nil {
		return nil, e.kernel.engine.judge(err)
	}
	return e.kernel.engine.deliver(result, e.library), nil
}

// Close frees the emitter. A second call does nothing.
func (e *Emitter) Close() {
	if e != nil && e.inside != nil {
		e.inside.Close()
		e.inside = nil
	}
}

func (e *Emitter) enter(ctx context.Context) error {
	if e == nil {
		return invalid("the emitter is nil")
	}
	if e.inside == nil {
		return bridge.NewError(bridge.CodeReleased, e.kernel.Name(), "the emitter is closed")
	}
	return e.kernel.engine.enter(ctx)
}
