// SPDX-License-Identifier: Apache-2.0

package abi

import (
	"sync"
	"unsafe"
)

// chunkBytes is how much memory is mapped at once for structs.
const chunkBytes = 256 << 10

// at reads an address that came from C or from a [memory] as a pointer. The address lies outside the Go heap, so
// the collector neither moves nor frees what it points to; its owner keeps it mapped.
func at[T any](address uintptr) *T { return *(**T)(unsafe.Pointer(&address)) }

// span reads count values at an address outside the Go heap.
func span[T any](address uintptr, count int) []T { return unsafe.Slice(at[T](address), count) }

// addressOf is the inverse of at.
func addressOf[T any](pointer *T) uintptr { return uintptr(unsafe.Pointer(pointer)) }

// memory hands out zeroed pieces outside the Go heap for C structs. Pieces come back by size and are used again;
// the whole is unmapped when it is closed with nothing out. It is safe for concurrent use and off the hot path:
// what is needed per call is kept by its user.
type memory struct {
	mu     sync.Mutex
	chunks [][]byte
	rest   uintptr // free part of the last chunk
	bytes  int
	free   map[int][]uintptr
	pieces int
	closed bool
}

// pieceBytes rounds a size up so that few sizes exist: 64-byte steps to 1 KiB, then eighths of a power of two.
func pieceBytes(size int) int {
	step := 64
	for step*16 < size {
		step *= 2
	}
	return (size + step - 1) &^ (step - 1)
}

// allocate returns a zeroed piece of at least size bytes, aligned to 64.
func (m *memory) allocate(size int) uintptr {
	size = pieceBytes(max(size, 1))
	m.mu.Lock()
	defer m.mu.Unlock()

	m.pieces++
	if list := m.free[size]; len(list) > 0 {
		piece := list[len(list)-1]
		m.free[size] = list[:len(list)-1]
		clear(span[byte](piece, size))
		return piece
	}
	if m.bytes < size {
		chunk := mapMemory(max(chunkBytes, size))
		m.chunks = append(m.chunks, chunk)
		m.rest, m.bytes = addressOf(unsafe.SliceData(chunk)), len(chunk)
	}
	piece := m.rest
	m.rest += uintptr(size)
	m.bytes -= size
	return piece
}

// release takes back a piece; size is that of its allocate.
func (m *memory) release(piece uintptr, size int) {
	size = pieceBytes(max(size, 1))
	m.mu.Lock()
	defer m.mu.Unlock()

	m.pieces--
	if m.free == nil {
		m.free = map[int][]uintptr{}
	}
	m.free[size] = append(m.free[size], piece)
	if m.closed && m.pieces == 0 {
		m.unmap()
	}
}

// close unmaps everything as soon as no piece is out.
func (m *memory) close() {
	m.mu.Lock()
	defer m.mu.Unlock()

	m.closed = true
	if m.pieces == 0 {
		m.unmap()
	}
}

func (m *memory) unmap() {
	for _, chunk := range m.chunks {
		unmapMemory(chunk)
	}
	m.chunks, m.free, m.rest, m.bytes = nil, nil, 0, 0
}

// owns tells whether an address lies in memory that was handed out here.
func (m *memory) owns(address uintptr) bool {
	m.mu.Lock()
	defer m.mu.Unlock()

	for _, chunk := range m.chunks {
		if address-addressOf(unsafe.SliceData(chunk)) < uintptr(len(chunk)) {
			return true
		}
	}
	return false
}

// usage tells how many bytes are mapped.
func (m *memory) usage() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()

	total := int64(0)
	for _, chunk := range m.chunks {
		total += int64(len(chunk))
	}
	return total
}

// text stores a string with a NUL at its end; the piece is released with textBytes.
func (m *memory) text(value string) uintptr {
	piece := m.allocate(len(value) + 1)
	copy(span[byte](piece, len(value)), value)
	*at[byte](piece + uintptr(len(value))) = 0
	return piece
}

// textMax bounds how far a C string is followed.
const textMax = 1 << 20

// readText copies a C string; NULL is "". ok is false when no NUL comes within limit bytes.
func readText(address uintptr, limit int) (value string, ok bool) {
	if address == 0 {
		return "", true
	}
	for n := 0; n < limit; n++ {
		if *at[byte](address + uintptr(n)) == 0 {
			return string(span[byte](address, n)), true
		}
	}
	return "", false
}
