// SPDX-License-Identifier: Apache-2.0

package abi

import (
	"runtime"

	"github.com/tombolo-arrow/tombolo/ownership/buildtag"
)

// What debug builds (tag tombolo_debug) add to every export: a collection first, so that memory that only C knows
// of is gone when it is read; a check of every address; and poison over what was released.

// poisonByte fills released structs. As an address it is not canonical, so a reader faults at once.
const poisonByte = 0xDB

// restore runs before an export whose block may have been overwritten.
func (s *slot) restore() {
	if buildtag.Debug {
		runtime.GC()
	}
	s.writeStatic()
}

// poison overwrites the structs of a block that came back.
func (s *slot) poison() {
	body := span[byte](s.block+ExportBlockBytes, s.layout.bytes-ExportBlockBytes)
	for i := range body {
		body[i] = poisonByte
	}
}

// assertCrosses panics unless every buffer of the block lies in the arena, is pinned, or is memory of this
// package. The cgocheck2 experiment cannot tell: it does not see addresses that are stored as integers.
func (s *slot) assertCrosses() {
	for i := range s.nodes {
		a := at[ArrowArray](s.block + s.nodes[i].arrayAt)
		for _, address := range span[uintptr](a.Buffers, int(a.NBuffers)) {
			if address == 0 || address == zeros || s.exporter.memory.owns(address) {
				continue
			}
			if err := s.exporter.pins.Check(address, 1, s.arena); err != nil {
				panic("abi: " + err.Error())
			}
		}
	}
}
