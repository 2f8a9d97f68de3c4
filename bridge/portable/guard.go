// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"errors"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/ownership/arena"
	"github.com/tombolo-arrow/tombolo/ownership/buildtag"
)

// A panic inside a kernel is a broken invariant of ours: debug builds let it through with its
// stack, release builds turn it into CodeInternal, which poisons the engine. There are two exceptions: the
// arena, which has no other way to say that memory ran out, and inputs whose values break the Arrow
// format, which is looked for only then and is the caller's mistake.

func recovered(
	kernel string, inputs []arrow.RecordBatch, objects []*handleCore, err *error,
) {
	switch failure := recover().(type) {
	case nil:
	case *arena.Error:
		*err = memoryError(kernel, failure)
	default:
		if mistake := malformed(kernel, slices.Concat(inputs, batchesOf(objects))); mistake != nil {
			*err = mistake
			return
		}
		if buildtag.Debug {
			panic(failure)
		}
		*err = bridge.NewError(bridge.CodeInternal, kernel, "panic in a portable kernel")
	}
}

func memoryError(kernel string, failure *arena.Error) error {
	if errors.Is(failure, arena.ErrClosed) {
		return bridge.ErrClosed
	}
	code := bridge.CodeMemory
	if errors.Is(failure, arena.ErrLimit) {
		code = bridge.CodeBudget
	}
	err := bridge.NewError(code, kernel, "")
	err.Cause = failure
	return err
}

func guard(c *call, work func() error) (err error) {
	defer recovered(c.kernel, c.inputs, c.objects, &err)
	return work()
}

func guardValue[T any](c *call, work func() (T, error)) (value T, err error) {
	defer recovered(c.kernel, c.inputs, c.objects, &err)
	return work()
}

func guardResult(
	c *call, work func() ([]arrow.Array, int64, error),
) (columns []arrow.Array, rows int64, err error) {
	made := &callMemory{mem: c.mem}
	c.mem = made
	defer func() {
		if made.settle(err); err != nil {
			columns = nil
		}
	}()
	defer recovered(c.kernel, c.inputs, c.objects, &err)
	return work()
}

// guardNext leaves the memory alone: an emitter may keep what it allocated for its next batch.
func guardNext(
	c *call, work func() ([]arrow.Array, int64, error),
) (columns []arrow.Array, rows int64, err error) {
	defer recovered(c.kernel, c.inputs, c.objects, &err)
	return work()
}

func guardBind(k kernel, b *binding) (shape *bound, err error) {
	defer recovered(b.name, nil, b.options.held, &err)
	return k.bind(b)
}

func guardPrepare(
	maker objectKind, c *call, batch arrow.RecordBatch, o *options,
) (value object, err error) {
	defer recovered(c.kernel, c.inputs, c.objects, &err)
	return maker.prepare(c, batch, o)
}

// batchesOf gives the batches among objects.
func batchesOf(objects []*handleCore) []arrow.RecordBatch {
	var batches []arrow.RecordBatch
	for _, object := range objects {
		if kept, ok := object.value.(*batchObject); ok {
			batches = append(batches, kept.batch)
		}
	}
	return batches
}

func unknownError(what, name string) error {
	return &unknown{what: what, name: name}
}

// unknown is ErrUnknown with the name that was asked for.
type unknown struct{ what, name string }

func (u *unknown) Error() string { return bridge.ErrUnknown.Error() + ": " + u.what + " " + u.name }
func (u *unknown) Unwrap() error { return bridge.ErrUnknown }
