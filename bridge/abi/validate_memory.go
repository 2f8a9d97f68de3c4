// SPDX-License-Identifier: Apache-2.0

package abi

import "unsafe"

// foreign turns an address of a foreign struct into a pointer; 0 gives nil. Sound: the memory lies
// outside the Go heap or is pinned, and its owner keeps it for the call. That the address is good
// cannot be checked.
func foreign[T any](address uintptr) *T {
	return *(**T)(unsafe.Pointer(&address))
}

// foreignSlots returns the values of a buffer from a slot on. Foreign buffers may be unaligned,
// which is fine for types without pointers on every platform that arrow-go has.
func foreignSlots[T any](array *ArrowArray, buffer int, count int64) []T {
	return foreignSpan[T](bufferOf(array, buffer), array.Offset, count)
}

// foreignSpan returns count values from a position on.
func foreignSpan[T any](address uintptr, from, count int64) []T {
	var one T
	if count == 0 {
		return nil
	}
	return unsafe.Slice(foreign[T](address+uintptr(from)*unsafe.Sizeof(one)), count)
}

const pointerBytes = unsafe.Sizeof(uintptr(0))

func bufferOf(array *ArrowArray, i int) uintptr {
	return *foreign[uintptr](array.Buffers + uintptr(i)*pointerBytes)
}

// childArray and childSchema may return nil.
func childArray(array *ArrowArray, i int) *ArrowArray {
	return foreign[ArrowArray](*foreign[uintptr](array.Children + uintptr(i)*pointerBytes))
}

func childSchema(schema *ArrowSchema, i int) *ArrowSchema {
	return foreign[ArrowSchema](*foreign[uintptr](schema.Children + uintptr(i)*pointerBytes))
}

// pointerTo is the first byte of a text of at least one.
func pointerTo(text []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(text)) }

// addressOfView is where a foreign view lies; its inline bytes follow its size.
func addressOfView(view *viewSlot) uintptr { return uintptr(unsafe.Pointer(view)) }
