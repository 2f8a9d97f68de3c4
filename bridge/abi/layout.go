// SPDX-License-Identifier: Apache-2.0

package abi

import (
	"github.com/apache/arrow-go/v18/arrow"
)

// class is how the buffers of a type are laid out.
type class uint8

const (
	classNull      class = iota
	classFixed           // width bytes a value; indices of a dictionary too
	classBit             // one bit a value
	classBinary          // offsets of width bytes, then data
	classView            // 16-byte views, then any number of data buffers
	classList            // offsets of width bytes, one child
	classListView        // offsets and sizes of width bytes, one child
	classFixedList       // size child values a value
	classStruct          // children as long as the parent
	classSparse          // one byte type ids, children as long as the parent
	classDense           // one byte type ids and int32 offsets
	classRunEnds         // run ends and values
)

// classBuffers is the number of C buffers by class; a view has one more for each data buffer.
var classBuffers = [...]int{
	classNull: 0, classFixed: 2, classBit: 2, classBinary: 3, classView: 3, classList: 2, classListView: 3,
	classFixedList: 1, classStruct: 1, classSparse: 1, classDense: 2, classRunEnds: 0,
}

// hasValidity tells whether buffer 0 in C is the validity bitmap. Where it is not, arrow-go keeps an empty slot
// in front that C does not have.
func (c class) hasValidity() bool {
	return c != classNull && c != classSparse && c != classDense && c != classRunEnds
}

// node is one array of the tree that a schema describes.
type node struct {
	typ      arrow.DataType
	class    class
	validity bool // buffer 0 in C is the validity bitmap
	width    int64
	size     int64
	children []int
	values   int // position of the dictionary, or -1
	depth    int
	// Places in an export block, from its start.
	arrayAt    uintptr
	pointersAt uintptr
	buffersAt  uintptr
	spillAt    int // number among the view nodes, or -1
}

// layout is the tree of a schema in preorder; nodes[0] is the struct that stands for the batch. It is immutable.
type layout struct {
	schema *arrow.Schema
	nodes  []node
	views  int
	bytes  int // of an export block
}

// viewBuffersInline is how many data buffers of a view column an export block has room for; more spill.
const viewBuffersInline = 4

// newLayout resolves a schema once, so that nothing is looked up per batch.
func newLayout(schema *arrow.Schema) (*layout, error) {
	l := &layout{schema: schema}
	if _, err := l.add(arrow.StructOf(schema.Fields()...), 0); err != nil {
		return nil, err
	}
	l.place()
	return l, nil
}

// newArrayLayout is newLayout for one array of any type.
func newArrayLayout(typ arrow.DataType) (*layout, error) {
	l := &layout{}
	if _, err := l.add(typ, 0); err != nil {
		return nil, err
	}
	l.place()
	return l, nil
}

func (l *layout) add(typ arrow.DataType, depth int) (int, error) {
	if depth > depthMax {
		return 0, invalid("type is nested too deep")
	}
	if typ == nil {
		return 0, invalid("field without a type")
	}
	position := len(l.nodes)
	if position >= fieldsMax {
		return 0, invalid("schema has too many fields")
	}
	item := node{typ: typ, values: -1, spillAt: -1, depth: depth}
	if err := item.resolve(); err != nil {
		return 0, err
	}
	item.validity = item.class.hasValidity()
	if item.class == classView {
		item.spillAt = l.views
		l.views++
	}
	l.nodes = append(l.nodes, item)
	storage := storageOf(typ)
	if dictionary, ok := storage.(*arrow.DictionaryType); ok {
		values, err := l.add(dictionary.ValueType, depth+1)
		l.nodes[position].values = values
		return position, err
	}
	for _, field := range childFields(storage) {
		child, err := l.add(field.Type, depth+1)
		if err != nil {
			return 0, err
		}
		l.nodes[position].children = append(l.nodes[position].children, child)
	}
	return position, nil
}

// resolve sets class, width and size from the type.
func (n *node) resolve() error {
	storage := storageOf(n.typ)
	if dictionary, ok := storage.(*arrow.DictionaryType); ok {
		if !arrow.IsInteger(dictionary.IndexType.ID()) {
			return invalid("dictionary index is not an integer")
		}
		storage = dictionary.IndexType
	}
	switch storage.ID() {
	case arrow.NULL:
		n.class = classNull
	case arrow.BOOL:
		n.class = classBit
	case arrow.STRING, arrow.BINARY:
		n.class, n.width = classBinary, 4
	case arrow.LARGE_STRING, arrow.LARGE_BINARY:
		n.class, n.width = classBinary, 8
	case arrow.STRING_VIEW, arrow.BINARY_VIEW:
		n.class, n.width = classView, 16
	case arrow.LIST, arrow.MAP:
		n.class, n.width = classList, 4
	case arrow.LARGE_LIST:
		n.class, n.width = classList, 8
	case arrow.LIST_VIEW:
		n.class, n.width = classListView, 4
	case arrow.LARGE_LIST_VIEW:
		n.class, n.width = classListView, 8
	case arrow.FIXED_SIZE_LIST:
		n.class, n.size = classFixedList, int64(storage.(*arrow.FixedSizeListType).Len())
	case arrow.STRUCT:
		n.class = classStruct
	case arrow.SPARSE_UNION:
		n.class = classSparse
	case arrow.DENSE_UNION:
		n.class = classDense
	case arrow.RUN_END_ENCODED:
		n.class = classRunEnds
	default:
		fixed, ok := storage.(arrow.FixedWidthDataType)
		if !ok || fixed.BitWidth()%8 != 0 || fixed.BitWidth() < 0 {
			return unsupported("type has no layout: " + storage.Name())
		}
		n.class, n.width = classFixed, int64(fixed.BitWidth()/8)
	}
	return nil
}

// place fixes where everything stands in an export block: head, arrays, child pointers, buffer tables.
func (l *layout) place() {
	at := uintptr(ExportBlockBytes)
	for i := range l.nodes {
		l.nodes[i].arrayAt = at
		at += ArrowArrayBytes
	}
	for i := range l.nodes {
		l.nodes[i].pointersAt = at
		at += uintptr(8 * len(l.nodes[i].children))
	}
	for i := range l.nodes {
		l.nodes[i].buffersAt = at
		at += uintptr(8 * classBuffers[l.nodes[i].class])
		if l.nodes[i].class == classView {
			at += 2 * 8 * viewBuffersInline // pointers, and the sizes behind them
		}
	}
	l.bytes = int(at)
}
