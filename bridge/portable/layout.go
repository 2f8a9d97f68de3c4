// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"github.com/apache/arrow-go/v18/arrow"
)

// layoutKind is how the values of a type lie in memory, which is all that selection needs to know of it.
type layoutKind uint8

const (
	layoutOther  layoutKind = iota // not taken: nested, run-end encoded
	layoutNull                     // no buffers
	layoutBits                     // a bitmap
	layoutFixed                    // width bytes each; dictionary indices too
	layoutText32                   // int32 offsets and bytes
	layoutText64                   // int64 offsets and bytes
	layoutView                     // 16-byte views and variadic buffers
)

// layout is a layoutKind with the width in bytes of layoutFixed.
type layout struct {
	kind  layoutKind
	width int
}

// storageOf gives the type that the buffers of an extension column have.
func storageOf(dataType arrow.DataType) arrow.DataType {
	for {
		extension, ok := dataType.(arrow.ExtensionType)
		if !ok {
			return dataType
		}
		dataType = extension.StorageType()
	}
}

// layoutOf classifies a type. A dictionary type has the layout of its indices.
func layoutOf(dataType arrow.DataType) layout {
	switch t := storageOf(dataType).(type) {
	case *arrow.NullType:
		return layout{kind: layoutNull}
	case *arrow.BooleanType:
		return layout{kind: layoutBits}
	case *arrow.StringType, *arrow.BinaryType:
		return layout{kind: layoutText32}
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		return layout{kind: layoutText64}
	case *arrow.StringViewType, *arrow.BinaryViewType:
		return layout{kind: layoutView}
	case *arrow.DictionaryType:
		if _, nested := storageOf(t.ValueType).(*arrow.DictionaryType); nested {
			return layout{}
		}
		if layoutOf(t.ValueType).kind == layoutOther {
			return layout{}
		}
		return layoutOf(t.IndexType)
	case arrow.FixedWidthDataType:
		if width := t.BitWidth() / 8; width > 0 {
			return layout{kind: layoutFixed, width: width}
		}
	}
	return layout{}
}

// slots gives the fixed-width values of a column from its first row on.
func slots[T arrow.FixedWidthType | arrow.ViewHeader](data arrow.ArrayData) []T {
	if data.Len() == 0 {
		return nil
	}
	return arrow.GetData[T](bufferBytes(data, 1))[data.Offset() : data.Offset()+data.Len()]
}

// offsetsOf gives the offsets of a text column, one more than it has rows; a lone zero for an empty column.
func offsetsOf[O int32 | int64](data arrow.ArrayData) []O {
	if data.Len() == 0 {
		return []O{0}
	}
	return arrow.GetData[O](bufferBytes(data, 1))[data.Offset() : data.Offset()+data.Len()+1]
}
