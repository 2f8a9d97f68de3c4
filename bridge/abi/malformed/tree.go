// SPDX-License-Identifier: Apache-2.0

// Package malformed builds C arrays for tests of import: sound ones of every layout, and broken
// ones, each with the rule that it breaks. Everything C may look at lies in an arena, so that
// validators of both languages can be run on the same structs. It is for tests only and may import
// bridge/abi and ownership.
package malformed

import (
	"encoding/binary"
	"unsafe"

	"github.com/tombolo-arrow/tombolo/bridge/abi"
	"github.com/tombolo-arrow/tombolo/ownership/arena"
)

// Node describes one schema and the array beside it.
type Node struct {
	Format   string
	Name     string
	Metadata []byte // as the interface lays it out; nil = NULL
	Flags    int64

	Length, NullCount, Offset int64

	Buffers    [][]byte // nil = NULL
	Children   []*Node
	Dictionary *Node
}

// Tree is a Node as C structs. Schemas and Arrays hold every struct, depth first, a dictionary
// after its owner's children. The structs may be changed at will.
type Tree struct {
	Schemas []*abi.ArrowSchema
	Arrays  []*abi.ArrowArray
	Nodes   []*Node

	mem    *arena.Arena
	blocks [][]byte
	cover  int
}

// Release is what the release callbacks of a tree hold until the test sets its own: not NULL, and
// not to be called.
const Release = 1

// Build lays a node out in memory of the arena. Buffers get cover zero bytes at least, whatever
// they hold, so that a length or an offset may lie a little without leaving mapped memory. The
// caller frees the tree.
func Build(mem *arena.Arena, node *Node, cover int) *Tree {
	t := &Tree{mem: mem, cover: cover}
	t.schema(node)
	t.array(node)
	return t
}

// Free gives the memory back.
func (t *Tree) Free() {
	for _, block := range t.blocks {
		t.mem.Free(block)
	}
	t.blocks = nil
}

// Schema and Array are the roots.
func (t *Tree) Schema() *abi.ArrowSchema { return t.Schemas[0] }

// Array is the root array.
func (t *Tree) Array() *abi.ArrowArray { return t.Arrays[0] }

// Text puts a NUL-terminated text into the tree's memory.
func (t *Tree) Text(text string) uintptr {
	block := t.block(len(text) + 1)
	copy(block, text)
	return address(block)
}

// Bytes puts a copy into the tree's memory, which it keeps until Free.
func (t *Tree) Bytes(content []byte) uintptr {
	block := t.block(max(len(content), t.cover))
	copy(block, content)
	return address(block)
}

// Buffer returns a buffer of an array as it lies in memory, cover bytes of it, to be changed in
// place; nil when it is NULL.
func (t *Tree) Buffer(array *abi.ArrowArray, i int) []byte {
	at := *pointer[uintptr](array.Buffers + uintptr(8*i))
	if at == 0 {
		return nil
	}
	found, ok := t.mem.At(at)
	if !ok {
		return nil
	}
	return unsafe.Slice(pointer[byte](at), found.Length)
}

// SetBuffer changes the pointer of a buffer.
func (t *Tree) SetBuffer(array *abi.ArrowArray, i int, at uintptr) {
	*pointer[uintptr](array.Buffers + uintptr(8*i)) = at
}

// SetChild changes the pointer of a child array.
func (t *Tree) SetChild(array *abi.ArrowArray, i int, child *abi.ArrowArray) {
	*pointer[*abi.ArrowArray](array.Children + uintptr(8*i)) = child
}

// SetChildSchema changes the pointer of a child schema.
func (t *Tree) SetChildSchema(schema *abi.ArrowSchema, i int, child *abi.ArrowSchema) {
	*pointer[*abi.ArrowSchema](schema.Children + uintptr(8*i)) = child
}

func (t *Tree) block(size int) []byte {
	block := t.mem.Allocate(max(size, 8))
	t.blocks = append(t.blocks, block)
	return block
}

// table returns room for pointers, and for some more in a tree that is to be mutated.
func (t *Tree) table(slots int) uintptr {
	if t.cover > 0 {
		slots = max(slots, tableSlots)
	}
	return address(t.block(8 * slots))
}

// pointer and address turn addresses of arena memory into pointers and back. Sound: the arena
// neither moves nor frees a block before Free, and the collector knows nothing of it.
func pointer[T any](at uintptr) *T { return *(**T)(unsafe.Pointer(&at)) }

func address(block []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(block))) }

func (t *Tree) schema(node *Node) *abi.ArrowSchema {
	s := pointer[abi.ArrowSchema](address(t.block(abi.ArrowSchemaBytes)))
	t.Schemas = append(t.Schemas, s)
	t.Nodes = append(t.Nodes, node)
	*s = abi.ArrowSchema{Format: t.Text(node.Format), Name: t.Text(node.Name), Flags: node.Flags,
		NChildren: int64(len(node.Children)), Release: Release}
	if node.Metadata != nil {
		s.Metadata = t.Bytes(node.Metadata)
	}
	if len(node.Children) > 0 {
		s.Children = t.table(len(node.Children))
		for i, child := range node.Children {
			t.SetChildSchema(s, i, t.schema(child))
		}
	}
	if node.Dictionary != nil {
		s.Dictionary = uintptr(unsafe.Pointer(t.schema(node.Dictionary)))
	}
	return s
}

func (t *Tree) array(node *Node) *abi.ArrowArray {
	a := pointer[abi.ArrowArray](address(t.block(abi.ArrowArrayBytes)))
	t.Arrays = append(t.Arrays, a)
	*a = abi.ArrowArray{Length: node.Length, NullCount: node.NullCount, Offset: node.Offset,
		NBuffers: int64(len(node.Buffers)), NChildren: int64(len(node.Children)), Release: Release}
	if len(node.Buffers) > 0 {
		a.Buffers = t.table(len(node.Buffers))
		for i, content := range node.Buffers {
			if content != nil {
				t.SetBuffer(a, i, t.Bytes(content))
			}
		}
	}
	if len(node.Children) > 0 {
		a.Children = t.table(len(node.Children))
		for i, child := range node.Children {
			t.SetChild(a, i, t.array(child))
		}
	}
	if node.Dictionary != nil {
		a.Dictionary = uintptr(unsafe.Pointer(t.array(node.Dictionary)))
	}
	return a
}

// Values lays out fixed-width values as a buffer.
func Values[T any](values ...T) []byte {
	buffer, err := binary.Append([]byte{}, binary.NativeEndian, values)
	if err != nil {
		panic(err) // a test gave a type without a fixed size
	}
	return buffer
}

// Bits lays out a bitmap, least significant bit first.
func Bits(values ...bool) []byte {
	bitmap := make([]byte, (len(values)+7)/8)
	for i, set := range values {
		if set {
			bitmap[i/8] |= 1 << (i % 8)
		}
	}
	return bitmap
}

// Metadata lays out key-value pairs.
func Metadata(pairs ...string) []byte {
	encoded := Values(int32(len(pairs) / 2))
	for _, text := range pairs {
		encoded = append(encoded, Values(int32(len(text)))...)
		encoded = append(encoded, text...)
	}
	return encoded
}
