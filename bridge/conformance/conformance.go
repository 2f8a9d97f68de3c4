// SPDX-License-Identifier: Apache-2.0

// Package conformance holds what every carrier must do alike: cases of the bridge interface that are played over
// each carrier and must leave the same transcript. Kernels have their own tests in bridge/kerneltest; here they
// serve as something to drive.
//
// Only tests import it. It may import bridge, ownership and arrow-go.
package conformance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"

	"github.com/apache/arrow-go/v18/arrow"
	arrowmemory "github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tombolo-arrow/tombolo/bridge"
)

// Case is one use of a library. It writes what it sees into the script.
type Case struct {
	Name string
	Play func(s *Script)
}

// Script is one play of a case over one library. It belongs to one goroutine.
type Script struct {
	Context context.Context
	Library bridge.Library
	Memory  arrowmemory.Allocator // of the input batches
	Random  *rand.Rand            // the same numbers in every play

	lines   []string
	release []func()
}

// Play plays a case over a library, with input batches in mem, and returns the transcript. What the case made is
// released when it returns.
func Play(library bridge.Library, mem arrowmemory.Allocator, c Case) []string {
	s := &Script{
		Context: context.Background(), Library: library, Memory: mem, Random: rand.New(rand.NewPCG(7, 11)),
	}
	defer func() {
		for i := len(s.release) - 1; i >= 0; i-- {
			s.release[i]()
		}
	}()

	c.Play(s)
	return s.lines
}

// Write adds a line to the transcript.
func (s *Script) Write(format string, arguments ...any) {
	s.lines = append(s.lines, fmt.Sprintf(format, arguments...))
}

// Later runs a function when the case ends, last in first out.
func (s *Script) Later(release func()) { s.release = append(s.release, release) }

var sentinels = []struct {
	name string
	err  error
}{
	{"invalid", bridge.ErrInvalid}, {"type", bridge.ErrType}, {"unsupported", bridge.ErrUnsupported},
	{"memory", bridge.ErrMemory}, {"budget", bridge.ErrBudget}, {"cancelled", bridge.ErrCancelled},
	{"overflow", bridge.ErrOverflow}, {"divide by zero", bridge.ErrDivideByZero}, {"index", bridge.ErrIndex},
	{"released", bridge.ErrReleased}, {"internal", bridge.ErrInternal}, {"closed", bridge.ErrClosed},
	{"kind", bridge.ErrKind}, {"unknown", bridge.ErrUnknown}, {"need input", bridge.ErrNeedInput},
	{"end", io.EOF}, {"context canceled", context.Canceled}, {"context deadline", context.DeadlineExceeded},
}

// Fail writes what an error is: its sentinels and, where it has them, kernel, input and column. The text is the
// carrier's own.
func (s *Script) Fail(step string, err error) {
	line := step + ":"
	if err == nil {
		line += " no error"
	}
	for _, sentinel := range sentinels {
		if errors.Is(err, sentinel.err) {
			line += " " + sentinel.name
		}
	}
	var failure *bridge.Error
	if errors.As(err, &failure) && failure.Code != bridge.CodeCancelled {
		line += fmt.Sprintf(" [%s %d %d]", failure.Kernel, failure.Argument, failure.Column)
	}
	s.Write("%s", line)
}

// Result writes a result batch, or the error in its place, and releases it.
func (s *Script) Result(step string, batch arrow.RecordBatch, err error) {
	if err != nil {
		s.Fail(step, err)
		return
	}
	s.Write("%s: %d rows of %s", step, batch.NumRows(), batch.Schema())
	for _, column := range batch.Columns() {
		s.Write("  %d nulls: %s", column.NullN(), column)
	}
	batch.Release()
}

// Bind binds a kernel; after an error, which it writes, the result is nil.
func (s *Script) Bind(kernel string, inputs []*arrow.Schema, options ...bridge.Option) bridge.Bound {
	bound, err := s.Library.Bind(s.Context, kernel, inputs, options...)
	if err != nil {
		s.Fail("bind "+kernel, err)
		return nil
	}
	s.Later(bound.Release)
	s.Write("bound %+v to %s", bound.Kernel(), bound.Output())
	return bound
}

// Batch makes a batch with random columns of the types, released when the case ends.
func (s *Script) Batch(rows int, nulls float64, types ...arrow.DataType) arrow.RecordBatch {
	m := &Maker{Rand: s.Random, Mem: s.Memory, Nulls: nulls}
	return s.batchOf(rows, func(i int) arrow.Array { return m.Array(types[i], rows) }, types...)
}
