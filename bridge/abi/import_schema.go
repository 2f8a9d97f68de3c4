// SPDX-License-Identifier: Apache-2.0

package abi

import (
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tombolo-arrow/tombolo/ownership/handle"
)

// formatMax bounds the length of a format; the longest of the grammar, a union of 128, has some 500 bytes.
const formatMax = 4096

// ImportSchema copies a C schema whose top is a struct, that is the schema of record batches, and releases it, on
// success and on failure. Nothing of the result points into C.
func ImportSchema(caller Caller, schema *ArrowSchema) (*arrow.Schema, error) {
	field, err := ImportField(caller, schema)
	if err != nil {
		return nil, err
	}
	return batchSchema(field)
}

func batchSchema(field arrow.Field) (*arrow.Schema, error) {
	top, ok := field.Type.(*arrow.StructType)
	if !ok {
		return nil, invalid("schema of a record batch is not a struct")
	}
	metadata := field.Metadata
	return arrow.NewSchema(top.Fields(), &metadata), nil
}

// ImportField copies a C schema as a field and releases it, on success and on failure. Extension types are rebuilt
// where they are registered with arrow-go; otherwise the field has the storage type and keeps the metadata.
func ImportField(caller Caller, schema *ArrowSchema) (arrow.Field, error) {
	if schema == nil {
		return arrow.Field{}, invalid("schema is NULL")
	}
	if schema.Release == 0 {
		return arrow.Field{}, goneInC(handle.Schema, "schema was released already")
	}

	defer releaseSchema(caller, schema)

	fields := 0
	return readField(schema, &fields, 0)
}

func releaseSchema(caller Caller, schema *ArrowSchema) {
	if schema.Release != 0 {
		caller.Call(schema.Release, addressOf(schema), 0, 0, 0, 0, 0)
		schema.Release = 0 // a producer that forgets it must not be called again
	}
}

// readField reads a schema without releasing it. fields counts the schemas of the tree.
func readField(schema *ArrowSchema, fields *int, depth int) (field arrow.Field, err error) {
	if depth > depthMax {
		return field, invalid("schema is nested too deep")
	}
	if *fields++; *fields > fieldsMax {
		return field, invalid("schema has too many fields")
	}
	if schema.Release == 0 {
		return field, goneInC(handle.SchemaChild, "child schema was released already")
	}
	if schema.Format == 0 {
		return field, invalid("schema has no format")
	}
	format, ok := readText(schema.Format, formatMax)
	if !ok {
		return field, invalid(textFormat)
	}
	if field.Name, ok = readText(schema.Name, textMax); !ok || !utf8.ValidString(field.Name) {
		return field, invalid("schema has a name that is too long or not UTF-8")
	}
	field.Nullable = schema.Flags&FlagNullable != 0
	if field.Metadata, err = readMetadata(schema.Metadata); err != nil {
		return field, err
	}
	children, err := readChildFields(schema, fields, depth)
	if err != nil {
		return field, err
	}
	if field.Type, err = parseFormat(format, schema.Flags, children); err != nil {
		return field, err
	}
	if schema.Dictionary != 0 {
		if field.Type, err = readDictionary(schema, field.Type, fields, depth); err != nil {
			return field, err
		}
	}
	return rebuildExtension(field), nil
}

func readChildFields(schema *ArrowSchema, fields *int, depth int) ([]arrow.Field, error) {
	if schema.NChildren < 0 || schema.NChildren > fieldsMax {
		return nil, invalid("schema has a child count out of range")
	}
	if schema.NChildren == 0 {
		return nil, nil
	}
	if schema.Children == 0 {
		return nil, invalid("schema has children and no child pointers")
	}
	children := make([]arrow.Field, 0, min(schema.NChildren, 1024))
	for _, address := range span[uintptr](schema.Children, int(schema.NChildren)) {
		if address == 0 {
			return nil, invalid("schema has a NULL child")
		}
		child, err := readField(at[ArrowSchema](address), fields, depth+1)
		if err != nil {
			return nil, err
		}
		children = append(children, child)
	}
	return children, nil
}

func readDictionary(schema *ArrowSchema, index arrow.DataType, fields *int, depth int) (arrow.DataType, error) {
	if !arrow.IsInteger(index.ID()) {
		return nil, invalid("dictionary index is not an integer")
	}
	values, err := readField(at[ArrowSchema](schema.Dictionary), fields, depth+1)
	if err != nil {
		return nil, err
	}
	return &arrow.DictionaryType{
		IndexType: index, ValueType: values.Type, Ordered: schema.Flags&FlagDictionaryOrdered != 0,
	}, nil
}
