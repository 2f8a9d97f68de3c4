// SPDX-License-Identifier: Apache-2.0

//go:build (linux || darwin) && (amd64 || arm64)

package dlopen

import (
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// callFrame is what the trampoline reads and writes; the offsets stand in call_amd64.s and call_arm64.s.
type callFrame struct {
	function uintptr
	args     [6]uintptr
	result   uintptr
}

// frames are on the heap: a function that is called may call back into Go, and then the stack may move.
var frames = sync.Pool{New: func() any { return new(callFrame) }}

// cgocall is the runtime's way to C, with a system stack and a free processor for other goroutines. purego, which is
// imported, sets up what it needs in a program without cgo; its own call takes three times as long and allocates.
//
//go:linkname cgocall runtime.cgocall
//go:noescape
func cgocall(function uintptr, argument unsafe.Pointer) int32

// trampolineAddress gives the address of the trampoline for C.
func trampolineAddress() uintptr

var trampoline = trampolineAddress()

// Caller calls C functions through the runtime. It has no state and is safe for concurrent use.
type Caller struct{}

// Call is part of abi.Caller. The function called may call back into Go, as the release of a foreign struct can.
func (Caller) Call(function, a0, a1, a2, a3, a4, a5 uintptr) uintptr {
	frame := frames.Get().(*callFrame)
	*frame = callFrame{function: function, args: [6]uintptr{a0, a1, a2, a3, a4, a5}}
	cgocall(trampoline, unsafe.Pointer(frame))
	result := frame.result
	frames.Put(frame)
	return result
}

// Call7 is part of abi.Caller.
func (Caller) Call7(function, a0, a1, a2, a3, a4, a5, a6 uintptr) uintptr {
	result, _, _ := purego.SyscallN(function, a0, a1, a2, a3, a4, a5, a6)
	return result
}
