// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package abi

import (
	"runtime"
	"sync"
	"unsafe"
)

var pinned struct {
	sync.Mutex
	chunks map[*byte]*runtime.Pinner
}

// mapMemory returns zeroed memory that does not move: without a portable mmap it is a pinned Go allocation.
func mapMemory(size int) []byte {
	memory := make([]byte, size+63)
	first := unsafe.SliceData(memory)
	pinner := &runtime.Pinner{}
	pinner.Pin(first)
	skip := -uintptr(unsafe.Pointer(first)) & 63
	memory = memory[skip : skip+uintptr(size)]

	pinned.Lock()
	defer pinned.Unlock()

	if pinned.chunks == nil {
		pinned.chunks = map[*byte]*runtime.Pinner{}
	}
	pinned.chunks[unsafe.SliceData(memory)] = pinner
	return memory
}

func unmapMemory(memory []byte) {
	pinned.Lock()
	defer pinned.Unlock()

	pinned.chunks[unsafe.SliceData(memory)].Unpin()
	delete(pinned.chunks, unsafe.SliceData(memory))
}
