// SPDX-License-Identifier: Apache-2.0

package abi

import (
	"strings"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tombolo-arrow/tombolo/bridge"
)

// depthMax bounds nesting of schemas and arrays, in and out.
const depthMax = 64

// fieldsMax bounds the schemas of one tree, so that a schema that reaches itself is refused.
const fieldsMax = 1 << 18

// schemaBlock is a schema laid out as C structs in one piece of memory: the head, all schemas, their child
// pointers, then texts and metadata.
type schemaBlock struct {
	address uintptr
	bytes   int
}

// root is the address of the top ArrowSchema.
func (b schemaBlock) root() uintptr { return b.address + ExportBlockBytes }

// schemaPlan is what a block needs, gathered before its size is known.
type schemaPlan struct {
	fields   []arrow.Field
	formats  []string
	metadata [][]byte
	children [][]int // positions in fields
	values   []int   // position of the dictionary, or -1
	pointers int
	texts    int
}

// structField is the field that stands for a schema: a non-nullable struct without a name.
func structField(schema *arrow.Schema) arrow.Field {
	return arrow.Field{Type: arrow.StructOf(schema.Fields()...), Metadata: schema.Metadata()}
}

// layOutSchema writes a field as C structs with the release functions given.
func layOutSchema(memory *memory, field arrow.Field, releaseRoot, releaseChild uintptr) (schemaBlock, error) {
	plan := &schemaPlan{}
	if _, err := plan.add(field, 0); err != nil {
		return schemaBlock{}, err
	}
	count := len(plan.fields)
	pointersAt := ExportBlockBytes + count*ArrowSchemaBytes
	textsAt := pointersAt + 8*plan.pointers
	block := schemaBlock{bytes: textsAt + plan.texts}
	block.address = memory.allocate(block.bytes)

	head := at[ExportBlock](block.address)
	atomic.StoreInt32(&head.Live, int32(count))
	pointers, texts := block.address+uintptr(pointersAt), block.address+uintptr(textsAt)
	put := func(content string) uintptr {
		start := texts
		copy(span[byte](start, len(content)), content)
		texts += uintptr(len(content))
		return start
	}
	schemaAt := func(i int) uintptr { return block.root() + uintptr(i*ArrowSchemaBytes) }
	for i, field := range plan.fields {
		schema := at[ArrowSchema](schemaAt(i))
		*schema = ArrowSchema{
			Format: put(plan.formats[i] + "\x00"), Name: put(field.Name + "\x00"), Flags: schemaFlags(field),
			NChildren: int64(len(plan.children[i])), Release: releaseChild, PrivateData: block.address,
		}
		if len(plan.metadata[i]) > 0 {
			schema.Metadata = put(string(plan.metadata[i]))
		}
		if len(plan.children[i]) > 0 {
			schema.Children = pointers
		}
		for _, child := range plan.children[i] {
			*at[uintptr](pointers) = schemaAt(child)
			pointers += 8
		}
		if plan.values[i] >= 0 {
			schema.Dictionary = schemaAt(plan.values[i])
		}
	}
	at[ArrowSchema](block.root()).Release = releaseRoot
	return block, nil
}

// add plans a field and all below it and returns its position.
func (p *schemaPlan) add(field arrow.Field, depth int) (int, error) {
	if depth > depthMax {
		return 0, invalid("type is nested too deep")
	}
	if field.Type == nil {
		return 0, invalid("field without a type")
	}
	format, err := formatOf(field.Type)
	if err != nil {
		return 0, err
	}
	if strings.ContainsRune(field.Name, 0) {
		return 0, bridge.NewError(bridge.CodeInvalid, "", "field name with a zero byte")
	}
	metadata := encodeMetadata(withExtension(field.Type, field.Metadata))
	position := len(p.fields)
	p.fields = append(p.fields, field)
	p.formats = append(p.formats, format)
	p.metadata = append(p.metadata, metadata)
	p.children = append(p.children, nil)
	p.values = append(p.values, -1)
	p.texts += len(format) + 1 + len(field.Name) + 1 + len(metadata)

	for _, child := range childFields(field.Type) {
		below, err := p.add(child, depth+1)
		if err != nil {
			return 0, err
		}
		p.children[position] = append(p.children[position], below)
		p.pointers++
	}
	if dictionary, ok := storageOf(field.Type).(*arrow.DictionaryType); ok {
		values := arrow.Field{Type: dictionary.ValueType, Nullable: true}
		if p.values[position], err = p.add(values, depth+1); err != nil {
			return 0, err
		}
	}
	return position, nil
}
