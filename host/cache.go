// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"slices"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/host/internal/input"
)

// cachedKernelsMax bounds how many kernels an engine keeps bound for one-shot calls. The least
// recently used goes first.
const cachedKernelsMax = 64

// Key names what a one-shot call binds, beside the schemas of its inputs: the kernel, a text that
// stands for its options, and the object among them. What was bound with an object is forgotten
// when the object is released.
type Key struct {
	Kernel  string
	Options string
	Object  *Object
}

// Call runs a kernel once on whole inputs: a map kernel runs, an accumulate kernel consumes the one
// input and finishes. The kernel is bound by bind at the first call with a key and these schemas
// and kept for the next ones, in a bounded cache. The functions of host/compute are made of it.
func (e *Engine) Call(
	ctx context.Context, key Key, bind func(ctx context.Context) (*Kernel, error),
	inputs ...arrow.RecordBatch,
) (arrow.RecordBatch, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	for i, batch := range inputs {
		if err := input.CheckBatch(key.Kernel, i, batch); err != nil {
			return nil, err
		}
	}
	k, err := e.cached(ctx, key, bind, func(k *Kernel) bool { return sameSchemas(k.inputs, inputs) })
	if err != nil {
		return nil, err
	}
	defer k.unhold()

	if k.info.Kind != bridge.Accumulate || len(inputs) != 1 {
		return k.Run(ctx, inputs...)
	}
	state, err := k.newStateIn(ctx, k.libraryFor(inputs[0].NumRows()))
	if err != nil {
		return nil, err
	}
	defer state.Close()

	if err := state.Consume(ctx, inputs[0]); err != nil {
		return nil, err
	}
	return state.Finish(ctx)
}

// CallColumns is Call for a map kernel of one input, given its columns apart: types are compared
// and names are not, and no schema is built once the kernel is bound.
func (e *Engine) CallColumns(
	ctx context.Context, key Key, bind func(ctx context.Context) (*Kernel, error),
	columns ...arrow.Array,
) (arrow.RecordBatch, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	for i, column := range columns {
		if err := input.CheckColumn(key.Kernel, 0, i, column); err != nil {
			return nil, err
		}
	}
	k, err := e.cached(ctx, key, bind, func(k *Kernel) bool {
		return len(k.inputs) == 1 && sameTypes(k.inputs[0], columns)
	})
	if err != nil {
		return nil, err
	}
	defer k.unhold()

	return k.RunColumns(ctx, columns...)
}

// cached gives a kernel with a hold for the caller: the one that is kept for the key and that
// matches, or a fresh one, which is kept from then on.
func (e *Engine) cached(
	ctx context.Context, key Key, bind func(ctx context.Context) (*Kernel, error),
	matches func(*Kernel) bool,
) (*Kernel, error) {
	if k := e.cache.find(key, matches); k != nil {
		return k, nil
	}
	fresh, err := bind(ctx)
	if err != nil {
		return nil, err
	}
	e.cache.keep(key, fresh)
	return fresh, nil
}

// cache keeps bound kernels, most recently used last.
type cache struct {
	mu      sync.Mutex
	entries []cacheEntry
	closed  bool
}

type cacheEntry struct {
	key    Key
	kernel *Kernel
}

// find returns a kernel with a hold for the caller, or nil.
func (c *cache) find(key Key, matches func(*Kernel) bool) *Kernel {
	c.mu.Lock()
	defer c.mu.Unlock()

	last := len(c.entries) - 1
	for i := last; i >= 0; i-- {
		entry := c.entries[i]
		if entry.key != key || !matches(entry.kernel) {
			continue
		}
		if i != last {
			copy(c.entries[i:], c.entries[i+1:])
			c.entries[last] = entry
		}
		if entry.kernel.holders.take() {
			return entry.kernel
		}
	}
	return nil
}

// keep takes a fresh kernel in beside the caller's hold on it. After the engine was closed the
// caller's hold is the only one.
func (c *cache) keep(key Key, fresh *Kernel) {
	fresh.holders.take()
	var evicted *Kernel
	c.mu.Lock()
	switch {
	case c.closed:
		evicted = fresh
	case len(c.entries) == cachedKernelsMax:
		evicted = c.entries[0].kernel
		c.entries = slices.Delete(c.entries, 0, 1)
		fallthrough
	default:
		c.entries = append(c.entries, cacheEntry{key: key, kernel: fresh})
	}
	c.mu.Unlock()

	if evicted != nil {
		// Not Release: a caller that found it before goes on with it.
		evicted.unhold()
	}
}

// forget drops the kernels that were bound with an object.
func (c *cache) forget(o *Object) {
	c.drop(func(entry cacheEntry) bool { return entry.key.Object == o })
}

// clear drops everything and keeps nothing from then on.
func (c *cache) clear() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()

	c.drop(func(cacheEntry) bool { return true })
}

func (c *cache) drop(which func(cacheEntry) bool) {
	c.mu.Lock()
	var dropped []*Kernel
	c.entries = slices.DeleteFunc(c.entries, func(entry cacheEntry) bool {
		if which(entry) {
			dropped = append(dropped, entry.kernel)
			return true
		}
		return false
	})
	c.mu.Unlock()

	for _, kernel := range dropped {
		kernel.unhold()
	}
}

// sameSchemas compares names and metadata too: results of filter, take and group_by carry them.
func sameSchemas(schemas []*arrow.Schema, inputs []arrow.RecordBatch) bool {
	if len(schemas) != len(inputs) {
		return false
	}
	for i, schema := range schemas {
		if other := inputs[i].Schema(); schema != other && !equalSchemas(schema, other) {
			return false
		}
	}
	return true
}

func equalSchemas(a, b *arrow.Schema) bool {
	return a.Equal(b) && a.Metadata().Equal(b.Metadata())
}

func sameTypes(schema *arrow.Schema, columns []arrow.Array) bool {
	if schema.NumFields() != len(columns) {
		return false
	}
	for i, column := range columns {
		if !arrow.TypeEqual(schema.Field(i).Type, column.DataType()) {
			return false
		}
	}
	return true
}
