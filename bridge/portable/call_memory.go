// SPDX-License-Identifier: Apache-2.0

package portable

import "github.com/apache/arrow-go/v18/arrow/memory"

// callMemory is the allocator of one call that makes a result. Until the call has ended it
// remembers what is live, so that a call that fails in the middle, for want of memory say, leaves
// nothing behind; afterwards it only passes frees on, from any goroutine.
type callMemory struct {
	mem   memory.Allocator
	live  [][]byte
	ended bool
}

// Allocate implements memory.Allocator.
func (m *callMemory) Allocate(size int) []byte {
	block := m.mem.Allocate(size)
	m.live = append(m.live, block)
	return block
}

// Reallocate implements memory.Allocator.
func (m *callMemory) Reallocate(size int, block []byte) []byte {
	grown := m.mem.Reallocate(size, block)
	if !m.ended {
		m.forget(block)
		m.live = append(m.live, grown)
	}
	return grown
}

// Free implements memory.Allocator.
func (m *callMemory) Free(block []byte) {
	if !m.ended {
		m.forget(block)
	}
	m.mem.Free(block)
}

// settle ends the call: after an error everything that is left is freed.
func (m *callMemory) settle(err error) {
	m.ended = true
	if err != nil {
		for _, block := range m.live {
			m.mem.Free(block)
		}
	}
	m.live = nil
}

// forget searches from the end: what is freed during a call was mostly made last.
func (m *callMemory) forget(block []byte) {
	for i := len(m.live) - 1; i >= 0; i-- {
		if same(m.live[i], block) {
			m.live = append(m.live[:i], m.live[i+1:]...)
			return
		}
	}
}

// same compares allocations by address.
func same(a, b []byte) bool {
	return cap(a) > 0 && cap(b) > 0 && &a[:1][0] == &b[:1][0]
}
