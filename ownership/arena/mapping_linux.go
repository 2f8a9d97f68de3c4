// SPDX-License-Identifier: Apache-2.0

package arena

import "golang.org/x/sys/unix"

const noReserve = unix.MAP_NORESERVE

// decommit gives the memory back; the addresses stay usable and read as zeros.
func decommit(base, bytes uintptr) error {
	return unix.Madvise(span(base, bytes), unix.MADV_DONTNEED)
}

// adviseHuge asks for huge pages: a large fresh buffer then takes a page fault for each 2 MiB, not
// each 4 KiB.
func adviseHuge(base, bytes uintptr) {
	// Kernels without huge pages refuse, and nothing is lost.
	_ = unix.Madvise(span(base, bytes), unix.MADV_HUGEPAGE)
}
