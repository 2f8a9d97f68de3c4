// SPDX-License-Identifier: Apache-2.0

package abi

import (
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow/array"
	arrowmemory "github.com/apache/arrow-go/v18/arrow/memory"
)

// Problems of an arrow-go array that keep it from crossing. They are texts, not errors, so that the hot path does
// not build one.
const (
	problemBuffers    = "array has too few buffers"
	problemShort      = "buffer is shorter than its array"
	problemValidity   = "array has nulls and no validity bitmap"
	problemOffsets    = "offsets reach outside their values"
	problemChildren   = "array has another number of children than its type"
	problemChild      = "child is shorter than its parent"
	problemDictionary = "dictionary array without a dictionary"
	problemSize       = "length or offset out of range"
)

// lengthMax keeps size computations below overflow.
const lengthMax = 1 << 48

// zeros is what buffers of no bytes point at: NULL would be legal, but not every reader takes it.
var zeros = addressOf(unsafe.SliceData(mapMemory(4096)))

// fill writes one array and all below it into the block. Offsets need no adjustment: below [array.Data] a slice
// of a struct or a sparse union keeps its children whole, as C wants them; only arrow-go's Field accessors show
// sliced children.
func (s *slot) fill(position int, data *array.Data) (problem string) {
	n := &s.nodes[position]
	a := at[ArrowArray](s.block + n.arrayAt)
	length, offset := int64(data.Len()), int64(data.Offset())
	if uint64(length)|uint64(offset) >= lengthMax {
		return problemSize
	}
	if length == 0 {
		offset = 0 // so that absent buffers are legal whatever was sliced
	}
	a.Length, a.Offset, a.Release = length, offset, s.child
	buffers := data.Buffers()
	table := at[[3]uintptr](s.block + n.buffersAt)
	end := offset + length
	if !n.validity {
		return s.fillWithoutValidity(n, a, table, data, end)
	}
	if len(buffers) == 0 {
		return problemBuffers
	}
	nulls := int64(data.NullN())
	if bitmap := buffers[0]; bitmap != nil && bitmap.Len() != 0 {
		if int64(bitmap.Len()) < (end+7)>>3 {
			return problemShort
		}
		first := uintptr(unsafe.Pointer(unsafe.SliceData(bitmap.Buf()))) // address, by hand: this is the hot path
		if first-s.low >= s.reach {
			if first = s.foreignAddress(bitmap); first == 0 {
				return problemShort
			}
		}
		table[0] = first
	} else {
		if nulls > 0 && length > 0 {
			return problemValidity
		}
		nulls, table[0] = 0, 0
	}
	a.NullCount = nulls
	if n.class != classFixed {
		return s.fillRest(n, a, table, data, end)
	}
	if len(buffers) < 2 {
		return problemBuffers
	}
	if values := buffers[1]; values != nil && values.Len() != 0 && int64(values.Len()) >= end*n.width {
		first := uintptr(unsafe.Pointer(unsafe.SliceData(values.Buf())))
		if first-s.low >= s.reach {
			if first = s.foreignAddress(values); first == 0 {
				return problemShort
			}
		}
		table[1] = first
	} else if table[1] = s.values(values, end*n.width); table[1] == 0 {
		return problemShort
	}
	if n.values >= 0 {
		return s.fillDictionary(n.values, data)
	}
	return ""
}

// address is where a buffer that has bytes starts, made fit to cross; 0 when it cannot be.
func (s *slot) address(buffer *arrowmemory.Buffer) uintptr {
	address := uintptr(unsafe.Pointer(unsafe.SliceData(buffer.Buf())))
	if address-s.low < s.reach {
		return address
	}
	return s.foreignAddress(buffer)
}

// values is address for a buffer that must hold needed bytes; 0 when it does not.
func (s *slot) values(buffer *arrowmemory.Buffer, needed int64) uintptr {
	if buffer == nil || buffer.Len() == 0 {
		if needed > 0 {
			return 0
		}
		return zeros
	}
	if int64(buffer.Len()) < needed {
		return 0
	}
	return s.address(buffer)
}

func (s *slot) fillBinary(n *node, table *[3]uintptr, buffers []*arrowmemory.Buffer, end int64) string {
	if len(buffers) < 3 {
		return problemBuffers
	}
	last, address, problem := s.offsets(n, buffers[1], end)
	if problem != "" {
		return problem
	}
	table[1] = address
	if table[2] = s.values(buffers[2], last); table[2] == 0 {
		return problemOffsets
	}
	return ""
}

// offsets gives the address of an offsets buffer and its last offset. An empty array may have none; it then gets
// one zero.
func (s *slot) offsets(n *node, buffer *arrowmemory.Buffer, end int64) (last int64, address uintptr, problem string) {
	needed := (end + 1) * n.width
	if buffer == nil || int64(buffer.Len()) < needed {
		if end == 0 {
			return 0, zeros, ""
		}
		return 0, 0, problemShort
	}
	// The index is inside the buffer by the check above.
	first := unsafe.Pointer(unsafe.SliceData(buffer.Buf()))
	if n.width == 4 {
		last = int64(*(*int32)(unsafe.Add(first, end*4)))
	} else {
		last = *(*int64)(unsafe.Add(first, end*8))
	}
	if last < 0 {
		return 0, 0, problemOffsets
	}
	if address = s.address(buffer); address == 0 {
		return 0, 0, problemShort
	}
	return last, address, ""
}

func (s *slot) fillDictionary(position int, data *array.Data) string {
	values, ok := data.Dictionary().(*array.Data)
	if !ok || values == nil {
		return problemDictionary
	}
	return s.fill(position, values)
}
