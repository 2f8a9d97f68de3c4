// SPDX-License-Identifier: Apache-2.0

// Package bridge is the crossing between a Go program and a kernel library.
//
// A [Library] is a kernel library seen through one carrier: compiled in by cgo (bridge/cgolink), or the same
// kernels in plain Go (bridge/portable). Carriers register themselves when they are imported; [Open] chooses one
// by policy and says why the others were not taken. This package holds no unsafe code and imports no carrier; it
// may import ownership and arrow-go.
package bridge

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"
)

// Kind says how a kernel is driven.
type Kind int32

// The kinds of native/include/tombolo/library.h.
const (
	Map        Kind = 1 // Bound.Run: batches in, one batch out
	Accumulate Kind = 2 // Bound.NewState: consume many, merge, finish
	Emit       Kind = 3 // Bound.NewEmitter: push and next in turn
)

// KernelInfo describes one kernel of a library.
type KernelInfo struct {
	Name   string
	Kind   Kind
	Inputs int // how many batches Bind takes; -1 = any number from 1
}

// Info describes a library and the build of it.
type Info struct {
	Carrier      string // "cgo", "portable", ...
	Name         string
	Version      string
	ABI          int32
	SourceDigest string // "" when the build does not know it
	SIMDLevel    SIMDLevel
	Native       bool // crosses into native code
}

// SIMDLevel is an instruction-set tier, in rising order.
type SIMDLevel int32

// The tiers of native/include/tombolo/library.h. LevelMax asks for the highest that build and machine have.
const (
	LevelBase   SIMDLevel = 0
	LevelAVX2   SIMDLevel = 1
	LevelAVX512 SIMDLevel = 2
	LevelMax    SIMDLevel = -1
)

// String is the word that TOMBOLO_SIMD_LEVEL takes for the level.
func (l SIMDLevel) String() string {
	switch l {
	case LevelBase:
		return "base"
	case LevelAVX2:
		return "avx2"
	case LevelAVX512:
		return "avx512"
	}
	return "max"
}

// Option is one named option of Bind or Prepare. Value is an int64, float64, string, bool, arrow.DataType or
// [Object]. A name may appear more than once where the kernel says so; order is kept.
type Option struct {
	Name  string
	Value any
}

// Object is a prepared object of a library: a value set, a build side, a reference batch. It is immutable, safe
// for concurrent use and may be given to any number of Bind calls of the library that made it; a bound kernel
// keeps what it needs, so Release may come right after Bind.
type Object interface {
	// Kind is the name it was prepared under.
	Kind() string
	// Release gives up the caller's hold. A second call does nothing.
	Release()
}

// Library is a kernel library seen through one carrier. It is safe for concurrent use.
type Library interface {
	Info() Info

	// Kernels lists the kernels by name.
	Kernels() []KernelInfo

	// Prepare makes an object of the named kind from a batch, which stays the caller's.
	Prepare(ctx context.Context, kind string, batch arrow.RecordBatch, options ...Option) (Object, error)

	// Bind resolves a kernel for the schemas of its inputs, once; the result runs per batch.
	Bind(ctx context.Context, kernel string, inputs []*arrow.Schema, options ...Option) (Bound, error)

	// Counters returns what has crossed so far.
	Counters() Counters

	// Close gives back what the library holds. Results stay valid until they are released. A second call does
	// nothing; any other method then fails with ErrClosed. The error is the first wrong change of ownership that
	// nobody could be told of so far: see ownership/handle.
	Close() error
}

// Bound is a kernel bound to schemas and options. It is immutable and safe for concurrent use. Batches given to it
// stay the caller's and are only read; a batch returned is the caller's to release.
type Bound interface {
	Kernel() KernelInfo
	Inputs() []*arrow.Schema
	Output() *arrow.Schema

	// Run computes one batch (kind Map). The batches must have the bound schemas.
	Run(ctx context.Context, inputs ...arrow.RecordBatch) (arrow.RecordBatch, error)

	// NewState opens a state (kind Accumulate).
	NewState(ctx context.Context) (State, error)

	// NewEmitter opens an emitter (kind Emit).
	NewEmitter(ctx context.Context) (Emitter, error)

	// Release gives up the bound kernel; open states keep what they need. A second call does nothing.
	Release()
}

// State gathers batches towards one result. It belongs to one goroutine at a time.
type State interface {
	Consume(ctx context.Context, batch arrow.RecordBatch) error

	// Merge adds all of other, a state of the same bound kernel, and leaves it empty; other must still be
	// closed.
	Merge(ctx context.Context, other State) error

	// Finish returns the result and leaves the state empty.
	Finish(ctx context.Context) (arrow.RecordBatch, error)

	// Close frees the state. A second call does nothing.
	Close()
}

// Emitter turns pushed batches into others. It belongs to one goroutine at a time.
type Emitter interface {
	// Push gives a batch; a nil batch says that no more will come.
	Push(ctx context.Context, batch arrow.RecordBatch) error

	// Next returns the next batch, ErrNeedInput when a push must come first, or io.EOF after the last.
	Next(ctx context.Context) (arrow.RecordBatch, error)

	// Close frees the emitter. A second call does nothing.
	Close()
}

// Counters counts the traffic of a library since it was opened.
type Counters struct {
	Crossings     int64 // calls into native code with a batch
	Exports       int64 // batches exported
	Imports       int64 // results imported
	PinnedBuffers int64 // Go-heap buffers pinned for a call
	CopiedBytes   int64 // bytes copied because memory could not cross
	Fallbacks     int64 // calls that a native library handed to the portable one
}
