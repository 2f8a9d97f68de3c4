// SPDX-License-Identifier: Apache-2.0

package malformed

import (
	"math"
	"strings"
	"unsafe"

	"github.com/tombolo-arrow/tombolo/bridge/abi"
)

// Cover is the least size of a buffer in a tree that Mutate may change: what a mutation makes a
// struct claim lies in it, or is refused before it is read. No validator can tell a wild pointer
// from a good one, so Mutate makes none.
const Cover = 8 << 10

// tableSlots is how many pointers a table of a mutable tree has room for; those that a node does
// not use are NULL.
const tableSlots = 48

// Fuzz builds the sound array that the first byte of a script chooses and changes it by the rest,
// four bytes a change.
func Fuzz(build func(*Node, int) *Tree, script []byte) *Tree {
	arrays := SoundArrays()
	choice := 0
	if len(script) > 0 {
		choice, script = int(script[0])%len(arrays), script[1:]
	}
	tree := build(arrays[choice].Node(), Cover)
	Mutate(tree, script)
	return tree
}

// Mutate changes the structs of a tree as a script says: every four bytes are an operation, the
// struct, a position in it and a value.
func Mutate(t *Tree, script []byte) {
	for ; len(script) >= 4; script = script[4:] {
		at := int(script[1]) % len(t.Arrays)
		m := mutation{t, t.Schemas[at], t.Arrays[at], t.Nodes[at], int(script[2]), script[3]}
		mutations[int(script[0])%len(mutations)](m)
	}
}

type mutation struct {
	tree     *Tree
	schema   *abi.ArrowSchema
	array    *abi.ArrowArray
	node     *Node
	position int
	value    byte
}

var mutations = []func(mutation){
	func(m mutation) { m.array.Length = m.number() },
	func(m mutation) { m.array.NullCount = m.number() },
	func(m mutation) { m.array.Offset = m.number() },
	func(m mutation) { m.array.NBuffers = m.count() },
	func(m mutation) { m.array.NChildren = m.count() },
	func(m mutation) { m.schema.NChildren = m.count() },
	func(m mutation) { m.schema.Flags = int64(m.value) },
	func(m mutation) { m.schema.Format = m.tree.Text(m.format()) },
	mutation.breakMetadata,
	mutation.dropPointer,
	mutation.dropBuffer,
	mutation.cycle,
	mutation.writeSlot,
	mutation.writeSlot, // twice as likely as the others
	mutation.writeBit,
}

// extremes are refused before anything of their size is read.
var extremes = []int64{
	math.MinInt64, math.MinInt64 + 1, math.MaxInt64, math.MaxInt64 - 1, 1 << 60, 1 << 55,
}

// number is small, mostly a sound one, or extreme.
func (m mutation) number() int64 {
	if m.value < 112 {
		return int64(m.value) - 3
	}
	return extremes[int(m.value)%len(extremes)]
}

// count fits the tables, or is extreme.
func (m mutation) count() int64 {
	if m.value < 112 {
		return int64(m.value)%(tableSlots+3) - 3
	}
	return extremes[int(m.value)%len(extremes)]
}

// format is one that gives no buffer a meaning which its content was not made for: fixed widths and
// nonsense.
func (m mutation) format() string {
	choices := append([]string{"n", "b", "i", "L", "w:5", "tsu:UTC", "d:9,2,32", "d:76,3,256", "+s",
		"+r", "+us:", "+w:1"}, brokenFormats...)
	choice := choices[int(m.value)%len(choices)]
	if strings.HasPrefix(choice, "w:") && len(choice) > 4 {
		return "w:"
	}
	return choice
}

// breakMetadata gives up to 127 pairs of short keys and values, or an absurd number.
func (m mutation) breakMetadata() {
	m.schema.Metadata = m.tree.Bytes([]byte{m.value, 0, 0, m.value >> 7, 1, 0, 0, 0})
}

func (m mutation) dropPointer() {
	switch m.value % 11 {
	case 0:
		m.array.Release = 0
	case 1:
		m.schema.Release = 0
	case 2:
		m.array.Buffers = 0
	case 3:
		m.array.Children = 0
	case 4:
		m.schema.Children = 0
	case 5:
		m.array.Dictionary = 0
	case 6:
		m.schema.Dictionary = 0
	case 7:
		m.schema.Format = 0
	case 8:
		m.schema.Name = 0
	case 9:
		if m.array.Children != 0 {
			m.tree.SetChild(m.array, m.position%tableSlots, nil)
		}
	case 10:
		if m.schema.Children != 0 {
			m.tree.SetChildSchema(m.schema, m.position%tableSlots, nil)
		}
	}
}

func (m mutation) dropBuffer() {
	if m.array.Buffers != 0 {
		m.tree.SetBuffer(m.array, m.position%tableSlots, 0)
	}
}

// cycle hangs a struct below itself.
func (m mutation) cycle() {
	switch m.value % 4 {
	case 0:
		if m.array.Children != 0 && m.schema.Children != 0 {
			m.tree.SetChild(m.array, m.position%tableSlots, m.array)
			m.tree.SetChildSchema(m.schema, m.position%tableSlots, m.schema)
		}
	case 1:
		if m.schema.Children != 0 {
			m.tree.SetChildSchema(m.schema, m.position%tableSlots, m.schema)
		}
	case 2:
		m.schema.Dictionary = uintptr(unsafe.Pointer(m.schema))
		m.array.Dictionary = uintptr(unsafe.Pointer(m.array))
	case 3:
		m.schema.Dictionary = uintptr(unsafe.Pointer(m.schema))
	}
}

// slotBytes is the width of what a buffer holds; a change of part of it could make an offset wild.
func slotBytes(format string, buffer int) int {
	wide := format == "U" || format == "Z" || format == "+L" || format == "+vL" || buffer >= 3
	switch {
	case buffer > 0 && wide:
		return 8
	case buffer > 0:
		return 4
	}
	return 1
}

// writeSlot writes a number below half of Cover into a slot.
func (m mutation) writeSlot() {
	if m.array.Buffers == 0 || len(m.node.Buffers) == 0 {
		return
	}
	i := m.position % len(m.node.Buffers)
	buffer := m.tree.Buffer(m.array, i)
	width := slotBytes(m.node.Format, i)
	slot := m.position / len(m.node.Buffers) % 16 * width
	if len(buffer) < slot+width {
		return
	}
	value := Values(int64(int8(m.value)))
	if m.value%5 == 0 {
		value = Values(int64(int8(m.value)) * 30)
	}
	copy(buffer[slot:slot+width], value)
}

// writeBit turns a bit of the first buffer, a bitmap as a rule.
func (m mutation) writeBit() {
	if m.array.Buffers == 0 || len(m.node.Buffers) == 0 {
		return
	}
	if buffer := m.tree.Buffer(m.array, 0); len(buffer) > 0 {
		buffer[m.position%8] ^= m.value
	}
}
