// SPDX-License-Identifier: Apache-2.0

package source

import (
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow/memory"
)

// A size written in a damaged file may be anything, and an allocation of it would end the program.
// No buffer of a table is larger than its file unpacked; the factor is more than any codec reaches
// on real columns, and the ceiling holds whatever the file's size.
const (
	unpackFactor       = 1_000
	allocationBytesMin = 1 << 20
	allocationBytesMax = 8 << 30
)

// smallBytesMax is up to where buffers come from the Go heap. arrow-go's delta decoders never free
// the few hundred bytes they work with, and an allocator that counts would call that a leak of
// ours.
const smallBytesMax = 4096

// boundedAllocator refuses single allocations over a bound by a panic, which guarded turns into an
// error: the interface has no other way. Small ones it leaves to the Go heap.
type boundedAllocator struct {
	large    memory.Allocator
	small    *memory.GoAllocator
	bytesMax int
}

func (a boundedAllocator) Allocate(size int) []byte {
	a.check(size)
	return a.of(size).Allocate(size)
}

func (a boundedAllocator) Reallocate(size int, b []byte) []byte {
	a.check(size)
	if from := a.of(len(b)); from == a.of(size) {
		return from.Reallocate(size, b)
	}
	moved := a.of(size).Allocate(size)
	copy(moved, b)
	a.Free(b)
	return moved
}

// Free tells by the length where b is from: buffers are given back at the length they were given
// out.
func (a boundedAllocator) Free(b []byte) { a.of(len(b)).Free(b) }

func (a boundedAllocator) of(size int) memory.Allocator {
	if size <= smallBytesMax {
		return a.small
	}
	return a.large
}

func (a boundedAllocator) check(size int) {
	if size < 0 || size > a.bytesMax {
		panic(fmt.Errorf("%w: it asks for more memory than it can fill", ErrDamaged))
	}
}

// bounded puts the bound of a file on the allocator, and returns the size of the file.
func bounded(file File, allocator memory.Allocator) (memory.Allocator, int64, error) {
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, 0, err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, 0, err
	}
	bytesMax := min(allocationBytesMin+size*unpackFactor, allocationBytesMax)
	return boundedAllocator{
		large: allocator, small: memory.NewGoAllocator(), bytesMax: int(bytesMax),
	}, size, nil
}
