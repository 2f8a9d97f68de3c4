// SPDX-License-Identifier: Apache-2.0

package abi

import (
	"math"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tombolo-arrow/tombolo/bridge"
)

// Text of errors that a format can give.
const (
	textFormat     = "format is not in the grammar"
	textChildren   = "schema has the wrong number of children for its format"
	textParameters = "format has a parameter out of range"
)

func invalid(text string) error     { return bridge.NewError(bridge.CodeInvalid, "", text) }
func unsupported(text string) error { return bridge.NewError(bridge.CodeUnsupported, "", text) }

// parseFormat makes the type of a format. children are its child fields, flags those of the schema.
func parseFormat(format string, flags int64, children []arrow.Field) (arrow.DataType, error) {
	if strings.HasPrefix(format, "+") {
		return parseNested(format, flags, children)
	}
	if len(children) != 0 {
		return nil, invalid(textChildren)
	}
	if typ, ok := typeOfFormat[format]; ok {
		return typ, nil
	}
	key, parameter, found := strings.Cut(format, ":")
	if !found {
		return nil, invalid(textFormat)
	}
	switch key {
	case "w":
		width, err := parseNumber(parameter, 0, math.MaxInt32)
		if err != nil {
			return nil, err
		}
		return &arrow.FixedSizeBinaryType{ByteWidth: int(width)}, nil
	case "d":
		return parseDecimal(parameter)
	case "tss", "tsm", "tsu", "tsn":
		for unit, letter := range unitLetters {
			if key[2:] == letter {
				return &arrow.TimestampType{Unit: unit, TimeZone: parameter}, nil
			}
		}
	}
	return nil, invalid(textFormat)
}

// parseNumber takes decimal digits with at most a leading minus, as the grammar has them.
func parseNumber(text string, low, high int64) (int64, error) {
	digits := strings.TrimPrefix(text, "-")
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return 0, invalid(textFormat)
	}
	number, err := strconv.ParseInt(text, 10, 64)
	if err != nil || number < low || number > high {
		return 0, invalid(textParameters)
	}
	return number, nil
}

// decimalPrecisionMax is by bit width.
var decimalPrecisionMax = map[int64]int64{32: 9, 64: 18, 128: 38, 256: 76}

func parseDecimal(parameter string) (arrow.DataType, error) {
	parts := strings.Split(parameter, ",")
	if len(parts) != 2 && len(parts) != 3 {
		return nil, invalid(textFormat)
	}
	bits := int64(128)
	if len(parts) == 3 {
		var err error
		if bits, err = parseNumber(parts[2], 1, 1<<16); err != nil {
			return nil, err
		}
	}
	precisionMax, ok := decimalPrecisionMax[bits]
	if !ok {
		return nil, invalid(textParameters)
	}
	precision, err := parseNumber(parts[0], 1, precisionMax)
	if err != nil {
		return nil, err
	}
	scale, err := parseNumber(parts[1], math.MinInt32, math.MaxInt32)
	if err != nil {
		return nil, err
	}
	switch bits {
	case 32:
		return &arrow.Decimal32Type{Precision: int32(precision), Scale: int32(scale)}, nil
	case 64:
		return &arrow.Decimal64Type{Precision: int32(precision), Scale: int32(scale)}, nil
	case 128:
		return &arrow.Decimal128Type{Precision: int32(precision), Scale: int32(scale)}, nil
	}
	return &arrow.Decimal256Type{Precision: int32(precision), Scale: int32(scale)}, nil
}

func parseNested(format string, flags int64, children []arrow.Field) (arrow.DataType, error) {
	if format == "+s" {
		return arrow.StructOf(children...), nil
	}
	if strings.HasPrefix(format, "+us:") || strings.HasPrefix(format, "+ud:") {
		return parseUnion(format, children)
	}
	if format == "+r" {
		return parseRunEnds(children)
	}
	if len(children) != 1 {
		return nil, invalid(textChildren)
	}
	switch format {
	case "+l":
		return arrow.ListOfField(children[0]), nil
	case "+L":
		return arrow.LargeListOfField(children[0]), nil
	case "+vl":
		return arrow.ListViewOfField(children[0]), nil
	case "+vL":
		return arrow.LargeListViewOfField(children[0]), nil
	case "+m":
		return parseMap(flags, children[0])
	}
	if size, ok := strings.CutPrefix(format, "+w:"); ok {
		count, err := parseNumber(size, 0, math.MaxInt32)
		if err != nil {
			return nil, err
		}
		if count == 0 {
			// arrow-go has no list of size zero and panics on one.
			return nil, unsupported("fixed-size list of size zero")
		}
		return arrow.FixedSizeListOfField(int32(count), children[0]), nil
	}
	return nil, invalid(textFormat)
}

func parseUnion(format string, children []arrow.Field) (arrow.DataType, error) {
	var (
		codes []arrow.UnionTypeCode
		seen  [128]bool
	)
	if list := format[len("+us:"):]; list != "" {
		for _, text := range strings.Split(list, ",") {
			code, err := parseNumber(text, 0, 127)
			if err != nil {
				return nil, err
			}
			if seen[code] {
				return nil, invalid("union type id given twice")
			}
			seen[code] = true
			codes = append(codes, arrow.UnionTypeCode(code))
		}
	}
	if len(codes) != len(children) {
		return nil, invalid(textChildren)
	}
	if format[2] == 's' {
		return arrow.SparseUnionOf(children, codes), nil
	}
	return arrow.DenseUnionOf(children, codes), nil
}

func parseRunEnds(children []arrow.Field) (arrow.DataType, error) {
	if len(children) != 2 {
		return nil, invalid(textChildren)
	}
	switch children[0].Type.ID() {
	case arrow.INT16, arrow.INT32, arrow.INT64:
	default:
		return nil, invalid("run ends are not int16, int32 or int64")
	}
	if children[0].Nullable {
		return nil, invalid("run ends are nullable")
	}
	typ := arrow.RunEndEncodedOf(children[0].Type, children[1].Type)
	typ.ValueNullable = children[1].Nullable
	return typ, nil
}

// parseMap keeps nullability and metadata of key and value. arrow-go names the fields key and value itself.
func parseMap(flags int64, entries arrow.Field) (arrow.DataType, error) {
	fields, ok := entries.Type.(*arrow.StructType)
	if !ok || fields.NumFields() != 2 {
		return nil, invalid("map entries are not a struct of two fields")
	}
	key, item := fields.Field(0), fields.Field(1)
	// A key is never nullable; some producers set the flag all the same.
	typ := arrow.MapOfWithMetadata(key.Type, key.Metadata, item.Type, item.Metadata)
	typ.SetItemNullable(item.Nullable)
	typ.KeysSorted = flags&FlagMapKeysSorted != 0
	return typ, nil
}
