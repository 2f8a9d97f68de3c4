// SPDX-License-Identifier: Apache-2.0

package abi

// Caller calls C functions by address. It is what a carrier gives this package, and all of it.
//
// Call passes up to six integer or pointer arguments in the platform's C convention and returns the integer
// result; unused arguments are zero. The arguments point outside the Go heap. A function that is called this way
// may block and may run foreign code. Implementations are safe for concurrent use and do not allocate.
type Caller interface {
	Call(function, a0, a1, a2, a3, a4, a5 uintptr) uintptr
	// Call7 is Call with seven arguments; it is off the hot path.
	Call7(function, a0, a1, a2, a3, a4, a5, a6 uintptr) uintptr
}
