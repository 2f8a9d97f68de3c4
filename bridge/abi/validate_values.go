// SPDX-License-Identifier: Apache-2.0

package abi

import (
	"math/bits"
	"unicode/utf8"
)

// valueBlock is how many slots are checked between two looks at the context.
const valueBlock = 4096

// checkValues reads every value of one array whose structure is sound and whose children have
// passed. It is the twin of check_values in native/src/arrow/validate_values.cc.
func (v *validator) checkValues(kind *formatKind, schema *ArrowSchema, array *ArrowArray) string {
	if kind.kind == kindRunEndEncoded {
		return v.checkRunEnds(schema, array)
	}
	if kind.kind == kindMap {
		if rule := checkMap(schema, array); rule != "" {
			return rule
		}
	}
	if array.Length == 0 {
		return ""
	}
	if rule := checkNullCount(kind, array); rule != "" {
		return rule
	}
	if array.Dictionary != 0 {
		return v.checkIndices(kind, array)
	}
	switch kind.kind {
	case kindBinary, kindUtf8:
		return checkBinary[int32](v, kind, array)
	case kindLargeBinary, kindLargeUtf8:
		return checkBinary[int64](v, kind, array)
	case kindBinaryView, kindUtf8View:
		return v.checkViews(kind, array)
	case kindMap, kindList:
		return checkOffsets[int32](v, array)
	case kindLargeList:
		return checkOffsets[int64](v, array)
	case kindListView:
		return checkListViews[int32](v, array)
	case kindLargeListView:
		return checkListViews[int64](v, array)
	case kindDenseUnion, kindSparseUnion:
		return v.checkUnion(kind, array)
	case kindDecimal:
		return v.checkDecimals(kind, array)
	}
	return ""
}

// blocks calls check for blocks of slots until one breaks a rule.
func (v *validator) blocks(length int64, check func(begin, end int64) string) string {
	for begin := int64(0); begin < length; begin += valueBlock {
		if v.ctx.Err() != nil {
			return ruleCancelled
		}
		if rule := check(begin, min(begin+valueBlock, length)); rule != "" {
			return rule
		}
	}
	return ""
}

// validityBits are the bits of an array; a nil address stands for all ones.
type validityBits struct {
	address uintptr
	offset  int64
}

func validityOf(array *ArrowArray) validityBits {
	if array.NullCount == 0 {
		return validityBits{}
	}
	return validityBits{bufferOf(array, 0), array.Offset}
}

func (b validityBits) at(i int64) bool {
	bit := b.offset + i
	return b.address == 0 || *foreign[byte](b.address + uintptr(bit>>3))>>(bit&7)&1 != 0
}

// countForeignNulls counts by the bitmap; 0 without one.
func countForeignNulls(array *ArrowArray) int64 {
	bitmap := bufferOf(array, 0)
	if bitmap == 0 {
		return 0
	}
	valid, i, end := int64(0), array.Offset, array.Offset+array.Length
	for ; i < end && i&7 != 0; i++ {
		valid += int64(*foreign[byte](bitmap + uintptr(i>>3))>>(i&7)) & 1
	}
	for ; end-i >= 64; i += 64 {
		valid += int64(bits.OnesCount64(*foreign[uint64](bitmap + uintptr(i>>3))))
	}
	for ; i < end; i++ {
		valid += int64(*foreign[byte](bitmap + uintptr(i>>3))>>(i&7)) & 1
	}
	return array.Length - valid
}

func checkNullCount(kind *formatKind, array *ArrowArray) string {
	const rule = "null_count differs from the values"
	switch {
	case array.NullCount < 0:
	case kind.kind == kindNull:
		if array.NullCount != 0 && array.NullCount != array.Length {
			return rule
		}
	case kind.hasValidity() && array.NullCount != countForeignNulls(array):
		return rule
	}
	return ""
}

// checkOffsets looks at the order alone: the two ends were checked against what the offsets point
// into.
func checkOffsets[T int32 | int64](v *validator, array *ArrowArray) string {
	offsets := foreignSlots[T](array, 1, array.Length+1)
	return v.blocks(array.Length, func(begin, end int64) string {
		last := offsets[begin]
		for _, offset := range offsets[begin+1 : end+1] {
			if offset < last {
				return "offsets decrease"
			}
			last = offset
		}
		return ""
	})
}

func checkBinary[T int32 | int64](v *validator, kind *formatKind, array *ArrowArray) string {
	if rule := checkOffsets[T](v, array); rule != "" {
		return rule
	}
	data := bufferOf(array, 2)
	if data == 0 || kind.kind != kindUtf8 && kind.kind != kindLargeUtf8 {
		return "" // without data every value is empty
	}
	offsets, validity := foreignSlots[T](array, 1, array.Length+1), validityOf(array)
	return v.blocks(array.Length, func(begin, end int64) string {
		first, last := int64(offsets[begin]), int64(offsets[end])
		if isASCII(foreignSpan[byte](data, first, last-first)) {
			return ""
		}
		for i := begin; i < end; i++ {
			first, last := int64(offsets[i]), int64(offsets[i+1])
			if validity.at(i) && !utf8.Valid(foreignSpan[byte](data, first, last-first)) {
				return ruleText
			}
		}
		return ""
	})
}

const ruleText = "text is not UTF-8"

func isASCII(text []byte) bool {
	for len(text) >= 8 {
		if *(*uint64)(pointerTo(text))&0x8080808080808080 != 0 {
			return false
		}
		text = text[8:]
	}
	for _, b := range text {
		if b >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// viewSlot is one value of a view array.
type viewSlot struct {
	size   int32
	prefix [4]byte // the first bytes, in line or as a prefix
	buffer int32
	offset int32
}

// viewInlineMax is how many bytes lie in the view itself.
const viewInlineMax = 12

func (v *validator) checkViews(kind *formatKind, array *ArrowArray) string {
	views, validity := foreignSlots[viewSlot](array, 1, array.Length), validityOf(array)
	sizes := foreignSpan[int64](bufferOf(array, int(array.NBuffers-1)), 0, array.NBuffers-3)
	return v.blocks(array.Length, func(begin, end int64) string {
		for i := begin; i < end; i++ {
			if validity.at(i) {
				if rule := checkView(kind, array, &views[i], sizes); rule != "" {
					return rule
				}
			}
		}
		return ""
	})
}

func checkView(kind *formatKind, array *ArrowArray, view *viewSlot, sizes []int64) string {
	if view.size < 0 {
		return "a view has a negative size"
	}
	data := addressOfView(view) + 4
	if view.size > viewInlineMax {
		if view.buffer < 0 || int(view.buffer) >= len(sizes) {
			return "a view names no buffer"
		}
		if view.offset < 0 || int64(view.offset)+int64(view.size) > sizes[view.buffer] {
			return "a view lies outside its buffer"
		}
		data = bufferOf(array, 2+int(view.buffer)) + uintptr(view.offset)
		if *foreign[[4]byte](data) != view.prefix {
			return "a view's prefix differs from its value"
		}
	}
	if kind.kind == kindUtf8View && !utf8.Valid(foreignSpan[byte](data, 0, int64(view.size))) {
		return ruleText
	}
	return ""
}
