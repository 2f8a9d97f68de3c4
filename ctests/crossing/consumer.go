// SPDX-License-Identifier: Apache-2.0

//go:build cgo && linux && (amd64 || arm64)

// Package crossing tests the crossing against a C consumer with threads of its own. It is a module apart, because
// test files may not use cgo and a consumer of this kind has no business in the product.
package crossing

// #cgo CFLAGS: -std=c11 -D_DEFAULT_SOURCE -I${SRCDIR}/../../native/include
// #include "consumer.h"
import "C"

import "unsafe"

// How an array is released; see consumer.h.
const (
	Whole         = int(C.CONSUMER_WHOLE)
	ChildrenLast  = int(C.CONSUMER_CHILDREN_LAST)
	ChildrenFirst = int(C.CONSUMER_CHILDREN_FIRST)
)

// structAt reads an address outside the Go heap as a C pointer.
func structAt(address uintptr) *C.struct_ArrowArray {
	return *(**C.struct_ArrowArray)(unsafe.Pointer(&address))
}

// Take reads and releases an array on this thread, and returns the sum of the first bytes of its buffers.
func Take(address uintptr, how int) uint64 {
	return uint64(C.consumer_take(structAt(address), C.int(how)))
}

// Give moves an array to a foreign thread.
func Give(address uintptr, how int) { C.consumer_give(structAt(address), C.int(how)) }

// Start starts the foreign threads.
func Start(threads int) bool { return C.consumer_start(C.int(threads)) == 0 }

// Stop waits until the foreign threads have released everything, and ends them.
func Stop() { C.consumer_stop() }

// Sum is what the foreign threads have read.
func Sum() uint64 { return uint64(C.consumer_sum()) }
