// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"bytes"
	"cmp"
	"math/bits"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
)

func onesCount(w uint64) int { return bits.OnesCount64(w) }

// wordSource compares two operands 64 rows at a time. word gives the answers of n rows from i on in its low bits;
// the bits above are anything.
type wordSource interface {
	word(i, n int) uint64
	rowBytes() int
}

func wordSourceOf(op comparison, left, right operand) wordSource {
	dataType := storageOf(left.data.DataType())
	switch dataType.ID() {
	case arrow.INT8:
		return orderedSourceOf[int8](op, left, right)
	case arrow.INT16:
		return orderedSourceOf[int16](op, left, right)
	case arrow.INT32, arrow.DATE32, arrow.TIME32:
		return orderedSourceOf[int32](op, left, right)
	case arrow.UINT8:
		return orderedSourceOf[uint8](op, left, right)
	case arrow.UINT16:
		return orderedSourceOf[uint16](op, left, right)
	case arrow.UINT32:
		return orderedSourceOf[uint32](op, left, right)
	case arrow.UINT64:
		return orderedSourceOf[uint64](op, left, right)
	case arrow.FLOAT32:
		return orderedSourceOf[float32](op, left, right)
	case arrow.FLOAT64:
		return orderedSourceOf[float64](op, left, right)
	case arrow.BOOL:
		return &boolSource{op: op, left: bitsOf(left), right: bitsOf(right)}
	case arrow.DECIMAL128:
		return &decimalSource{op: op, left: slotsOf[decimal128.Num](left), right: slotsOf[decimal128.Num](right)}
	}
	if isBytes(dataType) {
		return textSourceOf(op, left, right)
	}
	return orderedSourceOf[int64](op, left, right)
}

// ordered is every Go type that a fixed-width type with an order has.
type ordered interface {
	arrow.IntType | arrow.UintType | ~float32 | ~float64
}

// slotColumn gives 64 values at a time; a scalar gives the same 64 each time.
type slotColumn[T any] struct {
	values []T
	scalar bool
	block  [wordRows]T
}

func slotsOf[T arrow.FixedWidthType](o operand) *slotColumn[T] {
	s := &slotColumn[T]{values: slots[T](o.data), scalar: o.scalar}
	if o.scalar {
		for i := range s.block {
			s.block[i] = s.values[0]
		}
	}
	return s
}

func (s *slotColumn[T]) at(i, n int) *[wordRows]T {
	switch {
	case s.scalar:
		return &s.block
	case n == wordRows:
		return (*[wordRows]T)(s.values[i:])
	default:
		copy(s.block[:], s.values[i:i+n])
		return &s.block
	}
}

type orderedSource[T ordered] struct {
	op          comparison
	left, right *slotColumn[T]
}

func orderedSourceOf[T ordered](op comparison, left, right operand) wordSource {
	return &orderedSource[T]{op: op, left: slotsOf[T](left), right: slotsOf[T](right)}
}

func (s *orderedSource[T]) rowBytes() int { return 16 }

func (s *orderedSource[T]) word(i, n int) uint64 {
	left, right := s.left.at(i, n), s.right.at(i, n)
	switch s.op {
	case compareEqual:
		return equalWord(left, right)
	case compareLess:
		return lessWord(left, right)
	default:
		return lessEqualWord(left, right)
	}
}

// bit turns a comparison into a bit; the compiler makes it one instruction without a branch.
func bit(b bool) uint64 {
	var one uint64
	if b {
		one = 1
	}
	return one
}

// The three loops are unrolled by eight: eight answers have no order among them, and the shifts are constant.

func equalWord[T ordered](left, right *[wordRows]T) uint64 {
	var w uint64
	for i := 0; i < wordRows; i += 8 {
		a, b := (*[8]T)(left[i:]), (*[8]T)(right[i:])
		w |= (bit(a[0] == b[0]) | bit(a[1] == b[1])<<1 | bit(a[2] == b[2])<<2 | bit(a[3] == b[3])<<3 |
			bit(a[4] == b[4])<<4 | bit(a[5] == b[5])<<5 | bit(a[6] == b[6])<<6 | bit(a[7] == b[7])<<7) << i
	}
	return w
}

func lessWord[T ordered](left, right *[wordRows]T) uint64 {
	var w uint64
	for i := 0; i < wordRows; i += 8 {
		a, b := (*[8]T)(left[i:]), (*[8]T)(right[i:])
		w |= (bit(a[0] < b[0]) | bit(a[1] < b[1])<<1 | bit(a[2] < b[2])<<2 | bit(a[3] < b[3])<<3 |
			bit(a[4] < b[4])<<4 | bit(a[5] < b[5])<<5 | bit(a[6] < b[6])<<6 | bit(a[7] < b[7])<<7) << i
	}
	return w
}

func lessEqualWord[T ordered](left, right *[wordRows]T) uint64 {
	var w uint64
	for i := 0; i < wordRows; i += 8 {
		a, b := (*[8]T)(left[i:]), (*[8]T)(right[i:])
		w |= (bit(a[0] <= b[0]) | bit(a[1] <= b[1])<<1 | bit(a[2] <= b[2])<<2 | bit(a[3] <= b[3])<<3 |
			bit(a[4] <= b[4])<<4 | bit(a[5] <= b[5])<<5 | bit(a[6] <= b[6])<<6 | bit(a[7] <= b[7])<<7) << i
	}
	return w
}

// answer turns a three-way order into the bit of an operation.
func (op comparison) answer(order int) uint64 {
	switch op {
	case compareEqual:
		return bit(order == 0)
	case compareLess:
		return bit(order < 0)
	default:
		return bit(order <= 0)
	}
}

type boolSource struct {
	op          comparison
	left, right bitmap
}

// bitsOf reads bool values; a scalar is all ones or all zeros.
func bitsOf(o operand) bitmap {
	values := valueBits(o.data)
	if !o.scalar {
		return values
	}
	same := bitmap{length: wordRows}
	if !values.bit(0) {
		same.bytes = make([]byte, wordRows/8)
	}
	return same
}

func (s *boolSource) rowBytes() int { return 1 }

func (s *boolSource) word(i, _ int) uint64 {
	a, b := scalarWord(s.left, i), scalarWord(s.right, i)
	switch s.op {
	case compareEqual:
		return ^(a ^ b)
	case compareLess:
		return ^a & b
	default:
		return ^a | b
	}
}

// scalarWord reads the one word of a scalar for any row.
func scalarWord(b bitmap, i int) uint64 {
	if i >= b.length {
		i = 0
	}
	return b.word(i)
}

type decimalSource struct {
	op          comparison
	left, right *slotColumn[decimal128.Num]
}

func (s *decimalSource) rowBytes() int { return 32 }

func (s *decimalSource) word(i, n int) uint64 {
	left, right := s.left.at(i, n), s.right.at(i, n)
	var w uint64
	for j := range n {
		order := cmp.Compare(left[j].HighBits(), right[j].HighBits())
		if order == 0 {
			order = cmp.Compare(left[j].LowBits(), right[j].LowBits())
		}
		w |= s.op.answer(order) << uint(j)
	}
	return w
}

type textSource struct {
	op          comparison
	left, right textBlock
}

// textSourceOf reads both sides through blocks of 64 slices, so that every pair of layouts shares one loop.
func textSourceOf(op comparison, left, right operand) wordSource {
	return &textSource{op: op, left: textBlockOf(left), right: textBlockOf(right)}
}

func (s *textSource) rowBytes() int { return s.left.rowBytes + s.right.rowBytes }

func (s *textSource) word(i, n int) uint64 {
	left, right := s.left.at(i, n), s.right.at(i, n)
	var w uint64
	if s.op == compareEqual {
		for j := range n {
			if len(left[j]) == len(right[j]) {
				w |= bit(bytes.Equal(left[j], right[j])) << uint(j)
			}
		}
		return w
	}
	for j := range n {
		w |= s.op.answer(bytes.Compare(left[j], right[j])) << uint(j)
	}
	return w
}

// textBlock gives the values of a column, of any layout of bytes, 64 at a time.
type textBlock struct {
	rowBytes int
	scalar   bool
	rows     [wordRows][]byte
	fill     func(into *[wordRows][]byte, i, n int)
}

func textBlockOf(o operand) textBlock {
	block := textBlock{scalar: o.scalar, rowBytes: 16}
	data := o.data
	switch form := layoutOf(data.DataType()); form.kind {
	case layoutText32:
		offsets, in := offsetsOf[int32](data), bufferBytes(data, 2)
		block.rowBytes = textRowBytes(offsets)
		block.fill = func(into *[wordRows][]byte, i, n int) { fillText(into, offsets[i:i+n+1], in) }
	case layoutText64:
		offsets, in := offsetsOf[int64](data), bufferBytes(data, 2)
		block.rowBytes = textRowBytes(offsets)
		block.fill = func(into *[wordRows][]byte, i, n int) { fillText(into, offsets[i:i+n+1], in) }
	case layoutView:
		views, valid := slots[arrow.ViewHeader](data), validBits(data)
		block.fill = func(into *[wordRows][]byte, i, n int) {
			fillViews(into, views[i:i+n], valid.word(i), data)
		}
	default:
		in := bufferBytes(data, 1)[data.Offset()*form.width:]
		block.rowBytes = form.width
		block.fill = func(into *[wordRows][]byte, i, n int) {
			for j := range n {
				into[j] = in[(i+j)*form.width:][:form.width]
			}
		}
	}
	if o.scalar {
		block.fill(&block.rows, 0, 1)
		for i := range block.rows {
			block.rows[i] = block.rows[0]
		}
	}
	return block
}

func (b *textBlock) at(i, n int) *[wordRows][]byte {
	if !b.scalar {
		b.fill(&b.rows, i, n)
	}
	return &b.rows
}

func fillText[O int32 | int64](into *[wordRows][]byte, offsets []O, in []byte) {
	begin := offsets[0]
	for j, end := range offsets[1:] {
		into[j&(wordRows-1)] = in[begin:end:end]
		begin = end
	}
}

// fillViews resolves views; what a null view holds is not looked at.
func fillViews(into *[wordRows][]byte, views []arrow.ViewHeader, present uint64, data arrow.ArrayData) {
	for j := range views {
		view := &views[j]
		switch {
		case present>>uint(j)&1 == 0:
			into[j] = nil
		case view.IsInline():
			into[j] = view.InlineBytes()
		default:
			from := bufferBytes(data, 2+int(view.BufferIndex()))
			into[j] = from[view.BufferOffset():][:view.Len()]
		}
	}
}
