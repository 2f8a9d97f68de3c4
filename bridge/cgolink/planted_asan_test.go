// SPDX-License-Identifier: Apache-2.0

//go:build tombolo_planted && cgo && asan && linux && (amd64 || arm64) && !tombolo_portable

package cgolink_test

import (
	"testing"
	"unsafe"

	"github.com/tombolo-arrow/tombolo/ownership/arena"
)

// TestPlantedReadPastABuffer reads slack of an arena block: built with tombolo_planted and -asan
// the sanitizer must stop the program.
func TestPlantedReadPastABuffer(t *testing.T) {
	mem := newValidatorArena(t)
	b := mem.Allocate(10_000)
	defer mem.Free(b)

	t.Log(*(*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), 10_048)))
}

// TestPlantedReadAfterFree reads an arena block that was freed; the sanitizer must stop the
// program.
func TestPlantedReadAfterFree(t *testing.T) {
	mem, err := arena.New(arena.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer mem.Close()

	b := mem.Allocate(10_000)
	mem.Free(b)
	t.Log(b[5])
}
