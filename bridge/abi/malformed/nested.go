// SPDX-License-Identifier: Apache-2.0

package malformed

import (
	"strings"
	"unsafe"

	"github.com/tombolo-arrow/tombolo/bridge/abi"
)

func indexed() *Node { return dictionary("i", Values[int32](0, 1, 0), narrowTexts()) }

var nestedCases = []Case{
	at("dictionary missing", indexed, 0, "a dictionary is missing, at the root",
		func(_ *Tree, _ *schema, a *array) { a.Dictionary = 0 }),
	at("dictionary unexpected", indexed, 0, "a dictionary that the schema does not have, at the root",
		func(_ *Tree, s *schema, _ *array) { s.Dictionary = 0 }),
	at("released dictionary", indexed, 1, "a released array, at the root",
		func(_ *Tree, _ *schema, a *array) { a.Release = 0 }),
	at("released dictionary schema", indexed, 1, "a released schema, at the root",
		func(_ *Tree, s *schema, _ *array) { s.Release = 0 }),
	at("broken dictionary", indexed, 1, "a negative length, at dictionary",
		func(_ *Tree, _ *schema, a *array) { a.Length = -1 }),
	at("dictionary of itself", indexed, 0,
		"nesting exceeds 64 levels, at "+strings.ReplaceAll(deepPath, "0", "dictionary"),
		func(t *Tree, s *schema, a *array) {
			s.Dictionary, a.Dictionary = uintptr(unsafe.Pointer(s)), uintptr(unsafe.Pointer(a))
		}),
	broken("indices of float", "dictionary indices that are not integers", func() *Node {
		return dictionary("g", make([]byte, 24), narrowTexts())
	}),
	broken("too few union ids", "a number of children that does not fit the format", func() *Node {
		return union("+us:0", Values[int8](0, 0, 0))
	}),
	broken("unsigned run ends", "run ends that are not int16, int32 or int64", func() *Node {
		return runs("I", Values[uint32](1, 2, 9))
	}),
	broken("run ends of dictionary", "run ends that are not int16, int32 or int64", func() *Node {
		node := runs("i", Values[int32](1, 2, 9))
		node.Children[0].Dictionary = narrowTexts()
		return node
	}),
	broken("nullable run ends", "run ends that are nullable", func() *Node {
		node := runs("i", Values[int32](1, 2, 9))
		node.Children[0].Flags = abi.FlagNullable
		return node
	}),
	broken("run ends with nulls", "run ends have nulls", func() *Node {
		node := runs("i", Values[int32](1, 2, 9))
		node.Children[0].NullCount, node.Children[0].Buffers[0] = 1, Bits(true, false, true)
		return node
	}),
	broken("more run ends than values", "more run ends than values", func() *Node {
		node := runs("i", Values[int32](1, 2, 9))
		node.Children[1].Length = 2
		return node
	}),
	broken("no run ends", "run ends stop before the array does", func() *Node {
		node := runs("i", Values[int32](1, 2, 9))
		node.Children[0].Length = 0
		return node
	}),
	broken("map over an integer", "a map whose child is not a struct of two", func() *Node {
		node := keyed()
		node.Children[0] = numbers(1, 2, 3)
		return node
	}),
	broken("map over a struct of one", "a map whose child is not a struct of two", func() *Node {
		node := keyed()
		node.Children[0].Children = node.Children[0].Children[:1]
		return node
	}),
	broken("map entries with nulls", "map entries have nulls", func() *Node {
		node := keyed()
		node.Children[0].NullCount, node.Children[0].Buffers[0] = 1, Bits(true, false, true)
		return node
	}),
	broken("map keys with nulls", "map keys have nulls", func() *Node {
		node := keyed()
		keys := node.Children[0].Children[0]
		keys.NullCount, keys.Buffers[0] = 1, Bits(true, false, true)
		return node
	}),
	broken("union with nulls", "nulls in a layout without validity", func() *Node {
		node := union("+us:0,1", Values[int8](0, 0, 0))
		node.NullCount = 1
		return node
	}),
	broken("list offsets past the child", "offsets past the child", func() *Node {
		return list("+l", Values[int32](0, 2, 5))
	}),
	broken("list offsets negative", "offsets that are negative or decrease", func() *Node {
		return list("+L", Values[int64](-1, 2, 4))
	}),
	broken("text offsets end too low", "offsets that are negative or decrease", func() *Node {
		return texts("u", Values[int32](3, 3, 3, 1), "abc", 3)
	}),
	broken("fixed-size list over too short a child", "a child shorter than its parent", func() *Node {
		return list("+w:3")
	}),
	broken("fixed-size list that overflows", "length and offset overflow", func() *Node {
		node := list("+w:999999999")
		node.Length = 1 << 50
		return node
	}),
	broken("fixed-size binary that overflows", "length and offset overflow", func() *Node {
		node := fixed("w:999999999", 8)
		node.Length, node.NullCount = 1<<50, -1
		return node
	}),
	broken("sparse union over too short a child", "a child shorter than its parent", func() *Node {
		node := union("+us:0,1", Values[int8](0, 0, 0))
		node.Children[1].Length = 2
		return node
	}),
	broken("variadic sizes missing", "a NULL buffer of variadic sizes", func() *Node {
		node := views("vu")
		node.Buffers[4] = nil
		return node
	}),
	broken("variadic size negative", "a negative variadic size", func() *Node {
		node := views("vu")
		node.Buffers[4] = Values[int64](0, -1)
		return node
	}),
	broken("variadic buffer missing", "a NULL buffer that is not empty", func() *Node {
		node := views("vu")
		node.Buffers[3] = nil
		return node
	}),
	broken("view of two buffers", "a number of buffers that does not fit the format", func() *Node {
		node := views("vu")
		node.Buffers = node.Buffers[:2]
		return node
	}),
}
