// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/host/internal/input"
	"github.com/tombolo-arrow/tombolo/host/telemetry"
)

// Kernel is a kernel bound to the schemas of its inputs, once, to run on any number of batches. It
// is immutable and safe for concurrent use. Batches given to it stay the caller's and are only
// read; a batch returned is the caller's to release, unless the engine was opened with
// ResultsOnGoHeap.
type Kernel struct {
	engine  *Engine
	name    string
	info    bridge.KernelInfo
	inputs  []*arrow.Schema
	output  *arrow.Schema
	options []bridge.Option // objects in it are held
	choice  *choice
	large   bridge.Library // where batches from the threshold on run

	holders  holders
	released atomic.Bool

	mu     sync.Mutex
	bounds [2]atomic.Pointer[bridge.Bound] // natively, portably; bound when first needed
}

const (
	nativeSide = iota
	portableSide
)

// Bind resolves a kernel by name for the schemas of its inputs. Option values are int64, float64,
// string, bool, an arrow.DataType or an [Object] of this engine; objects may be released right
// afterwards. The functions of host/compute are the typed form of it. The kernel is the caller's to
// release. Errors are ErrUnknown and those of the kernel.
func (e *Engine) Bind(
	ctx context.Context, kernel string, inputs []*arrow.Schema, options ...bridge.Option,
) (*Kernel, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	k := &Kernel{
		engine: e, name: kernel, inputs: slices.Clone(inputs), options: slices.Clone(options),
		choice: e.choiceOf(kernel), large: e.preferred(),
	}
	if err := k.holdObjects(); err != nil {
		return nil, err
	}
	call := telemetry.Call{
		Kernel: kernel, Operation: telemetry.Bind, Carrier: k.large.Info().Carrier,
	}
	err := e.observe(ctx, call, func(ctx context.Context) (int64, error) {
		return 0, k.resolve(ctx)
	})
	if err != nil {
		k.unholdObjects(len(k.options))
		return nil, err
	}
	k.holders.count.Store(1)
	return k, nil
}

// resolve binds the kernel where large batches will run, or portably where native code does not
// take it and the policy allows that.
func (k *Kernel) resolve(ctx context.Context) error {
	bound, err := k.boundIn(ctx, k.large)
	if err != nil && k.engine.mayFallBack(err) {
		k.choice.fallbacks.Add(1)
		k.large = k.engine.portable
		bound, err = k.boundIn(ctx, k.large)
	}
	if err != nil {
		return err
	}
	k.info, k.output = bound.Kernel(), bound.Output()
	return nil
}

// mayFallBack says whether the portable library may do what native code does not take.
func (e *Engine) mayFallBack(err error) bool {
	if e.native == nil || e.settings.strictlyNative() {
		return false
	}
	return errors.Is(err, bridge.ErrUnsupported) || errors.Is(err, bridge.ErrUnknown)
}

// Name is the kernel's name; a nil kernel has none.
func (k *Kernel) Name() string {
	if k == nil {
		return ""
	}
	return k.name
}

// Inputs returns the schemas that it was bound to. They are not to be changed.
func (k *Kernel) Inputs() []*arrow.Schema {
	if k == nil {
		return nil
	}
	return k.inputs
}

// Output returns the schema of its results; nil for a nil kernel.
func (k *Kernel) Output() *arrow.Schema {
	if k == nil {
		return nil
	}
	return k.output
}

// Run computes one batch, natively or portably by its row count; see [Threshold]. The batches must
// have the bound schemas.
func (k *Kernel) Run(
	ctx context.Context, inputs ...arrow.RecordBatch,
) (arrow.RecordBatch, error) {
	if err := k.enter(ctx); err != nil {
		return nil, err
	}
	defer k.unhold()

	for i, batch := range inputs {
		if err := input.CheckBatch(k.name, i, batch); err != nil {
			return nil, err
		}
	}
	rows := int64(0)
	if len(inputs) > 0 {
		// The last input is the one that decides how much is done: the indices of take.
		rows = inputs[len(inputs)-1].NumRows()
	}
	library := k.libraryFor(rows)
	if k.engine.collector == nil {
		return k.runIn(ctx, library, inputs)
	}
	var result arrow.RecordBatch
	err := k.observe(ctx, telemetry.Run, library, rows, func(ctx context.Context) (int64, error) {
		var err error
		if result, err = k.runIn(ctx, library, inputs); err != nil {
			return 0, err
		}
		return result.NumRows(), nil
	})
	return result, err
}

// Release gives up the kernel; states and emitters that are open keep what they need. A second call
// does nothing.
func (k *Kernel) Release() {
	if k != nil && !k.released.Swap(true) {
		k.unhold()
	}
}

func (k *Kernel) runIn(
	ctx context.Context, library bridge.Library, inputs []arrow.RecordBatch,
) (arrow.RecordBatch, error) {
	bound, err := k.boundIn(ctx, library)
	if err != nil {
		return nil, err
	}
	result, err := bound.Run(ctx, inputs...)
	if err != nil && library == k.engine.native && k.engine.mayFallBack(err) {
		k.choice.fallbacks.Add(1)
		library = k.engine.portable
		if bound, err = k.boundIn(ctx, library); err != nil {
			return nil, err
		}
		result, err = bound.Run(ctx, inputs...)
	}
	if err != nil {
		return nil, k.engine.judge(err)
	}
	k.count(library)
	return k.engine.deliver(result, library), nil
}

// libraryFor is the native-or-portable choice.
func (k *Kernel) libraryFor(rows int64) bridge.Library {
	if rows < k.choice.threshold {
		return k.engine.portable
	}
	return k.large
}

func (k *Kernel) count(library bridge.Library) {
	if library == k.engine.native {
		k.choice.native.Add(1)
	} else {
		k.choice.portable.Add(1)
	}
}

// boundIn gives the kernel bound in one library; the second library binds when a batch first goes
// there.
func (k *Kernel) boundIn(ctx context.Context, library bridge.Library) (bridge.Bound, error) {
	side := portableSide
	if library == k.engine.native {
		side = nativeSide
	}
	if bound := k.bounds[side].Load(); bound != nil {
		return *bound, nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()

	if bound := k.bounds[side].Load(); bound != nil {
		return *bound, nil
	}
	options, err := k.optionsIn(ctx, library)
	if err != nil {
		return nil, err
	}
	bound, err := library.Bind(ctx, k.name, k.inputs, options...)
	if err != nil {
		return nil, k.engine.judge(err)
	}
	k.bounds[side].Store(&bound)
	return bound, nil
}

func (k *Kernel) optionsIn(ctx context.Context, library bridge.Library) ([]bridge.Option, error) {
	options := slices.Clone(k.options)
	for i, option := range options {
		if object, ok := option.Value.(*Object); ok {
			made, err := object.in(ctx, library)
			if err != nil {
				return nil, err
			}
			options[i].Value = made
		}
	}
	return options, nil
}

// holdObjects takes a hold on every object of the options: a library that binds later needs them.
func (k *Kernel) holdObjects() error {
	for i, option := range k.options {
		object, ok := option.Value.(*Object)
		if !ok {
			continue
		}
		var err error
		switch {
		case object == nil:
			err = bridge.NewError(bridge.CodeInvalid, k.name,
				"an object is nil: option "+option.Name)
		case object.engine != k.engine:
			err = bridge.NewError(bridge.CodeInvalid, k.name,
				"the object was prepared by another engine: option "+option.Name)
		case object.released.Load() || !object.holders.take():
			err = bridge.NewError(bridge.CodeReleased, k.name,
				"the object was released: option "+option.Name)
		}
		if err != nil {
			k.unholdObjects(i)
			return err
		}
	}
	return nil
}

func (k *Kernel) unholdObjects(count int) {
	for _, option := range k.options[:count] {
		if object, ok := option.Value.(*Object); ok {
			object.unhold()
		}
	}
}

// enter takes a hold for one call.
func (k *Kernel) enter(ctx context.Context) error {
	if k == nil {
		return invalid("the kernel is nil")
	}
	if err := k.engine.enter(ctx); err != nil {
		return err
	}
	if k.released.Load() || !k.holders.take() {
		return bridge.NewError(bridge.CodeReleased, k.name, "the kernel was released")
	}
	return nil
}

func (k *Kernel) unhold() {
	if !k.holders.drop() {
		return
	}
	for i := range k.bounds {
		if bound := k.bounds[i].Load(); bound != nil {
			(*bound).Release()
		}
	}
	k.unholdObjects(len(k.options))
}

func (k *Kernel) observe(
	ctx context.Context, operation telemetry.Operation, library bridge.Library, rows int64,
	work func(context.Context) (int64, error),
) error {
	call := telemetry.Call{
		Kernel: k.name, Operation: operation, Carrier: library.Info().Carrier, RowsIn: rows,
	}
	return k.engine.observe(ctx, call, work)
}
