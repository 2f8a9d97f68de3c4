// SPDX-License-Identifier: Apache-2.0

package malformed

import (
	"math"
)

// wide is a decimal of precision 5 whose first value is given.
func wide(value ...byte) func() *Node {
	return func() *Node {
		node := decimals("d:5,2,128", 16)
		copy(node.Buffers[1], value)
		return node
	}
}

// viewed is a view array whose views are changed.
func viewed(change func(views []byte)) func() *Node {
	return func() *Node {
		node := views("vu")
		change(node.Buffers[1])
		return node
	}
}

var valueCases = []Case{
	lying("text offsets decrease", "offsets decrease", func() *Node {
		return texts("u", Values[int32](0, 90, 1, 3), "abc", 3)
	}),
	lying("large offsets decrease", "offsets decrease", func() *Node {
		return texts("Z", Values[int64](0, 2, 1, 3), "abc", 3)
	}),
	lying("list offsets decrease", "offsets decrease", func() *Node {
		return list("+l", Values[int32](2, 0, 4))
	}),
	lying("list offsets negative inside", "offsets decrease", func() *Node {
		node := list("+l", Values[int32](0, -5, 3, 4))
		node.Length = 3
		return node
	}),
	lying("index out of range", "a dictionary index is out of range", func() *Node {
		return dictionary("i", Values[int32](0, 3, 0), narrowTexts())
	}),
	lying("index negative", "a dictionary index is out of range", func() *Node {
		return dictionary("c", Values[int8](-1, 0, 0), narrowTexts())
	}),
	lying("index of 64 bits out of range", "a dictionary index is out of range", func() *Node {
		return dictionary("L", Values[uint64](math.MaxUint64, 0, 0), narrowTexts())
	}),
	lying("undeclared union id", "a union id is not declared", func() *Node {
		return union("+us:5,7", Values[int8](5, 6, 7))
	}),
	lying("negative union id", "a union id is not declared", func() *Node {
		return union("+ud:5,7", Values[int8](5, -1, 7), Values[int32](0, 0, 0))
	}),
	lying("union offset past its child", "a union offset lies outside its child", func() *Node {
		return union("+ud:5,7", Values[int8](5, 7, 7), Values[int32](0, 0, 3))
	}),
	lying("union offset negative", "a union offset lies outside its child", func() *Node {
		return union("+ud:5,7", Values[int8](5, 7, 7), Values[int32](-1, 0, 1))
	}),
	lying("union offsets decrease", "union offsets decrease", func() *Node {
		return union("+ud:5,7", Values[int8](5, 7, 5), Values[int32](1, 0, 0))
	}),
	lying("run end zero", "run ends start below 1", func() *Node {
		return runs("i", Values[int32](0, 2, 9))
	}),
	lying("run ends equal", "run ends do not increase", func() *Node {
		return runs("s", Values[int16](2, 2, 9))
	}),
	lying("run ends short", "run ends stop before the array does", func() *Node {
		return runs("l", Values[int64](1, 2, 5))
	}),
	lying("view size negative", "a view has a negative size", viewed(func(views []byte) {
		copy(views, Values[int32](-1))
	})),
	lying("view names no buffer", "a view names no buffer", viewed(func(views []byte) {
		copy(views[24:], Values[int32](2))
	})),
	lying("view buffer negative", "a view names no buffer", viewed(func(views []byte) {
		copy(views[24:], Values[int32](-1))
	})),
	lying("view offset negative", "a view lies outside its buffer", viewed(func(views []byte) {
		copy(views[28:], Values[int32](-1))
	})),
	lying("view past its buffer", "a view lies outside its buffer", viewed(func(views []byte) {
		copy(views[28:], Values[int32](3))
	})),
	lying("view prefix differs", "a view's prefix differs from its value", viewed(func(views []byte) {
		views[20] = 'X'
	})),
	lying("view not UTF-8", "text is not UTF-8", viewed(func(views []byte) { views[5] = 0xFF })),
	lying("list view past its child", "a list view lies outside its child", func() *Node {
		return list("+vl", Values[int32](2, 0), Values[int32](3, 4))
	}),
	lying("list view negative", "a list view lies outside its child", func() *Node {
		return list("+vL", Values[int64](-1, 0), Values[int64](1, 4))
	}),
	lying("list view size negative", "a list view lies outside its child", func() *Node {
		return list("+vl", Values[int32](1, 0), Values[int32](-1, 4))
	}),
	lying("list view that overflows", "a list view lies outside its child", func() *Node {
		return list("+vL", Values[int64](math.MaxInt64, 0), Values[int64](4, 0))
	}),
	lying("text not UTF-8", "text is not UTF-8", func() *Node {
		return texts("u", Values[int32](0, 1, 2, 3), "a\xffc", 3)
	}),
	lying("character across two texts", "text is not UTF-8", func() *Node {
		return texts("U", Values[int64](0, 1, 2, 3), "a\u00fc", 3)
	}),
	lying("surrogate", "text is not UTF-8", func() *Node {
		return texts("u", Values[int32](0, 3, 3, 3), "\xed\xa0\x80", 3)
	}),
	lying("decimal beyond precision", "a decimal exceeds its precision", wide(0xA0, 0x86, 0x01)),
	lying("decimal below minus precision", "a decimal exceeds its precision",
		wide(0x60, 0x79, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
			0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF)),
	lying("lowest decimal of its width", "a decimal exceeds its precision", func() *Node {
		node := decimals("d:9,2,32", 4)
		copy(node.Buffers[1], []byte{0, 0, 0, 0x80})
		return node
	}),
	lying("wrong null_count", "null_count differs from the values", func() *Node {
		node := fixed("i", 4)
		node.NullCount = 2
		return node
	}),
	lying("null_count 0 over nulls", "null_count differs from the values", func() *Node {
		node := fixed("g", 8)
		node.NullCount = 0
		return node
	}),
	lying("null_count of the null type", "null_count differs from the values", func() *Node {
		return &Node{Format: "n", Length: 3, NullCount: 1}
	}),
	lying("map keys null by the bitmap", "map keys have nulls", func() *Node {
		node := keyed()
		keys := node.Children[0].Children[0]
		keys.NullCount, keys.Buffers[0] = -1, Bits(true, false, true)
		return node
	}),
}
