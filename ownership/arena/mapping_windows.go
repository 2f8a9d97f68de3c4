// SPDX-License-Identifier: Apache-2.0

package arena

import "golang.org/x/sys/windows"

// reserve takes a span of addresses that cannot be touched yet.
func reserve(bytes uintptr) (uintptr, error) {
	return windows.VirtualAlloc(0, bytes, windows.MEM_RESERVE, windows.PAGE_NOACCESS)
}

// unreserve gives a span back.
func unreserve(base, bytes uintptr) {
	// A failure leaves the addresses taken, which harms nobody.
	_ = windows.VirtualFree(base, 0, windows.MEM_RELEASE)
}

// commit makes reserved memory readable and writable; it reads as zeros.
func commit(base, bytes uintptr) error {
	_, err := windows.VirtualAlloc(base, bytes, windows.MEM_COMMIT, windows.PAGE_READWRITE)
	return err
}

// protect drops the content of committed memory and makes it inaccessible, as after reserve.
func protect(base, bytes uintptr) error {
	return windows.VirtualFree(base, bytes, windows.MEM_DECOMMIT)
}

// decommit gives the memory back; the addresses stay usable and read as zeros.
func decommit(base, bytes uintptr) error {
	if err := protect(base, bytes); err != nil {
		return err
	}
	return commit(base, bytes)
}
