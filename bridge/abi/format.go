// SPDX-License-Identifier: Apache-2.0

package abi

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tombolo-arrow/tombolo/bridge"
)

// simpleFormats pairs the formats that have no parameter with their types.
var simpleFormats = []struct {
	format string
	typ    arrow.DataType
}{
	{"n", arrow.Null},
	{"b", arrow.FixedWidthTypes.Boolean},
	{"c", arrow.PrimitiveTypes.Int8},
	{"C", arrow.PrimitiveTypes.Uint8},
	{"s", arrow.PrimitiveTypes.Int16},
	{"S", arrow.PrimitiveTypes.Uint16},
	{"i", arrow.PrimitiveTypes.Int32},
	{"I", arrow.PrimitiveTypes.Uint32},
	{"l", arrow.PrimitiveTypes.Int64},
	{"L", arrow.PrimitiveTypes.Uint64},
	{"e", arrow.FixedWidthTypes.Float16},
	{"f", arrow.PrimitiveTypes.Float32},
	{"g", arrow.PrimitiveTypes.Float64},
	{"z", arrow.BinaryTypes.Binary},
	{"Z", arrow.BinaryTypes.LargeBinary},
	{"vz", arrow.BinaryTypes.BinaryView},
	{"u", arrow.BinaryTypes.String},
	{"U", arrow.BinaryTypes.LargeString},
	{"vu", arrow.BinaryTypes.StringView},
	{"tdD", arrow.FixedWidthTypes.Date32},
	{"tdm", arrow.FixedWidthTypes.Date64},
	{"tts", arrow.FixedWidthTypes.Time32s},
	{"ttm", arrow.FixedWidthTypes.Time32ms},
	{"ttu", arrow.FixedWidthTypes.Time64us},
	{"ttn", arrow.FixedWidthTypes.Time64ns},
	{"tDs", arrow.FixedWidthTypes.Duration_s},
	{"tDm", arrow.FixedWidthTypes.Duration_ms},
	{"tDu", arrow.FixedWidthTypes.Duration_us},
	{"tDn", arrow.FixedWidthTypes.Duration_ns},
	{"tiM", arrow.FixedWidthTypes.MonthInterval},
	{"tiD", arrow.FixedWidthTypes.DayTimeInterval},
	{"tin", arrow.FixedWidthTypes.MonthDayNanoInterval},
}

// nestedFormats are the formats of nested types without a parameter.
var nestedFormats = map[arrow.Type]string{
	arrow.LIST: "+l", arrow.LARGE_LIST: "+L", arrow.LIST_VIEW: "+vl", arrow.LARGE_LIST_VIEW: "+vL",
	arrow.STRUCT: "+s", arrow.MAP: "+m", arrow.RUN_END_ENCODED: "+r",
}

var typeOfFormat, formatOfType = func() (map[string]arrow.DataType, map[string]string) {
	types, formats := map[string]arrow.DataType{}, map[string]string{}
	for _, simple := range simpleFormats {
		types[simple.format] = simple.typ
		formats[simple.typ.Fingerprint()] = simple.format
	}
	return types, formats
}()

// storageOf strips extension types down to what is stored.
func storageOf(typ arrow.DataType) arrow.DataType {
	for {
		extension, ok := typ.(arrow.ExtensionType)
		if !ok {
			return typ
		}
		typ = extension.StorageType()
	}
}

// formatOf gives the format string of a type; that of a dictionary is its index type's.
func formatOf(typ arrow.DataType) (string, error) {
	typ = storageOf(typ)
	switch typ := typ.(type) {
	case *arrow.DictionaryType:
		if !arrow.IsInteger(typ.IndexType.ID()) {
			return "", bridge.NewError(bridge.CodeInvalid, "", "dictionary index is not an integer")
		}
		return formatOf(typ.IndexType)
	case *arrow.FixedSizeBinaryType:
		return "w:" + strconv.Itoa(typ.ByteWidth), nil
	case *arrow.FixedSizeListType:
		return "+w:" + strconv.Itoa(int(typ.Len())), nil
	case *arrow.Decimal128Type:
		return fmt.Sprintf("d:%d,%d", typ.Precision, typ.Scale), nil
	case arrow.DecimalType:
		return fmt.Sprintf("d:%d,%d,%d", typ.GetPrecision(), typ.GetScale(), typ.BitWidth()), nil
	case *arrow.TimestampType:
		return "ts" + unitLetters[typ.Unit] + ":" + typ.TimeZone, nil
	case arrow.UnionType:
		codes := make([]string, len(typ.TypeCodes()))
		for i, code := range typ.TypeCodes() {
			codes[i] = strconv.Itoa(int(code))
		}
		mode := "+us:"
		if typ.Mode() == arrow.DenseMode {
			mode = "+ud:"
		}
		return mode + strings.Join(codes, ","), nil
	}
	if format, ok := nestedFormats[typ.ID()]; ok {
		return format, nil
	}
	if format, ok := formatOfType[typ.Fingerprint()]; ok {
		return format, nil
	}
	return "", bridge.NewError(bridge.CodeUnsupported, "", "type has no format: "+typ.Name())
}

var unitLetters = map[arrow.TimeUnit]string{
	arrow.Second: "s", arrow.Millisecond: "m", arrow.Microsecond: "u", arrow.Nanosecond: "n",
}

// schemaFlags gives the flags of a field.
func schemaFlags(field arrow.Field) int64 {
	flags := int64(0)
	if field.Nullable {
		flags |= FlagNullable
	}
	switch typ := storageOf(field.Type).(type) {
	case *arrow.DictionaryType:
		if typ.Ordered {
			flags |= FlagDictionaryOrdered
		}
	case *arrow.MapType:
		if typ.KeysSorted {
			flags |= FlagMapKeysSorted
		}
	}
	return flags
}

// childFields lists the fields below a type.
func childFields(typ arrow.DataType) []arrow.Field {
	if nested, ok := storageOf(typ).(arrow.NestedType); ok {
		return nested.Fields()
	}
	return nil
}
