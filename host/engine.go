// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/bridge/portable"
	"github.com/tombolo-arrow/tombolo/host/telemetry"
	"github.com/tombolo-arrow/tombolo/ownership/arena"
	"github.com/tombolo-arrow/tombolo/ownership/buildtag"
	"github.com/tombolo-arrow/tombolo/ownership/ledger"
)

// Engine holds a kernel library, the memory that crosses to it, and the ledger of what is out. It
// is safe for concurrent use; a program needs one, though any number may be open. Every method of
// an engine that is nil, closed or not from [Open] fails with a typed error or does nothing.
type Engine struct {
	settings  *settings
	ledger    *ledger.Ledger
	arena     *arena.Arena
	native    bridge.Library // nil where none is open
	portable  bridge.Library
	reasons   []bridge.Reason
	collector telemetry.Collector
	cache     cache

	mu       sync.Mutex
	choices  map[string]*choice
	copied   atomic.Int64
	poison   atomic.Pointer[error]
	closed   atomic.Bool
	closeEnd sync.Once
}

// Open opens an engine. Without options it takes native code where it is linked in and runs, and
// the portable library beside it; [Engine.Reasons] tells what was taken. The engine is the caller's
// to close. Errors match ErrUnavailable where no carrier satisfies the policy, and name every
// reason.
func Open(ctx context.Context, options ...Option) (*Engine, error) {
	read, err := readSettings(options)
	if err != nil {
		return nil, err
	}
	e := &Engine{
		settings: read, collector: read.collector,
		ledger: ledger.New(), choices: map[string]*choice{},
	}
	e.arena, err = arena.New(arena.Config{Ledger: e.ledger, BytesMax: read.bytesMax})
	if err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	config := bridge.Config{
		Ledger:       e.ledger,
		Arena:        e.arena,
		SIMDLevel:    read.level,
		BytesMax:     read.bytesMax,
		PoolBytesMax: read.poolBytesMax,
		LibraryPath:  read.libraryPath,
	}
	if read.goHeap {
		config.Allocator = memory.DefaultAllocator
	}
	library, reasons, err := bridge.Open(ctx, config, read.policy, read.carrier)
	if err != nil {
		return nil, errors.Join(err, e.arena.Close())
	}
	e.reasons = reasons
	if !library.Info().Native {
		e.portable = library
	} else {
		e.native, e.portable = library, portable.Open(config)
	}
	if err := e.checkThresholds(); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	if e.native != nil && !read.strictlyNative() {
		for i := range e.reasons {
			if e.reasons[i].Carrier == e.portable.Info().Carrier {
				e.reasons[i].Text = "beside " + library.Info().Carrier +
					", for small batches and for types that native code does not take"
			}
		}
	}
	return e, nil
}

// Close gives back what the engine holds. Results that are still out stay valid until they are
// released, and so do batches built with Allocator; Close names them in an [OutstandingError].
// Calls that run meanwhile end normally or with ErrClosed. A second call does nothing and returns
// nil.
func (e *Engine) Close() error {
	if !e.opened() {
		return nil
	}
	var err error
	e.closeEnd.Do(func() {
		e.closed.Store(true)
		e.cache.clear()
		// What was released and not yet taken in is not out.
		e.ledger.Drain()
		if e.native != nil {
			err = e.native.Close()
		}
		err = errors.Join(err, e.portable.Close())
		// The arena refuses while something is live and goes with the last of it; the ledger tells.
		if failure := e.arena.Close(); !errors.Is(failure, arena.ErrLive) {
			err = errors.Join(err, failure)
		}
		if snapshot := e.ledger.Snapshot(); !snapshot.Empty() {
			err = errors.Join(err, &OutstandingError{Snapshot: snapshot})
		}
	})
	return err
}

// Allocator returns the engine's allocator for batches that cross without a pin and without a copy:
// give it to arrow-go's builders and readers in place of the default. Its memory lies outside the
// Go heap, so what is built with it must be released. It panics, as arrow-go's allocators do, when
// memory runs out or BytesMax is reached; arena.Recover turns that into an error. It is safe for
// concurrent use. A nil engine gives arrow-go's default allocator.
func (e *Engine) Allocator() memory.Allocator {
	if !e.opened() {
		return memory.DefaultAllocator
	}
	return e.arena
}

// Ledger returns the count of what is out. It stays readable after Close. Tests end with
// engine.Ledger().VerifyEmpty(t).
func (e *Engine) Ledger() *ledger.Ledger {
	if !e.opened() {
		return ledger.New()
	}
	return e.ledger
}

// Reasons says for every carrier that is linked in why it was taken or not, and what would make it
// available. The slice is the caller's.
func (e *Engine) Reasons() []bridge.Reason {
	if e == nil {
		return nil
	}
	return slices.Clone(e.reasons)
}

// Info describes the library that large batches run in: the native one where there is one.
func (e *Engine) Info() bridge.Info {
	if !e.opened() {
		return bridge.Info{}
	}
	return e.preferred().Info()
}

// opened says whether Open made the engine.
func (e *Engine) opened() bool { return e != nil && e.settings != nil }

func (e *Engine) preferred() bridge.Library {
	if e.native != nil {
		return e.native
	}
	return e.portable
}

// enter refuses work on an engine that cannot do any.
func (e *Engine) enter(ctx context.Context) error {
	switch {
	case e == nil:
		return invalid("the engine is nil")
	case !e.opened():
		return invalid("the engine was not made by Open")
	case ctx == nil:
		return invalid("the context is nil")
	case e.closed.Load():
		return ErrClosed
	}
	if cause := e.poison.Load(); cause != nil {
		return fmt.Errorf("%w: %w", ErrPoisoned, *cause)
	}
	return nil
}

// judge looks at the error of a library before the caller gets it: a broken invariant poisons the
// engine, or panics in debug builds.
func (e *Engine) judge(err error) error {
	if err == nil || !errors.Is(err, bridge.ErrInternal) {
		return err
	}
	if buildtag.Debug {
		panic("tombolo: " + err.Error())
	}
	e.poison.CompareAndSwap(nil, &err)
	return err
}
