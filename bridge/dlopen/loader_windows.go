// SPDX-License-Identifier: Apache-2.0

//go:build windows && (amd64 || arm64)

package dlopen

import (
	"syscall"

	"golang.org/x/sys/windows"

	"github.com/tombolo-arrow/tombolo/bridge/abi"
)

// There is no build of the library for Windows yet; a path to one of the user's own is loaded.
const unavailable = ""

func system() loader { return win{} }

// win loads by LoadLibraryEx. The library's own folder and the system's are searched for what it needs, the working
// folder is not.
type win struct{}

func (win) open(path string) (uintptr, error) {
	const flags = windows.LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | windows.LOAD_LIBRARY_SEARCH_SYSTEM32
	handle, err := windows.LoadLibraryEx(path, 0, flags)
	return uintptr(handle), err
}

func (win) symbol(handle uintptr, name string) (uintptr, error) {
	return windows.GetProcAddress(windows.Handle(handle), name)
}

func (win) caller() abi.Caller { return Caller{} }

// Caller calls C functions by the runtime's own syscall. It has no state and is safe for concurrent use.
type Caller struct{}

// Call is part of abi.Caller.
func (Caller) Call(function, a0, a1, a2, a3, a4, a5 uintptr) uintptr {
	result, _, _ := syscall.SyscallN(function, a0, a1, a2, a3, a4, a5)
	return result
}

// Call7 is part of abi.Caller.
func (Caller) Call7(function, a0, a1, a2, a3, a4, a5, a6 uintptr) uintptr {
	result, _, _ := syscall.SyscallN(function, a0, a1, a2, a3, a4, a5, a6)
	return result
}
