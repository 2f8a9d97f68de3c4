// SPDX-License-Identifier: Apache-2.0

package abi

import (
	"math/bits"

	"github.com/tombolo-arrow/tombolo/ownership/handle"
)

// bytesMax bounds a buffer by what an address space holds, so that no size computation overflows.
const bytesMax = 1 << 47

// variadicMax bounds the data buffers of a view array.
const variadicMax = 1 << 24

// reader builds arrow-go arrays over one C array.
type reader struct {
	layout *layout
	holder *holder
	bytes  int64
}

// shape checks what one array must have for its class, without reading a value: counts, pointers, overflow.
func (r *reader) shape(n *node, a *ArrowArray) error {
	if a.Length < 0 || a.Offset < 0 || a.Length > lengthMax || a.Offset > lengthMax {
		return invalid("array has a length or offset out of range")
	}
	if a.NullCount < -1 || a.NullCount > a.Length {
		return invalid("array has a null count out of range")
	}
	variable := n.class == classView
	if want := int64(classBuffers[n.class]); a.NBuffers != want {
		// Before 2021 a null array had one buffer, and some producers still write it.
		old := n.class == classNull && a.NBuffers == 1
		if !old && !(variable && a.NBuffers > want && a.NBuffers <= variadicMax) {
			return invalid("array has the wrong number of buffers for its type")
		}
	}
	if a.NBuffers > 0 && n.class != classNull && (a.Buffers == 0 || a.Buffers%8 != 0) {
		return invalid("array has no buffer table")
	}
	if a.NChildren != int64(len(n.children)) {
		return invalid("array has the wrong number of children for its type")
	}
	if len(n.children) > 0 {
		if a.Children == 0 || a.Children%8 != 0 {
			return invalid("array has no child table")
		}
		for _, child := range span[uintptr](a.Children, len(n.children)) {
			if err := present(child, handle.Child, "child array"); err != nil {
				return err
			}
		}
	}
	if n.values < 0 {
		if a.Dictionary != 0 {
			return invalid("array has a dictionary that its type has not")
		}
		return nil
	}
	return present(a.Dictionary, handle.Dictionary, "dictionary")
}

// present checks that a child is there and not released.
func present(address uintptr, kind handle.Kind, what string) error {
	if address == 0 || address%8 != 0 {
		return invalid(what + " is NULL")
	}
	if at[ArrowArray](address).Release == 0 {
		return goneInC(kind, what+" was released already")
	}
	return nil
}

// walk checks the structure of an array and all below it.
func (r *reader) walk(position int, a *ArrowArray) error {
	n := &r.layout.nodes[position]
	if err := r.shape(n, a); err != nil {
		return err
	}
	for i, child := range n.children {
		if err := r.walk(child, at[ArrowArray](*at[uintptr](a.Children + uintptr(8*i)))); err != nil {
			return err
		}
	}
	if n.values >= 0 {
		return r.walk(n.values, at[ArrowArray](a.Dictionary))
	}
	return nil
}

// noNulls refuses a batch that has null rows.
func (r *reader) noNulls(a *ArrowArray) error {
	bitmap := *at[uintptr](a.Buffers)
	if bitmap == 0 {
		if a.NullCount > 0 {
			return invalid(problemValidity)
		}
		return nil
	}
	nulls := a.NullCount
	if nulls < 0 {
		nulls = a.Length - countBits(bitmap, a.Offset, a.Length)
	}
	if nulls != 0 {
		return unsupported("record batch with null rows")
	}
	return nil
}

// countBits counts the set bits of a bitmap.
func countBits(bitmap uintptr, offset, length int64) int64 {
	total := int64(0)
	bytes := span[byte](bitmap, int((offset+length+7)>>3))
	for i := offset; i < offset+length; {
		if i&7 == 0 && offset+length-i >= 8 {
			total += int64(bits.OnesCount8(bytes[i>>3]))
			i += 8
			continue
		}
		total += int64(bytes[i>>3] >> (i & 7) & 1)
		i++
	}
	return total
}
