// SPDX-License-Identifier: Apache-2.0

package pin

import (
	"errors"
	"unsafe"

	"github.com/tombolo-arrow/tombolo/ownership/buildtag"
)

// ErrUnpinned says that an address was about to cross that lies neither in an arena nor in the pin
// table: memory of the Go heap that the collector may free while native code reads it.
var ErrUnpinned = errors.New("address crosses unpinned and outside every arena")

// Spans is memory that may cross without a pin; an arena is one.
type Spans interface {
	// Live says whether length bytes from address lie inside one live allocation.
	Live(address uintptr, length int) bool
}

// Check returns [ErrUnpinned] unless length bytes from address lie in one pinned buffer or in one
// of the spans. Release builds keep no table and return nil. It is safe for concurrent use.
func (t *Table) Check(address uintptr, length int, spans ...Spans) error {
	if !buildtag.Debug || address == 0 {
		return nil
	}
	for _, other := range spans {
		if other.Live(address, length) {
			return nil
		}
	}
	if t.pinned(address, uintptr(length)) {
		return nil
	}
	return ErrUnpinned
}

func (t *Table) pinned(address, length uintptr) bool {
	t.mu.Lock()
	defer t.mu.Unlock()

	for s := range t.out {
		for _, held := range s.spans {
			if offset := address - held.address; offset <= held.length && length <= held.length-offset {
				return true
			}
		}
	}
	return false
}

func (s *Set) enter(b []byte) {
	s.table.mu.Lock()
	defer s.table.mu.Unlock()

	s.table.out[s] = struct{}{}
	address := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	s.spans = append(s.spans, span{address, uintptr(len(b))})
}

func (s *Set) leave() {
	s.table.mu.Lock()
	defer s.table.mu.Unlock()

	delete(s.table.out, s)
	s.spans = s.spans[:0]
}
