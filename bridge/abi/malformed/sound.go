// SPDX-License-Identifier: Apache-2.0

package malformed

import (
	"maps"
	"slices"

	"github.com/tombolo-arrow/tombolo/bridge/abi"
)

// Sound is an array that every validator passes. Node makes a fresh description each time.
type Sound struct {
	Name string
	Node func() *Node
}

// fixed is an array of three values, the second null, of a fixed width.
func fixed(format string, width int) *Node {
	return &Node{Format: format, Flags: abi.FlagNullable, Length: 3, NullCount: 1,
		Buffers: [][]byte{Bits(true, false, true), make([]byte, 3*width)}}
}

func numbers(values ...int32) *Node {
	return &Node{Format: "i", Flags: abi.FlagNullable, Length: int64(len(values)),
		Buffers: [][]byte{nil, Values(values...)}}
}

func texts(format string, offsets []byte, data string, length int64) *Node {
	return &Node{Format: format, Flags: abi.FlagNullable, Length: length,
		Buffers: [][]byte{nil, offsets, []byte(data)}}
}

func narrowTexts() *Node { return texts("u", Values[int32](0, 3, 3, 7), "abcüxyz"[:7], 3) }

// View lays out one view: inline up to 12 bytes, else its prefix and where the rest is.
func View(text string, buffer, offset int32) []byte {
	view := make([]byte, 16)
	copy(view, Values(int32(len(text))))
	if len(text) <= 12 {
		copy(view[4:], text)
		return view
	}
	copy(view[4:], text[:4])
	copy(view[8:], Values(buffer, offset))
	return view
}

const longText = "a text of more than twelve bytes"

func views(format string) *Node {
	views := append(View("short", 0, 0), View(longText, 1, 2)...)
	views = append(views, View("", 0, 0)...)
	return &Node{Format: format, Flags: abi.FlagNullable, Length: 3, Buffers: [][]byte{
		nil, views, nil, []byte("__" + longText), Values(int64(0), int64(2+len(longText)))}}
}

func list(format string, buffers ...[]byte) *Node {
	return &Node{Format: format, Flags: abi.FlagNullable, Length: 2,
		Buffers: append([][]byte{nil}, buffers...), Children: []*Node{numbers(1, 2, 3, 4)}}
}

func structs(children ...*Node) *Node {
	return &Node{Format: "+s", Length: 3, Buffers: [][]byte{nil}, Children: children}
}

func keyed() *Node {
	entries := structs(texts("u", Values[int32](0, 1, 2, 3), "kgm", 3), numbers(1, 2, 3))
	entries.Children[0].Flags = 0
	return &Node{Format: "+m", Flags: abi.FlagNullable | abi.FlagMapKeysSorted, Length: 2,
		Buffers: [][]byte{nil, Values[int32](0, 1, 3)}, Children: []*Node{entries}}
}

func union(format string, buffers ...[]byte) *Node {
	return &Node{Format: format, Length: 3, Buffers: buffers,
		Children: []*Node{numbers(1, 2, 3), fixed("g", 8)}}
}

func runs(format string, ends []byte) *Node {
	return &Node{Format: "+r", Length: 5, Offset: 1, Children: []*Node{
		{Format: format, Name: "run_ends", Length: 3, Buffers: [][]byte{nil, ends}},
		numbers(7, 8, 9)}}
}

func dictionary(format string, indices []byte, values *Node) *Node {
	return &Node{Format: format, Flags: abi.FlagNullable | abi.FlagDictionaryOrdered,
		Length: 3, NullCount: 1, Buffers: [][]byte{Bits(true, true, false), indices}, Dictionary: values}
}

func decimals(format string, width int) *Node {
	node := fixed(format, width)
	node.Buffers[1][0] = 99
	for i := range width {
		node.Buffers[1][width+i] = 0x7F // under a null: may be anything
		node.Buffers[1][2*width+i] = 0xFF
	}
	return node
}

// SoundArrays covers every layout of arrow-go, each null count form, offsets and the absent buffers
// that are legal.
func SoundArrays() []Sound {
	arrays := []Sound{
		{"null", func() *Node { return &Node{Format: "n", Length: 3, NullCount: 3} }},
		{"bool", func() *Node { return fixed("b", 1) }},
		{"utf8", narrowTexts},
		{"binary", func() *Node { return texts("z", Values[int32](1, 1, 2, 3), "\xff\xfe\xfd", 3) }},
		{"large utf8", func() *Node { return texts("U", Values[int64](0, 1, 2, 3), "abc", 3) }},
		{"large binary", func() *Node { return texts("Z", Values[int64](0, 1, 2, 3), "\x80bc", 3) }},
		{"utf8 of empty texts without data", func() *Node {
			node := texts("u", Values[int32](0, 0, 0, 0), "", 3)
			node.Buffers[2] = nil
			return node
		}},
		{"utf8 of length 0 without buffers", func() *Node {
			return &Node{Format: "u", Offset: 4, Buffers: [][]byte{nil, nil, nil}}
		}},
		{"bad UTF-8 under a null", func() *Node {
			node := texts("u", Values[int32](0, 1, 2, 3), "a\xffc", 3)
			node.NullCount, node.Buffers[0] = -1, Bits(true, false, true)
			return node
		}},
		{"utf8 view", func() *Node { return views("vu") }},
		{"binary view", func() *Node { return views("vz") }},
		{"view without variadic buffers", func() *Node {
			return &Node{Format: "vu", Length: 1, Buffers: [][]byte{nil, View("abc", 0, 0), nil}}
		}},
		{"list", func() *Node { return list("+l", Values[int32](1, 1, 4)) }},
		{"large list", func() *Node { return list("+L", Values[int64](0, 3, 4)) }},
		{"list view", func() *Node { return list("+vl", Values[int32](2, 0), Values[int32](2, 4)) }},
		{"large list view", func() *Node {
			return list("+vL", Values[int64](4, 0), Values[int64](0, 1))
		}},
		{"fixed-size list", func() *Node { return list("+w:2") }},
		{"fixed-size list of nothing", func() *Node { return list("+w:0") }},
		{"struct", func() *Node { return structs(numbers(1, 2, 3), narrowTexts()) }},
		{"struct with an offset", func() *Node {
			node := structs(numbers(1, 2, 3, 4, 5))
			node.Offset, node.Length = 1, 3
			return node
		}},
		{"struct without fields", func() *Node { return structs() }},
		{"map", keyed},
		{"dense union", func() *Node {
			return union("+ud:5,7", Values[int8](7, 5, 7), Values[int32](0, 1, 2))
		}},
		{"sparse union", func() *Node { return union("+us:7,5", Values[int8](7, 5, 7)) }},
		{"union without children", func() *Node { return &Node{Format: "+us:", Buffers: [][]byte{{}}} }},
		{"run ends 16", func() *Node { return runs("s", Values[int16](1, 2, 6)) }},
		{"run ends 32", func() *Node { return runs("i", Values[int32](1, 2, 9)) }},
		{"run ends 64", func() *Node { return runs("l", Values[int64](3, 5, 7)) }},
		{"dictionary of struct", func() *Node {
			return dictionary("C", Values[uint8](2, 0, 255), structs(numbers(1, 2, 3)))
		}},
		{"metadata", func() *Node {
			node := numbers(1)
			node.Metadata = Metadata("key", "value", "", "", "key", "\xff")
			return node
		}},
		{"null_count -1 without validity", func() *Node {
			node := numbers(1, 2)
			node.NullCount = -1
			return node
		}},
	}
	return append(arrays, soundFixed()...)
}

var fixedWidths = map[string]int{
	"c": 1, "C": 1, "s": 2, "S": 2, "i": 4, "I": 4, "l": 8, "L": 8,
	"e": 2, "f": 4, "g": 8, "w:0": 0, "w:5": 5, "tdD": 4, "tdm": 8,
	"tts": 4, "ttm": 4, "ttu": 8, "ttn": 8, "tss:": 8, "tsm:UTC": 8, "tsu:+01:00": 8, "tsn:": 8,
	"tDs": 8, "tDm": 8, "tDu": 8, "tDn": 8, "tiM": 4, "tiD": 8, "tin": 16,
}

var decimalWidths = map[string]int{
	"d:9,2,32": 4, "d:18,0,64": 8, "d:38,-2": 16, "d:5,2,128": 16, "d:76,3,256": 32,
}

var dictionaryIndices = map[string][]byte{
	"c": Values[int8](0, 1, -1), "C": Values[uint8](0, 1, 9),
	"s": Values[int16](0, 1, -1), "S": Values[uint16](0, 1, 9), "i": Values[int32](0, 1, -1),
	"I": Values[uint32](0, 1, 9), "l": Values[int64](0, 1, -1), "L": Values[uint64](0, 1, 9),
}

// soundFixed goes by sorted names: a fuzzer's script names an array by its position.
func soundFixed() []Sound {
	var arrays []Sound
	for _, format := range slices.Sorted(maps.Keys(fixedWidths)) {
		arrays = append(arrays, Sound{format, func() *Node { return fixed(format, fixedWidths[format]) }})
	}
	for _, format := range slices.Sorted(maps.Keys(decimalWidths)) {
		arrays = append(arrays, Sound{format, func() *Node {
			return decimals(format, decimalWidths[format])
		}})
	}
	for _, format := range slices.Sorted(maps.Keys(dictionaryIndices)) {
		arrays = append(arrays, Sound{"dictionary " + format, func() *Node {
			return dictionary(format, slices.Clone(dictionaryIndices[format]), narrowTexts())
		}})
	}
	return arrays
}
