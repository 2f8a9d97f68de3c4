// SPDX-License-Identifier: Apache-2.0

// Package portable is the kernel library in plain Go: the reference that native results are
// compared with, the baseline that native speed is measured against, and the fallback where native
// code cannot run. It crosses nothing, holds no unsafe code and needs no cgo.
//
// A kernel family is one file named as its native twin (selection.go and
// native/src/kernels/selection.cc). The frame, in library.go, kernel.go, options.go, objects.go and
// output.go, is shared by all of them.
package portable

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/ownership/ledger"
)

// The numbers of native/include/tombolo/version.h: both languages keep one contract.
const (
	abi     = 1
	version = "0.1.0"
)

func init() {
	bridge.Register(bridge.Carrier{
		Name:     "portable",
		Priority: 0,
		Open: func(_ context.Context, config bridge.Config) (bridge.Library, error) {
			return Open(config), nil
		},
	})
}

// Open opens the portable library. Results are allocated by config.Allocator, else by config.Arena.
// The library is safe for concurrent use and is the caller's to close.
func Open(config bridge.Config) bridge.Library {
	l := &library{
		memory:  resultMemory(config),
		ledger:  config.Ledger,
		kernels: map[string]kernel{},
		objects: map[string]objectKind{},
	}
	if l.ledger == nil {
		l.ledger = ledger.New()
	}
	for _, k := range kernels() {
		l.kernels[k.info.Name] = k
	}
	for _, kind := range objectKinds() {
		l.objects[kind.name] = kind
	}
	l.ticket = l.ledger.Add(ledger.Libraries, 0)
	return l
}

type library struct {
	memory  memory.Allocator
	ledger  *ledger.Ledger
	ticket  ledger.Ticket
	kernels map[string]kernel
	objects map[string]objectKind
	closed  atomic.Bool
}

func resultMemory(config bridge.Config) memory.Allocator {
	if config.Allocator != nil {
		return config.Allocator
	}
	if config.Arena != nil {
		return config.Arena
	}
	return memory.DefaultAllocator
}

func (l *library) Info() bridge.Info {
	return bridge.Info{
		Carrier:   "portable",
		Name:      "tombolo",
		Version:   version,
		ABI:       abi,
		SIMDLevel: bridge.LevelBase,
	}
}

func (l *library) Kernels() []bridge.KernelInfo {
	infos := make([]bridge.KernelInfo, 0, len(l.kernels))
	for _, k := range l.kernels {
		infos = append(infos, k.info)
	}
	slices.SortFunc(infos, func(a, b bridge.KernelInfo) int {
		return strings.Compare(a.Name, b.Name)
	})
	return infos
}

func (l *library) Bind(
	ctx context.Context, name string, inputs []*arrow.Schema, options ...bridge.Option,
) (bridge.Bound, error) {
	if l.closed.Load() {
		return nil, bridge.ErrClosed
	}
	k, ok := l.kernels[name]
	if !ok {
		return nil, unknownError("kernel", name)
	}
	if err := checkInputs(k.info, inputs); err != nil {
		return nil, err
	}
	read, err := readOptions(name, options)
	if err != nil {
		return nil, err
	}
	b := &binding{
		ctx: ctx, name: name, inputs: slices.Clone(inputs), options: read, memory: l.memory,
	}
	shape, err := guardBind(k, b)
	if err == nil {
		err = read.unread()
	}
	if err != nil {
		read.releaseObjects()
		return nil, err
	}
	return newBoundKernel(l, k.info, b, shape), nil
}

func (l *library) Prepare(
	ctx context.Context, kind string, batch arrow.RecordBatch, options ...bridge.Option,
) (bridge.Object, error) {
	if l.closed.Load() {
		return nil, bridge.ErrClosed
	}
	maker, ok := l.objects[kind]
	if !ok {
		return nil, unknownError("object kind", kind)
	}
	if batch == nil {
		return nil, bridge.NewError(bridge.CodeInvalid, kind, "the batch is nil")
	}
	if len(batch.Columns()) != batch.Schema().NumFields() {
		return nil, bridge.NewError(bridge.CodeReleased, kind, "the batch was released")
	}
	if err := checkColumns(kind, 0, batch, false); err != nil {
		return nil, err
	}
	read, err := readOptions(kind, options)
	if err != nil {
		return nil, err
	}
	defer read.releaseObjects()

	c := l.newCall(ctx, kind)
	c.inputs = []arrow.RecordBatch{batch}
	value, err := guardPrepare(maker, c, batch, read)
	if err != nil {
		return nil, err
	}
	if err := read.unread(); err != nil {
		value.release()
		return nil, err
	}
	return newHandle(l.ledger, kind, value), nil
}

func (l *library) Counters() bridge.Counters { return bridge.Counters{} }

func (l *library) Close() error {
	if !l.closed.Swap(true) {
		l.ledger.Remove(ledger.Libraries, 0, l.ticket)
	}
	return nil
}

func (l *library) newCall(ctx context.Context, kernel string) *call {
	return &call{ctx: ctx, mem: l.memory, kernel: kernel}
}

func checkInputs(info bridge.KernelInfo, inputs []*arrow.Schema) error {
	// A number of −1 leaves the count to the kernel.
	if len(inputs) == 0 || (info.Inputs >= 0 && len(inputs) != info.Inputs) {
		return bridge.NewError(bridge.CodeInvalid, info.Name, "wrong number of inputs")
	}
	for i, schema := range inputs {
		if schema == nil {
			err := bridge.NewError(bridge.CodeInvalid, info.Name, "the schema of an input is nil")
			err.Argument = i
			return err
		}
	}
	return nil
}
