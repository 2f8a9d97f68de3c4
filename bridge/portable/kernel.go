// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"context"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tombolo-arrow/tombolo/bridge"
)

// kernel is one entry of a family's table.
type kernel struct {
	info bridge.KernelInfo
	bind func(b *binding) (*bound, error)
}

// binding is what bind may look at. Options that bind does not read are refused by the frame
// afterwards, so a kernel needs no list of its option names.
type binding struct {
	ctx     context.Context
	name    string
	inputs  []*arrow.Schema
	options *options
	memory  memory.Allocator
}

// fail makes an error of the kernel that is being bound.
func (b *binding) fail(code bridge.Code, text string) error {
	return bridge.NewError(code, b.name, text)
}

// failAt makes an error at a column of an input.
func (b *binding) failAt(code bridge.Code, argument, column int, text string) error {
	return bridge.ColumnError(code, b.name, argument, column, text)
}

// column gives the type of one column, or an error where the input has too few of them.
func (b *binding) column(argument, column int) (arrow.DataType, error) {
	if argument >= len(b.inputs) {
		return nil, b.fail(bridge.CodeInvalid, "an input is missing")
	}
	schema := b.inputs[argument]
	if column < 0 || column >= schema.NumFields() {
		return nil, b.failAt(bridge.CodeInvalid, argument, max(column, -1), "the column is missing")
	}
	return schema.Field(column).Type, nil
}

// columns checks that an input has exactly count columns.
func (b *binding) columns(argument, count int) error {
	if argument >= len(b.inputs) {
		return b.fail(bridge.CodeInvalid, "an input is missing")
	}
	if b.inputs[argument].NumFields() != count {
		text := fmt.Sprintf("the kernel takes %d columns", count)
		return b.failAt(bridge.CodeInvalid, argument, -1, text)
	}
	return nil
}

// bound is a kernel after bind: the schema of its result and the one function of its kind. It is
// immutable. The functions return columns that the frame takes over.
type bound struct {
	output *arrow.Schema
	run    func(c *call, inputs []arrow.RecordBatch) (columns []arrow.Array, rows int64, err error)
	open   func(c *call) (state, error)
	emit   func(c *call) (emitter, error)
}

// state is the inside of a bridge.State. merge gets a state of the same bound kernel and must leave
// it empty, as finish leaves its own.
type state interface {
	consume(c *call, batch arrow.RecordBatch) error
	merge(c *call, other state) error
	finish(c *call) (columns []arrow.Array, rows int64, err error)
	close()
}

// emitter is the inside of a bridge.Emitter. push gets nil for the end; next returns
// bridge.ErrNeedInput or io.EOF as bridge.Emitter says.
type emitter interface {
	push(c *call, batch arrow.RecordBatch) error
	next(c *call) (columns []arrow.Array, rows int64, err error)
	close()
}

// batchKeeper is an emitter that keeps batches from push to next.
type batchKeeper interface{ batches() []arrow.RecordBatch }

// pollBytes is how much input a kernel may read between two looks at the context.
const pollBytes = 64 << 10

// call is what one call may use. It lives no longer than the call.
type call struct {
	ctx    context.Context
	mem    memory.Allocator
	kernel string

	// What a panic may be the fault of; see guard.go.
	inputs  []arrow.RecordBatch
	objects []*handleCore
	input   [1]arrow.RecordBatch // the room for a lone one of inputs
}

// cancelled returns an error once the context has ended. Kernels ask at least every pollBytes of
// input.
func (c *call) cancelled() error {
	cause := c.ctx.Err()
	if cause == nil {
		return nil
	}
	err := bridge.NewError(bridge.CodeCancelled, c.kernel, "")
	err.Cause = cause
	return err
}

// fail makes an error of the call's kernel.
func (c *call) fail(code bridge.Code, text string) error {
	return bridge.NewError(code, c.kernel, text)
}

// failAt makes an error at a column of an input.
func (c *call) failAt(code bridge.Code, argument, column int, text string) error {
	return bridge.ColumnError(code, c.kernel, argument, column, text)
}

// inBlocks calls work for [begin, end) in blocks of as many rows as fit pollBytes, looking at the
// context before each. rowBytes is an estimate of what one row reads.
func (c *call) inBlocks(rows, rowBytes int, work func(begin, end int) error) error {
	step := max(1, pollBytes/max(1, rowBytes))
	// Whole bytes of a bitmap per block, so that blocks never share one.
	step = max(64, step&^63)
	for begin := 0; begin < rows; begin += step {
		if err := c.cancelled(); err != nil {
			return err
		}
		if err := work(begin, min(rows, begin+step)); err != nil {
			return err
		}
	}
	return nil
}
