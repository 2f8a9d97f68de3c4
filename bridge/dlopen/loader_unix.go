// SPDX-License-Identifier: Apache-2.0

//go:build (linux || darwin) && (amd64 || arm64)

package dlopen

import (
	"github.com/ebitengine/purego"

	"github.com/tombolo-arrow/tombolo/bridge/abi"
)

const unavailable = ""

func system() loader { return posix{} }

// posix loads by dlopen(3).
type posix struct{}

func (posix) open(path string) (uintptr, error) {
	// Now: what a library needs and lacks is an error here, not a fault in the middle of a call. Local: its symbols
	// are nobody else's.
	return purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

func (posix) symbol(handle uintptr, name string) (uintptr, error) { return purego.Dlsym(handle, name) }

func (posix) caller() abi.Caller { return Caller{} }

// Caller calls C functions by purego. It has no state and is safe for concurrent use. A call allocates once.
type Caller struct{}

// Call is part of abi.Caller.
func (Caller) Call(function, a0, a1, a2, a3, a4, a5 uintptr) uintptr {
	result, _, _ := purego.SyscallN(function, a0, a1, a2, a3, a4, a5)
	return result
}

// Call7 is part of abi.Caller.
func (Caller) Call7(function, a0, a1, a2, a3, a4, a5, a6 uintptr) uintptr {
	result, _, _ := purego.SyscallN(function, a0, a1, a2, a3, a4, a5, a6)
	return result
}
