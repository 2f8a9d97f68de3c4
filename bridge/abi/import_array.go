// SPDX-License-Identifier: Apache-2.0

package abi

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	arrowmemory "github.com/apache/arrow-go/v18/arrow/memory"
)

// Buffers of no bytes that every import may use: they have no owner and are not written to.
var (
	noBytes   = arrowmemory.NewBufferBytes([]byte{})
	oneOffset = arrowmemory.NewBufferBytes(make([]byte, 8))
)

// child builds the array at an address. A parent that is dissolved, such as the struct of a record batch, gives
// its offset and length; length -1 keeps the child's own.
func (r *reader) child(position int, address uintptr, shift, length int64) (arrow.ArrayData, error) {
	return r.data(position, at[ArrowArray](address), shift, length)
}

// data builds the arrow-go form of one array and all below it.
func (r *reader) data(position int, a *ArrowArray, shift, length int64) (arrow.ArrayData, error) {
	n := &r.layout.nodes[position]
	if err := r.shape(n, a); err != nil {
		return nil, err
	}
	v := view{reader: r, node: n, array: a, offset: a.Offset, length: a.Length, nulls: a.NullCount}
	if length >= 0 {
		if a.Length-shift < length {
			return nil, invalid(problemChild)
		}
		if v.nulls > 0 && length != a.Length {
			v.nulls = array.UnknownNullCount
		}
		v.offset, v.length = a.Offset+shift, length
	}
	if v.offset+v.length > lengthMax {
		return nil, invalid("array has a length or offset out of range")
	}
	if v.length == 0 {
		v.offset = 0 // an empty array may lack its buffers, whatever its offset
	}

	defer v.release()

	if err := v.read(); err != nil {
		return nil, err
	}
	data := array.NewData(n.typ, int(v.length), v.buffers, v.children, int(v.nulls), int(v.offset))
	if v.dictionary != nil {
		data.SetDictionary(v.dictionary)
	}
	return data, nil
}

// view is one array while it is read.
type view struct {
	*reader
	node       *node
	array      *ArrowArray
	offset     int64
	length     int64
	nulls      int64
	buffers    []*arrowmemory.Buffer
	children   []arrow.ArrayData
	dictionary arrow.ArrayData
}

// release gives up what was read; the data that was built of it holds its own.
func (v *view) release() {
	for _, buffer := range v.buffers {
		if buffer != nil {
			buffer.Release()
		}
	}
	for _, child := range v.children {
		child.Release()
	}
	if v.dictionary != nil {
		v.dictionary.Release()
	}
}

// read fills buffers, children and dictionary.
func (v *view) read() error {
	n, end := v.node, v.offset+v.length
	v.buffers = make([]*arrowmemory.Buffer, 0, 3)
	if err := v.validity(end); err != nil {
		return err
	}
	switch n.class {
	case classFixed:
		if err := v.values(1, end*n.width, n.width); err != nil {
			return err
		}
		return v.readDictionary()
	case classBit:
		return v.values(1, (end+7)>>3, 1)
	case classBinary:
		last, err := v.offsets(end)
		if err != nil {
			return err
		}
		return v.values(2, last, 1)
	case classView:
		return v.readViews(end)
	}
	return v.readNested(end)
}

// pointer is buffer i of the C array.
func (v *view) pointer(i int) uintptr { return *at[uintptr](v.array.Buffers + uintptr(8*i)) }

// validity reads buffer 0 where the class has one, else leaves the empty slot that arrow-go wants there.
func (v *view) validity(end int64) error {
	if v.node.class == classNull {
		v.nulls = v.length
	}
	if !v.node.validity {
		if v.node.class != classNull {
			v.nulls = 0
		}
		v.buffers = append(v.buffers, nil)
		return nil
	}
	bitmap := v.pointer(0)
	if bitmap == 0 {
		if v.nulls > 0 {
			return invalid(problemValidity)
		}
		// A null count of -1 without a bitmap is outside the letter, but common.
		v.nulls = 0
		v.buffers = append(v.buffers, nil)
		return nil
	}
	return v.wrap(bitmap, (end+7)>>3)
}

// values reads buffer i, which must hold bytes bytes aligned to min(width, 8).
func (v *view) values(i int, bytes, width int64) error {
	address := v.pointer(i)
	if bytes == 0 {
		// The pointer of a buffer without bytes may be anything.
		v.buffers = append(v.buffers, noBytes)
		return nil
	}
	if address == 0 {
		return invalid("buffer that has bytes is NULL")
	}
	if width&(width-1) == 0 && address%uintptr(min(width, 8)) != 0 {
		return invalid("buffer is not aligned to its values")
	}
	return v.wrap(address, bytes)
}

// wrap makes a buffer over C memory that holds the import.
func (v *view) wrap(address uintptr, bytes int64) error {
	if bytes < 0 || bytes > bytesMax {
		return invalid("buffer is larger than an address space")
	}
	if bytes == 0 {
		v.buffers = append(v.buffers, noBytes)
		return nil
	}
	if err := v.holder.hold(); err != nil {
		return err
	}
	v.bytes += bytes
	content := span[byte](address, int(bytes))
	v.buffers = append(v.buffers, arrowmemory.NewBufferWithAllocator(content, v.holder))
	return nil
}

// offsets reads buffer 1 as offsets and returns the last. An empty array without offsets gets one zero.
func (v *view) offsets(end int64) (last int64, err error) {
	width := v.node.width
	address := v.pointer(1)
	if v.length == 0 {
		// Nothing is read of an empty array, so whatever stands there is not trusted.
		v.buffers = append(v.buffers, oneOffset)
		return 0, nil
	}
	if err := v.values(1, (end+1)*width, width); err != nil {
		return 0, err
	}
	if width == 4 {
		last = int64(*at[int32](address + uintptr(4*end)))
	} else {
		last = *at[int64](address + uintptr(8*end))
	}
	if last < 0 || last > bytesMax {
		return 0, invalid(problemOffsets)
	}
	return last, nil
}

// readViews reads views, data buffers and their sizes.
func (v *view) readViews(end int64) error {
	if err := v.values(1, 16*end, 8); err != nil {
		return err
	}
	count := int(v.array.NBuffers) - 3
	if count == 0 {
		return nil
	}
	sizes := v.pointer(2 + count)
	if sizes == 0 || sizes%8 != 0 {
		return invalid("view array has no sizes")
	}
	for i, size := range span[int64](sizes, count) {
		if size < 0 {
			return invalid("view array has a negative size")
		}
		if err := v.values(2+i, size, 1); err != nil {
			return err
		}
	}
	return nil
}

func (v *view) readDictionary() error {
	if v.node.values < 0 {
		return nil
	}
	values, err := v.child(v.node.values, v.array.Dictionary, 0, -1)
	v.dictionary = values
	return err
}

// readNested reads the classes with children.
func (v *view) readNested(end int64) error {
	n, needed := v.node, int64(0)
	switch n.class {
	case classList:
		last, err := v.offsets(end)
		if err != nil {
			return err
		}
		needed = last
	case classListView:
		for i := 1; i <= 2; i++ {
			if err := v.values(i, end*n.width, n.width); err != nil {
				return err
			}
		}
	case classFixedList:
		needed = end * n.size
	case classStruct:
		needed = end
	case classSparse, classDense:
		if err := v.values(0, end, 1); err != nil {
			return err
		}
		if n.class == classSparse {
			needed = end
		} else if err := v.values(1, 4*end, 4); err != nil {
			return err
		}
	}
	return v.readChildren(needed)
}

// readChildren reads the children, which must have at least needed values.
func (v *view) readChildren(needed int64) error {
	if len(v.node.children) == 0 {
		return nil
	}
	v.children = make([]arrow.ArrayData, 0, len(v.node.children))
	for i, position := range v.node.children {
		address := *at[uintptr](v.array.Children + uintptr(8*i))
		if at[ArrowArray](address).Length < needed {
			return invalid(problemChild)
		}
		child, err := v.child(position, address, 0, -1)
		if err != nil {
			return err
		}
		v.children = append(v.children, child)
	}
	if v.node.class != classRunEnds {
		return nil
	}
	ends, values := v.children[0], v.children[1]
	switch {
	case ends.NullN() > 0:
		return invalid("run ends have nulls")
	case ends.Len() > values.Len() || v.length > 0 && ends.Len() == 0:
		return invalid("run ends and values do not match")
	}
	return nil
}
