// SPDX-License-Identifier: Apache-2.0

package arena

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"unsafe"

	"github.com/tombolo-arrow/tombolo/ownership/buildtag"
	"github.com/tombolo-arrow/tombolo/ownership/ledger"
)

// FreedByte fills freed memory in debug builds, so that a late reader sees nonsense and a late
// writer is found at reuse.
const FreedByte = 0xDB

const freedFrames = 16

var freedPattern = bytes.Repeat([]byte{FreedByte}, 4096)

// handOut runs in debug and ASan builds on a block that was just taken.
func (a *Arena) handOut(from *slab, index uint32, dirty int64) {
	address := from.address(index)
	if buildtag.ASan {
		unpoison(address, from.block)
	}
	if !buildtag.Debug {
		return
	}
	from.home.mu.Lock()
	if from.marks == nil {
		from.marks = make([]mark, from.count)
	}
	stacks := from.freedStack(index)
	from.marks[index].ticket = a.ledger.Trace(ledger.ArenaAllocations, from.blocks[index].length)
	from.home.mu.Unlock()
	if overwritten(unsafe.Slice((*byte)(pointer(address)), dirty)) {
		a.report(&Error{Operation: "allocate", Err: ErrOverwritten, Bytes: dirty, Stacks: stacks})
	}
}

// takeBack runs in debug and ASan builds on a block that is about to be free. The shard is locked.
func (a *Arena) takeBack(from *slab, index uint32) {
	address := from.address(index)
	if buildtag.Debug {
		a.ledger.Untrace(from.marks[index].ticket)
		pcs := make([]uintptr, freedFrames)
		from.marks[index].freed = pcs[:runtime.Callers(3, pcs)]
		length := (from.blocks[index].length + alignment - 1) &^ (alignment - 1)
		fill(unsafe.Slice((*byte)(pointer(address)), length))
	}
	if buildtag.ASan {
		poison(address, from.block)
	}
}

func fill(memory []byte) {
	for len(memory) > 0 {
		memory = memory[copy(memory, freedPattern):]
	}
}

func overwritten(memory []byte) bool {
	for len(memory) > 0 {
		n := min(len(memory), len(freedPattern))
		if !bytes.Equal(memory[:n], freedPattern[:n]) {
			return true
		}
		memory = memory[n:]
	}
	return false
}

func (s *slab) freedStack(index uint32) string {
	if !buildtag.Debug || s.marks == nil {
		return ""
	}
	var text strings.Builder
	text.WriteString("freed at\n")
	frames := runtime.CallersFrames(s.marks[index].freed)
	for more := len(s.marks[index].freed) > 0; more; {
		var frame runtime.Frame
		frame, more = frames.Next()
		fmt.Fprintf(&text, "\t%s\n\t\t%s:%d\n", frame.Function, frame.File, frame.Line)
	}
	return text.String()
}

// Poisoner marks memory for AddressSanitizer.
type Poisoner struct {
	Poison   func(address, length uintptr)
	Unpoison func(address, length uintptr)
}

var poisoner atomic.Pointer[Poisoner]

// SetPoisoner gives arenas the sanitizer's functions; a carrier that is built with AddressSanitizer
// does so in an init function. Builds without the asan tag, which `go build -asan` sets, never call
// them.
func SetPoisoner(p Poisoner) { poisoner.Store(&p) }

func poison(address, length uintptr) {
	if p := poisoner.Load(); p != nil && length > 0 {
		p.Poison(address, length)
	}
}

func unpoison(address, length uintptr) {
	if p := poisoner.Load(); p != nil && length > 0 {
		p.Unpoison(address, length)
	}
}

// poisonSlack marks what an allocation does not use of its block. The rest of its last line stays
// readable, since vector code reads whole lines.
func poisonSlack(address, length, block uintptr) {
	length = (length + alignment - 1) &^ (alignment - 1)
	poison(address+length, block-length)
}
