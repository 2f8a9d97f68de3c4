// SPDX-License-Identifier: Apache-2.0

//go:build unix

package arena

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

const mapFlags = unix.MAP_PRIVATE | unix.MAP_ANON

// reserve takes a span of addresses that cannot be touched yet.
func reserve(bytes uintptr) (uintptr, error) {
	base, err := unix.MmapPtr(-1, 0, nil, bytes, unix.PROT_NONE, mapFlags|noReserve)
	return uintptr(base), err
}

// unreserve gives a span back.
func unreserve(base, bytes uintptr) {
	// A failure leaves the addresses taken, which harms nobody.
	_ = unix.MunmapPtr(pointer(base), bytes)
}

// commit makes reserved memory readable and writable; it reads as zeros.
func commit(base, bytes uintptr) error {
	return unix.Mprotect(span(base, bytes), unix.PROT_READ|unix.PROT_WRITE)
}

// protect drops the content of committed memory and makes it inaccessible, as after reserve.
func protect(base, bytes uintptr) error {
	return remap(base, bytes, unix.PROT_NONE, noReserve)
}

func remap(base, bytes uintptr, protection, flags int) error {
	_, err := unix.MmapPtr(-1, 0, pointer(base), bytes, protection, mapFlags|unix.MAP_FIXED|flags)
	return err
}

func span(base, bytes uintptr) []byte {
	return unsafe.Slice((*byte)(pointer(base)), bytes)
}
