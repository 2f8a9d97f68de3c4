// SPDX-License-Identifier: Apache-2.0

package abi

import "math/bits"

// checkListViews looks at the ranges under null slots too: readers may look at them.
func checkListViews[T int32 | int64](v *validator, array *ArrowArray) string {
	offsets := foreignSlots[T](array, 1, array.Length)
	sizes := foreignSlots[T](array, 2, array.Length)
	values := childArray(array, 0).Length
	return v.blocks(array.Length, func(begin, end int64) string {
		for i := begin; i < end; i++ {
			offset, size := int64(offsets[i]), int64(sizes[i])
			if offset < 0 || size < 0 || size > values || offset > values-size {
				return "a list view lies outside its child"
			}
		}
		return ""
	})
}

func (v *validator) checkIndices(kind *formatKind, array *ArrowArray) string {
	switch kind.kind {
	case kindInt8:
		return checkIndicesOf[int8](v, array)
	case kindUint8:
		return checkIndicesOf[uint8](v, array)
	case kindInt16:
		return checkIndicesOf[int16](v, array)
	case kindUint16:
		return checkIndicesOf[uint16](v, array)
	case kindInt32:
		return checkIndicesOf[int32](v, array)
	case kindUint32:
		return checkIndicesOf[uint32](v, array)
	case kindInt64:
		return checkIndicesOf[int64](v, array)
	}
	return checkIndicesOf[uint64](v, array)
}

// checkIndicesOf reads the bitmap only for an index that is out of range: what lies under a null
// may be anything.
func checkIndicesOf[T int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | uint64](
	v *validator, array *ArrowArray,
) string {
	indices, validity := foreignSlots[T](array, 1, array.Length), validityOf(array)
	values := uint64(foreign[ArrowArray](array.Dictionary).Length)
	return v.blocks(array.Length, func(begin, end int64) string {
		for i := begin; i < end; i++ {
			if uint64(int64(indices[i])) >= values && validity.at(i) {
				return "a dictionary index is out of range"
			}
		}
		return ""
	})
}

func (v *validator) checkUnion(kind *formatKind, array *ArrowArray) string {
	ids := foreignSlots[int8](array, 0, array.Length)
	var (
		offsets []int32
		lengths [128]int64
		last    [128]int32
	)
	if kind.kind == kindDenseUnion {
		offsets = foreignSlots[int32](array, 1, array.Length)
		for i := range int(array.NChildren) {
			lengths[i] = childArray(array, i).Length
		}
	}
	return v.blocks(array.Length, func(begin, end int64) string {
		for i := begin; i < end; i++ {
			child := kind.child(ids[i])
			if child < 0 {
				return "a union id is not declared"
			}
			if offsets == nil {
				continue
			}
			offset := offsets[i]
			if offset < 0 || int64(offset) >= lengths[child] {
				return "a union offset lies outside its child"
			}
			if offset < last[child] {
				return "union offsets decrease"
			}
			last[child] = offset
		}
		return ""
	})
}

func (v *validator) checkRunEnds(schema *ArrowSchema, array *ArrowArray) string {
	if countForeignNulls(childArray(array, 0)) != 0 {
		return "run ends have nulls"
	}
	kind, _ := readFormat(childSchema(schema, 0).Format)
	switch kind.kind {
	case kindInt16:
		return checkRunEndsOf[int16](v, array)
	case kindInt32:
		return checkRunEndsOf[int32](v, array)
	}
	return checkRunEndsOf[int64](v, array)
}

func checkRunEndsOf[T int16 | int32 | int64](v *validator, array *ArrowArray) string {
	child := childArray(array, 0)
	if child.Length == 0 {
		return ""
	}
	ends := foreignSlots[T](child, 1, child.Length)
	if ends[0] < 1 {
		return "run ends start below 1"
	}
	rule := v.blocks(child.Length-1, func(begin, end int64) string {
		for i := begin; i < end; i++ {
			if ends[i+1] <= ends[i] {
				return "run ends do not increase"
			}
		}
		return ""
	})
	if rule == "" && int64(ends[child.Length-1]) < array.Offset+array.Length {
		return "run ends stop before the array does"
	}
	return rule
}

func checkMap(schema *ArrowSchema, array *ArrowArray) string {
	entries := childArray(array, 0)
	if countForeignNulls(entries) != 0 {
		return "map entries have nulls"
	}
	key, _ := readFormat(childSchema(childSchema(schema, 0), 0).Format)
	if key.hasValidity() && countForeignNulls(childArray(entries, 0)) != 0 {
		return "map keys have nulls"
	}
	return ""
}

// wideNumber is up to 256 bits, least significant first.
type wideNumber [4]uint64

func powerOfTen(exponent int32) wideNumber {
	power := wideNumber{1}
	for range exponent {
		carry := uint64(0)
		for i, limb := range power {
			high, low := bits.Mul64(limb, 10)
			low, over := bits.Add64(low, carry, 0)
			power[i], carry = low, high+over
		}
	}
	return power
}

// magnitude reads two's complement of width bytes without its sign. The lowest number of a width
// has a magnitude that still fits, since the limbs are unsigned.
func magnitude(address uintptr, width int32) wideNumber {
	negative := *foreign[byte](address + uintptr(width) - 1)&0x80 != 0
	var number wideNumber
	for i := range number {
		limb := uint64(0)
		if negative {
			limb = ^uint64(0)
		}
		switch {
		case width >= int32(8*i+8):
			limb = *foreign[uint64](address + uintptr(8*i))
		case width == 4 && i == 0:
			limb = limb<<32 | uint64(*foreign[uint32](address))
		}
		number[i] = limb
	}
	if !negative {
		return number
	}
	carry := uint64(1)
	for i, limb := range number {
		number[i], carry = bits.Add64(^limb, carry, 0)
	}
	return number
}

func (n wideNumber) less(other wideNumber) bool {
	for i := 3; i > 0; i-- {
		if n[i] != other[i] {
			return n[i] < other[i]
		}
	}
	return n[0] < other[0]
}

func (v *validator) checkDecimals(kind *formatKind, array *ArrowArray) string {
	limit, validity := powerOfTen(kind.precision), validityOf(array)
	first := bufferOf(array, 1) + uintptr(array.Offset)*uintptr(kind.width)
	return v.blocks(array.Length, func(begin, end int64) string {
		for i := begin; i < end; i++ {
			value := first + uintptr(i)*uintptr(kind.width)
			if validity.at(i) && !magnitude(value, kind.width).less(limit) {
				return "a decimal exceeds its precision"
			}
		}
		return ""
	})
}
