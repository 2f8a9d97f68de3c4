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
