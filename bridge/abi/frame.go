// SPDX-License-Identifier: Apache-2.0

package abi

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/ownership/buildtag"
)

// errorBytes is the room for the text of a failure.
const errorBytes = 512

// Places in the memory of a frame.
const (
	frameContext = 0
	frameOutput  = 128 // an ArrowArray or ArrowSchema
	frameResult  = 208 // a pointer that the callee sets
	frameCancel  = 216
	frameError   = 256
	frameInputs  = frameError + errorBytes // pointers to the inputs
)

// frame is what one call needs outside the Go heap: context, error text, output, input pointers, and one export
// block for each input. It serves one call at a time.
type frame struct {
	library *library
	kernel  string
	address uintptr
	bytes   int
	slots   []*slot
	calls   atomic.Int64 // calls with a batch
	pinned  atomic.Int64

	watched context.Context // whose end sets the cancel flag
	watch   *watch
}

// watch sets a cancel flag for as long as its frame wants it.
type watch struct {
	mu   sync.Mutex
	flag *int32
	stop func() bool
}

// newFrame makes a frame with a block of each exporter.
func (l *library) newFrame(kernel string, exporters []*Exporter) *frame {
	f := &frame{library: l, kernel: kernel, bytes: frameInputs + 8*len(exporters)}
	f.address = l.memory.allocate(f.bytes)
	*f.context() = Context{
		StructBytes: ContextBytes, Allocator: l.allocator, Error: f.address + frameError, ErrorBytes: errorBytes,
		SIMDLevel: int32(l.info.SIMDLevel),
	}
	for i, exporter := range exporters {
		s := exporter.take()
		f.slots = append(f.slots, s)
		*at[uintptr](f.inputs() + uintptr(8*i)) = s.root()
	}
	return f
}

func (f *frame) context() *Context    { return at[Context](f.address + frameContext) }
func (f *frame) output() *ArrowArray  { return at[ArrowArray](f.address + frameOutput) }
func (f *frame) schema() *ArrowSchema { return at[ArrowSchema](f.address + frameOutput) }
func (f *frame) result() *uintptr     { return at[uintptr](f.address + frameResult) }
func (f *frame) cancel() *int32       { return at[int32](f.address + frameCancel) }
func (f *frame) inputs() uintptr      { return f.address + frameInputs }

// arguments are the addresses that most calls pass.
func (f *frame) contextAddress() uintptr { return f.address + frameContext }
func (f *frame) outputAddress() uintptr  { return f.address + frameOutput }
func (f *frame) resultAddress() uintptr  { return f.address + frameResult }

// free gives the frame's memory back.
func (f *frame) free() {
	f.unwatch()
	for _, s := range f.slots {
		s.recycle()
	}
	f.library.retire(f)
	f.library.memory.release(f.address, f.bytes)
}

// begin readies the context for a call. Where ctx cannot end it costs a few stores; else the cancel flag follows
// ctx, and is kept following it for calls under the same ctx.
func (f *frame) begin(ctx context.Context) error {
	c := f.context()
	c.BytesUsed, c.Argument, c.Column = 0, -1, -1
	*at[byte](f.address + frameError) = 0
	if ctx.Done() == nil {
		c.Cancel = 0
		return nil
	}
	if cause := context.Cause(ctx); cause != nil {
		return f.cancelled(cause)
	}
	if f.watched != ctx {
		f.unwatch()
		atomic.StoreInt32(f.cancel(), 0)
		w := &watch{flag: f.cancel()}
		w.stop = context.AfterFunc(ctx, w.set)
		f.watched, f.watch = ctx, w
	}
	c.Cancel = f.address + frameCancel
	return nil
}

func (w *watch) set() {
	w.mu.Lock()
	defer w.mu.Unlock()

	if w.flag != nil {
		atomic.StoreInt32(w.flag, 1)
	}
}

// unwatch ends what begin set up; the flag is not written any more when it returns.
func (f *frame) unwatch() {
	if f.watch == nil {
		return
	}
	f.watch.stop()
	f.watch.mu.Lock()
	f.watch.flag = nil
	f.watch.mu.Unlock()
	f.watch, f.watched = nil, nil
}

// send exports a batch as input i, for the length of a call.
func (f *frame) send(i int, batch arrow.RecordBatch) error {
	s := f.slots[i]
	if err := s.exportBatch(batch, s.word(), pinForeign); err != nil {
		s.let()
		return f.named(err, i)
	}
	if s.pinned > 0 {
		f.pinned.Add(s.pinned)
	}
	return nil
}

// unsend takes back an input whose call does not happen.
func (f *frame) unsend(i int) { f.slots[i].let() }

// settle ends the export of input i after its call. The callee has consumed the input; one that did not keeps
// the block until it does, and the frame gets another.
func (f *frame) settle(i int, batch arrow.RecordBatch) {
	s := f.slots[i]
	if s.returned() {
		if s.pinned > 0 || buildtag.Debug {
			s.let()
		}
		return
	}
	s.exporter.stray(s, batch)
	f.slots[i] = s.exporter.take()
	*at[uintptr](f.inputs() + uintptr(8*i)) = f.slots[i].root()
}

// named adds kernel and input to an error of the exporter.
func (f *frame) named(err error, input int) error {
	var failure *bridge.Error
	if errors.As(err, &failure) {
		failure.Kernel, failure.Argument = f.kernel, input
	}
	return err
}

// kernelOf adds the kernel alone.
func (f *frame) kernelOf(err error) error {
	var failure *bridge.Error
	if errors.As(err, &failure) {
		failure.Kernel = f.kernel
	}
	return err
}

func (f *frame) cancelled(cause error) error {
	failure := bridge.NewError(bridge.CodeCancelled, f.kernel, "")
	failure.Cause = cause
	return failure
}

// failure makes the error of a status from what the callee left in the context; nil for success.
func (f *frame) failure(ctx context.Context, status uintptr) error {
	code := bridge.Code(int32(status))
	if code == 0 {
		return nil
	}
	if code == bridge.CodeCancelled {
		cause := context.Cause(ctx)
		if cause == nil {
			cause = context.Canceled
		}
		return f.cancelled(cause)
	}
	text, ok := readText(f.address+frameError, errorBytes)
	if !ok {
		text = ""
	}
	c := f.context()
	return &bridge.Error{
		Code: code, Kernel: f.kernel, Argument: int(c.Argument), Column: int(c.Column), Text: text,
	}
}
