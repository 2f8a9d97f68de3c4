// SPDX-License-Identifier: Apache-2.0

//go:build unix && !linux

package arena

import "golang.org/x/sys/unix"

const noReserve = 0

// decommit gives the memory back; the addresses stay usable and read as zeros. Advice alone does
// not promise zeros on these systems, so fresh memory is mapped over the old.
func decommit(base, bytes uintptr) error {
	return remap(base, bytes, unix.PROT_READ|unix.PROT_WRITE, 0)
}
