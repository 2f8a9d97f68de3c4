// SPDX-License-Identifier: Apache-2.0

package abi

import (
	"math"
	"math/bits"
)

// The checks below return the broken rule, or "". A rule is a static text.

func (v *validator) checkSchema(schema *ArrowSchema) (kind formatKind, rule string) {
	if schema == nil {
		return kind, "a NULL schema"
	}
	if schema.Release == 0 {
		return kind, ruleReleasedSchema
	}
	if schema.Format == 0 {
		return kind, "a NULL format"
	}
	kind, ok := readFormat(schema.Format)
	if !ok {
		return kind, "a format outside the grammar"
	}
	if schema.Dictionary != 0 {
		if !kind.isInteger() {
			return kind, "dictionary indices that are not integers"
		}
		if foreign[ArrowSchema](schema.Dictionary).Release == 0 {
			return kind, ruleReleasedSchema
		}
	}
	if rule := checkMetadata(schema.Metadata); rule != "" {
		return kind, rule
	}
	if rule := v.checkSchemaChildren(&kind, schema); rule != "" {
		return kind, rule
	}
	return kind, checkChildFormats(&kind, schema)
}

func checkMetadata(metadata uintptr) string {
	if metadata == 0 {
		return ""
	}
	pairs := *foreign[int32](metadata)
	if pairs < 0 || pairs > ValidateMetadataPairsMax {
		return "a metadata count out of range"
	}
	used := int64(4)
	for range pairs * 2 {
		size := int64(*foreign[int32](metadata + uintptr(used)))
		if size < 0 || used+size > ValidateMetadataBytesMax {
			return "a metadata length out of range"
		}
		used += 4 + size
	}
	return ""
}

func (v *validator) checkSchemaChildren(kind *formatKind, schema *ArrowSchema) string {
	expected := kind.childCount()
	if expected >= 0 && schema.NChildren != expected || schema.NChildren < 0 {
		return "a number of children that does not fit the format"
	}
	if schema.NChildren > ValidateStructsMax {
		return "more children than the limit"
	}
	// Structs that hang below themselves multiply: what is to come counts before it is looked at.
	if v.structs += schema.NChildren + 1; v.structs > ValidateStructsMax {
		return "more structs than the limit"
	}
	if schema.NChildren > 0 && schema.Children == 0 {
		return "a NULL table of children"
	}
	for i := range int(schema.NChildren) {
		child := childSchema(schema, i)
		if child == nil {
			return "a NULL child"
		}
		if child.Release == 0 {
			return ruleReleasedSchema
		}
	}
	return ""
}

// checkChildFormats looks at what the format asks of the children's own formats; those were not
// checked yet.
func checkChildFormats(kind *formatKind, schema *ArrowSchema) string {
	switch kind.kind {
	case kindMap:
		entries := childSchema(schema, 0)
		child, ok := readFormat(entries.Format)
		if !ok || child.kind != kindStruct || entries.NChildren != 2 {
			return "a map whose child is not a struct of two"
		}
	case kindRunEndEncoded:
		ends := childSchema(schema, 0)
		child, ok := readFormat(ends.Format)
		fits := child.kind == kindInt16 || child.kind == kindInt32 || child.kind == kindInt64
		if !ok || !fits || ends.Dictionary != 0 {
			return "run ends that are not int16, int32 or int64"
		}
		if ends.Flags&FlagNullable != 0 {
			return "run ends that are nullable"
		}
	}
	return ""
}

func checkCounts(kind *formatKind, schema *ArrowSchema, array *ArrowArray) string {
	switch {
	case array.Length < 0:
		return "a negative length"
	case array.Offset < 0:
		return "a negative offset"
	case array.Length > math.MaxInt64>>9-array.Offset:
		// Room for the bits of the widest slot that is not fixed-size binary.
		return "length and offset overflow"
	case array.NullCount < -1:
		return "null_count below -1"
	case array.NullCount > array.Length:
		return "null_count exceeds length"
	case array.NullCount > 0 && kind.kind != kindNull && !kind.hasValidity():
		return "nulls in a layout without validity"
	}
	if want := kind.bufferCount(); want >= 0 && array.NBuffers != want ||
		want < 0 && (array.NBuffers < 3 || array.NBuffers > math.MaxInt32) {
		return "a number of buffers that does not fit the format"
	}
	if array.NBuffers > 0 && array.Buffers == 0 {
		return "a NULL table of buffers"
	}
	return checkArrayChildren(schema, array)
}

func checkArrayChildren(schema *ArrowSchema, array *ArrowArray) string {
	if array.NChildren != schema.NChildren {
		return "a number of children unlike the schema's"
	}
	if array.NChildren > 0 && array.Children == 0 {
		return "a NULL table of children"
	}
	for i := range int(array.NChildren) {
		child := childArray(array, i)
		if child == nil {
			return "a NULL child"
		}
		if child.Release == 0 {
			return ruleReleasedArray
		}
	}
	switch {
	case schema.Dictionary == 0 && array.Dictionary != 0:
		return "a dictionary that the schema does not have"
	case schema.Dictionary == 0:
		return ""
	case array.Dictionary == 0:
		return "a dictionary is missing"
	case foreign[ArrowArray](array.Dictionary).Release == 0:
		return ruleReleasedArray
	}
	return ""
}

// checkBuffers looks for buffers that hold something for every slot; those that variable-size
// values lie in come later.
func checkBuffers(kind *formatKind, array *ArrowArray) string {
	if kind.hasValidity() && array.NullCount > 0 && bufferOf(array, 0) == 0 {
		return "nulls without a validity buffer"
	}
	if kind.kind == kindFixedSizeBinary {
		if _, fits := product(array.Length+array.Offset, int64(kind.width)); !fits {
			return "length and offset overflow"
		}
	}
	if kind.isView() {
		if rule := checkVariadic(array); rule != "" {
			return rule
		}
	}
	if array.Length == 0 {
		return ""
	}
	first, last := 0, int(kind.bufferCount())
	if kind.hasValidity() {
		first = 1
	}
	if kind.isBinary() || kind.isView() {
		last = 2
	}
	if kind.kind == kindFixedSizeBinary && kind.width == 0 {
		last = first
	}
	for ; first < last; first++ {
		if bufferOf(array, first) == 0 {
			return "a NULL buffer that is not empty"
		}
	}
	return ""
}

func checkVariadic(array *ArrowArray) string {
	variadic := array.NBuffers - 3
	address := bufferOf(array, int(array.NBuffers-1))
	if variadic > 0 && address == 0 {
		return "a NULL buffer of variadic sizes"
	}
	for i, size := range foreignSpan[int64](address, 0, variadic) {
		if size < 0 {
			return "a negative variadic size"
		}
		if size > 0 && bufferOf(array, 2+i) == 0 {
			return "a NULL buffer that is not empty"
		}
	}
	return ""
}

// checkExtents looks at what an array asks of its children's lengths. The children's own structure
// is sound.
func checkExtents(kind *formatKind, array *ArrowArray) string {
	switch kind.kind {
	case kindBinary, kindUtf8:
		return checkOffsetEnds[int32](array, false)
	case kindLargeBinary, kindLargeUtf8:
		return checkOffsetEnds[int64](array, false)
	case kindMap:
		entries := childArray(array, 0)
		if entries.NullCount > 0 {
			return "map entries have nulls"
		}
		if childArray(entries, 0).NullCount > 0 {
			return "map keys have nulls"
		}
		return checkOffsetEnds[int32](array, true)
	case kindList:
		return checkOffsetEnds[int32](array, true)
	case kindLargeList:
		return checkOffsetEnds[int64](array, true)
	case kindFixedSizeList:
		items, fits := product(array.Length+array.Offset, int64(kind.listSize))
		if !fits {
			return "length and offset overflow"
		}
		if childArray(array, 0).Length < items {
			return "a child shorter than its parent"
		}
	case kindStruct, kindSparseUnion:
		for i := range int(array.NChildren) {
			if childArray(array, i).Length < array.Length+array.Offset {
				return "a child shorter than its parent"
			}
		}
	case kindRunEndEncoded:
		return checkRunEndLengths(array)
	}
	return ""
}

// checkOffsetEnds reads the first and the last of the offsets that the array uses.
func checkOffsetEnds[T int32 | int64](array *ArrowArray, list bool) string {
	if array.Length == 0 {
		return ""
	}
	offsets := foreignSlots[T](array, 1, array.Length+1)
	first, last := int64(offsets[0]), int64(offsets[array.Length])
	switch {
	case first < 0 || first > last:
		return "offsets that are negative or decrease"
	case list && last > childArray(array, 0).Length:
		return "offsets past the child"
	case !list && last > first && bufferOf(array, 2) == 0:
		return "a NULL buffer that is not empty"
	}
	return ""
}

func checkRunEndLengths(array *ArrowArray) string {
	ends := childArray(array, 0)
	switch {
	case ends.NullCount > 0:
		return "run ends have nulls"
	case ends.Length > childArray(array, 1).Length:
		return "more run ends than values"
	case array.Length > 0 && ends.Length == 0:
		return "run ends stop before the array does"
	}
	return ""
}

// product multiplies two numbers that are not negative.
func product(a, b int64) (int64, bool) {
	high, low := bits.Mul64(uint64(a), uint64(b))
	return int64(low), high == 0 && low <= math.MaxInt64
}
