// SPDX-License-Identifier: Apache-2.0

package abi

// layoutKind is what validation tells formats apart by: one for each memory layout, and for text
// beside binary.
type layoutKind uint8

const (
	kindNull layoutKind = iota
	kindBool
	kindInt8
	kindUint8
	kindInt16
	kindUint16
	kindInt32
	kindUint32
	kindInt64
	kindUint64
	kindFixed // any other fixed width that has no rule of its own
	kindBinary
	kindLargeBinary
	kindBinaryView
	kindUtf8
	kindLargeUtf8
	kindUtf8View
	kindDecimal
	kindFixedSizeBinary
	kindList
	kindLargeList
	kindFixedSizeList
	kindListView
	kindLargeListView
	kindStruct
	kindMap
	kindDenseUnion
	kindSparseUnion
	kindRunEndEncoded
)

// formatKind is what a format says, as far as validation needs it.
type formatKind struct {
	kind      layoutKind
	precision int32 // decimal
	width     int32 // bytes of a decimal or of fixed-size binary
	listSize  int32
	ids       [128]int8 // position of the child for each type id of a union, counted from 1
	idCount   int
}

func (f *formatKind) isInteger() bool { return f.kind >= kindInt8 && f.kind <= kindUint64 }
func (f *formatKind) isUnion() bool {
	return f.kind == kindDenseUnion || f.kind == kindSparseUnion
}
func (f *formatKind) isView() bool { return f.kind == kindBinaryView || f.kind == kindUtf8View }
func (f *formatKind) hasValidity() bool {
	return f.kind != kindNull && f.kind != kindRunEndEncoded && !f.isUnion()
}
func (f *formatKind) isBinary() bool {
	switch f.kind {
	case kindBinary, kindUtf8, kindLargeBinary, kindLargeUtf8:
		return true
	}
	return false
}

// bufferCount is how many buffers the layout has; -1 for views, whose count varies.
func (f *formatKind) bufferCount() int64 {
	switch f.kind {
	case kindNull, kindRunEndEncoded:
		return 0
	case kindFixedSizeList, kindStruct, kindSparseUnion:
		return 1
	case kindBinary, kindLargeBinary, kindUtf8, kindLargeUtf8, kindListView, kindLargeListView:
		return 3
	case kindBinaryView, kindUtf8View:
		return -1
	}
	return 2
}

// childCount is how many children the format asks for; -1 where any number goes.
func (f *formatKind) childCount() int64 {
	switch f.kind {
	case kindList, kindLargeList, kindListView, kindLargeListView, kindFixedSizeList, kindMap:
		return 1
	case kindRunEndEncoded:
		return 2
	case kindStruct:
		return -1
	case kindDenseUnion, kindSparseUnion:
		return int64(f.idCount)
	}
	return 0
}

// formatCursor reads a NUL-terminated text. It never reads past the NUL, nor past the first byte
// that breaks the grammar.
type formatCursor struct{ address uintptr }

func (c *formatCursor) peek() byte { return *foreign[byte](c.address) }

// take moves past a byte if it is next.
func (c *formatCursor) take(want byte) bool {
	if c.peek() != want {
		return false
	}
	c.address++
	return true
}

func (c *formatCursor) end() bool { return c.peek() == 0 }

// integer reads a decimal integer of at most nine digits.
func (c *formatCursor) integer() (value int32, ok bool) {
	negative := c.take('-')
	for digits := 0; ; digits++ {
		next := c.peek()
		if next < '0' || next > '9' {
			if negative {
				value = -value
			}
			return value, digits > 0
		}
		if digits == 9 {
			return 0, false
		}
		value = value*10 + int32(next-'0')
		c.address++
	}
}

var oneLetterKinds = map[byte]layoutKind{
	'n': kindNull, 'b': kindBool, 'c': kindInt8, 'C': kindUint8, 's': kindInt16, 'S': kindUint16,
	'i': kindInt32, 'I': kindUint32, 'l': kindInt64, 'L': kindUint64, 'e': kindFixed, 'f': kindFixed,
	'g': kindFixed, 'z': kindBinary, 'Z': kindLargeBinary, 'u': kindUtf8, 'U': kindLargeUtf8,
}

// readFormat reads a format string; false when it is outside the grammar.
func readFormat(address uintptr) (f formatKind, ok bool) {
	if address == 0 {
		return f, false
	}
	c := &formatCursor{address}
	first := c.peek()
	if first == 0 {
		return f, false
	}
	c.address++
	if c.end() {
		f.kind, ok = oneLetterKinds[first]
		return f, ok
	}
	switch first {
	case 'v':
		switch {
		case c.take('u'):
			f.kind = kindUtf8View
		case c.take('z'):
			f.kind = kindBinaryView
		}
		return f, f.kind != kindNull && c.end()
	case 'd':
		return f, c.take(':') && f.readDecimal(c)
	case 'w':
		f.kind = kindFixedSizeBinary
		if !c.take(':') {
			return f, false
		}
		f.width, ok = c.integer()
		return f, ok && c.end() && f.width >= 0
	case 't':
		f.kind = kindFixed
		return f, readTemporal(c)
	case '+':
		return f, f.readNested(c)
	}
	return f, false
}

func (f *formatKind) readDecimal(c *formatCursor) bool {
	bits, ok := int32(128), false
	if f.precision, ok = c.integer(); !ok || !c.take(',') {
		return false
	}
	if _, ok = c.integer(); !ok { // the scale may be any number
		return false
	}
	if c.take(',') {
		if bits, ok = c.integer(); !ok {
			return false
		}
	}
	precisionMax := map[int32]int32{32: 9, 64: 18, 128: 38, 256: 76}[bits]
	f.kind, f.width = kindDecimal, bits/8
	return c.end() && f.precision >= 1 && f.precision <= precisionMax
}

func takeUnit(c *formatCursor) bool {
	return c.take('s') || c.take('m') || c.take('u') || c.take('n')
}

// readTemporal reads what follows the t. A time zone is any text.
func readTemporal(c *formatCursor) bool {
	switch {
	case c.take('d'):
		return (c.take('D') || c.take('m')) && c.end()
	case c.take('t'), c.take('D'):
		return takeUnit(c) && c.end()
	case c.take('s'):
		return takeUnit(c) && c.take(':')
	case c.take('i'):
		return (c.take('M') || c.take('D') || c.take('n')) && c.end()
	}
	return false
}

// readNested reads what follows the plus sign.
func (f *formatKind) readNested(c *formatCursor) bool {
	switch {
	case c.take('l'):
		f.kind = kindList
	case c.take('L'):
		f.kind = kindLargeList
	case c.take('s'):
		f.kind = kindStruct
	case c.take('m'):
		f.kind = kindMap
	case c.take('r'):
		f.kind = kindRunEndEncoded
	case c.take('v'):
		switch {
		case c.take('l'):
			f.kind = kindListView
		case c.take('L'):
			f.kind = kindLargeListView
		default:
			return false
		}
	case c.take('w'):
		f.kind = kindFixedSizeList
		if !c.take(':') {
			return false
		}
		size, ok := c.integer()
		f.listSize = size
		return ok && size >= 0 && c.end()
	case c.take('u'):
		switch {
		case c.take('d'):
			f.kind = kindDenseUnion
		case c.take('s'):
			f.kind = kindSparseUnion
		default:
			return false
		}
		return c.take(':') && f.readIDs(c)
	default:
		return false
	}
	return c.end()
}

// readIDs reads the type ids of a union: 0 to 127 and distinct.
func (f *formatKind) readIDs(c *formatCursor) bool {
	if c.end() {
		return true
	}
	for {
		id, ok := c.integer()
		if !ok || id < 0 || id > 127 || f.ids[id] != 0 {
			return false
		}
		f.idCount++
		f.ids[id] = int8(f.idCount) // 128 turns negative, but is not 0; see child
		if c.end() {
			return true
		}
		if !c.take(',') {
			return false
		}
	}
}

// child returns the position of the child that a type id names, or -1.
func (f *formatKind) child(id int8) int {
	if id < 0 || f.ids[id] == 0 {
		return -1
	}
	return int(uint8(f.ids[id])) - 1
}
