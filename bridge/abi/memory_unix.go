// SPDX-License-Identifier: Apache-2.0

//go:build unix

package abi

import "syscall"

// mapMemory returns zeroed memory outside the Go heap. It panics when the system has none left, as an allocation
// on the Go heap does.
func mapMemory(size int) []byte {
	size = (size + 4095) &^ 4095
	memory, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		panic("abi: no memory for C structs: " + err.Error())
	}
	return memory
}

func unmapMemory(memory []byte) {
	if err := syscall.Munmap(memory); err != nil {
		panic("abi: unmapping C structs: " + err.Error())
	}
}
