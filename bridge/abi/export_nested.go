// SPDX-License-Identifier: Apache-2.0

package abi

import (
	"github.com/apache/arrow-go/v18/arrow/array"
	arrowmemory "github.com/apache/arrow-go/v18/arrow/memory"
)

// fillRest fills the classes that [slot.fill] does not treat on the spot; the validity is written.
func (s *slot) fillRest(n *node, a *ArrowArray, table *[3]uintptr, data *array.Data, end int64) string {
	buffers := data.Buffers()
	if n.class != classStruct && n.class != classFixedList && len(buffers) < 2 {
		return problemBuffers
	}
	switch n.class {
	case classBinary:
		return s.fillBinary(n, table, buffers, end)
	case classBit:
		if table[1] = s.values(buffers[1], (end+7)>>3); table[1] == 0 {
			return problemShort
		}
	case classView:
		return s.fillView(n, a, buffers, end)
	case classList:
		last, address, problem := s.offsets(n, buffers[1], end)
		if problem != "" {
			return problem
		}
		table[1] = address
		return s.fillChildren(n, data, last, problemOffsets)
	case classListView:
		if len(buffers) < 3 {
			return problemBuffers
		}
		table[1], table[2] = s.values(buffers[1], end*n.width), s.values(buffers[2], end*n.width)
		if table[1] == 0 || table[2] == 0 {
			return problemShort
		}
		return s.fillChildren(n, data, 0, problemChild)
	case classFixedList:
		return s.fillChildren(n, data, end*n.size, problemChild)
	case classStruct:
		return s.fillChildren(n, data, end, problemChild)
	}
	return ""
}

// fillWithoutValidity fills the classes whose C form has no validity bitmap.
func (s *slot) fillWithoutValidity(
	n *node, a *ArrowArray, table *[3]uintptr, data *array.Data, end int64,
) string {
	a.NullCount = 0
	buffers := data.Buffers()
	switch n.class {
	case classNull:
		a.NullCount = a.Length
		return ""
	case classRunEnds:
		return s.fillChildren(n, data, 0, problemChild)
	}
	if len(buffers) < 2 || n.class == classDense && len(buffers) < 3 {
		return problemBuffers
	}
	if table[0] = s.values(buffers[1], end); table[0] == 0 {
		return problemShort
	}
	if n.class == classSparse {
		return s.fillChildren(n, data, end, problemChild)
	}
	if table[1] = s.values(buffers[2], 4*end); table[1] == 0 {
		return problemShort
	}
	return s.fillChildren(n, data, 0, problemChild)
}

// fillChildren fills the children, which have at least needed values each, or else the problem given.
func (s *slot) fillChildren(n *node, data *array.Data, needed int64, problem string) string {
	children := data.Children()
	if len(children) != len(n.children) {
		return problemChildren
	}
	for i, position := range n.children {
		child, ok := children[i].(*array.Data)
		if !ok || child == nil {
			return problemChildren
		}
		if int64(child.Len()) < needed {
			return problem
		}
		if below := s.fill(position, child); below != "" {
			return below
		}
	}
	return ""
}

// fillView fills a view array: validity, views, any number of data buffers, and their sizes. A few data buffers
// have room in the block; more go to memory that the slot keeps for the next batch.
func (s *slot) fillView(n *node, a *ArrowArray, buffers []*arrowmemory.Buffer, end int64) string {
	data := buffers[2:]
	tableAt := s.block + n.buffersAt
	sizesAt := tableAt + 8*(3+viewBuffersInline)
	validity := *at[uintptr](tableAt)
	if len(data) > viewBuffersInline {
		tableAt = s.spill(n.spillAt, 8*(3+2*len(data)))
		sizesAt = tableAt + 8*uintptr(3+len(data))
	}
	table := span[uintptr](tableAt, 3+len(data))
	sizes := span[int64](sizesAt, len(data))
	table[0] = validity
	if table[1] = s.values(buffers[1], 16*end); table[1] == 0 {
		return problemShort
	}
	for i, buffer := range data {
		table[2+i] = s.values(buffer, 0)
		sizes[i] = 0
		if buffer != nil {
			sizes[i] = int64(buffer.Len())
		}
	}
	table[2+len(data)] = sizesAt
	a.Buffers = tableAt
	a.NBuffers = int64(3 + len(data))
	return ""
}
