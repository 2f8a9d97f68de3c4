// SPDX-License-Identifier: Apache-2.0

package malformed

import (
	"math"
	"strings"

	"github.com/tombolo-arrow/tombolo/bridge/abi"
)

type (
	schema = abi.ArrowSchema
	array  = abi.ArrowArray
)

var structuralCases = []Case{
	at("released array", two, 0, "a released array, at the root",
		func(_ *Tree, _ *schema, a *array) { a.Release = 0 }),
	at("released child array", two, 1, "a released array, at the root",
		func(_ *Tree, _ *schema, a *array) { a.Release = 0 }),
	at("released schema", two, 0, "a released schema, at the root",
		func(_ *Tree, s *schema, _ *array) { s.Release = 0 }),
	at("released child schema", two, 2, "a released schema, at the root",
		func(_ *Tree, s *schema, _ *array) { s.Release = 0 }),
	at("NULL format", two, 1, "a NULL format, at 0",
		func(_ *Tree, s *schema, _ *array) { s.Format = 0 }),
	at("NULL child schema", two, 0, "a NULL child, at the root",
		func(t *Tree, s *schema, _ *array) { t.SetChildSchema(s, 1, nil) }),
	at("NULL child", two, 0, "a NULL child, at the root",
		func(t *Tree, _ *schema, a *array) { t.SetChild(a, 0, nil) }),
	at("NULL table of child schemas", two, 0, "a NULL table of children, at the root",
		func(_ *Tree, s *schema, _ *array) { s.Children = 0 }),
	at("NULL table of children", two, 0, "a NULL table of children, at the root",
		func(_ *Tree, _ *schema, a *array) { a.Children = 0 }),
	at("NULL table of buffers", two, 1, "a NULL table of buffers, at 0",
		func(_ *Tree, _ *schema, a *array) { a.Buffers = 0 }),
	at("negative number of child schemas", two, 0,
		"a number of children that does not fit the format, at the root",
		func(_ *Tree, s *schema, _ *array) { s.NChildren = -1 }),
	at("huge number of child schemas", two, 0, "more children than the limit, at the root",
		func(_ *Tree, s *schema, _ *array) { s.NChildren = math.MaxInt64 }),
	at("children of an integer", two, 1, "a number of children that does not fit the format, at 0",
		func(_ *Tree, s *schema, _ *array) { s.NChildren = 1 }),
	at("one child too many", two, 0, "a number of children unlike the schema's, at the root",
		func(_ *Tree, _ *schema, a *array) { a.NChildren = 3 }),
	at("one buffer too many", two, 1, "a number of buffers that does not fit the format, at 0",
		func(_ *Tree, _ *schema, a *array) { a.NBuffers++ }),
	at("one buffer too few", two, 2, "a number of buffers that does not fit the format, at 1",
		func(_ *Tree, _ *schema, a *array) { a.NBuffers-- }),
	at("negative length", two, 1, "a negative length, at 0",
		func(_ *Tree, _ *schema, a *array) { a.Length = -1 }),
	at("negative offset", two, 1, "a negative offset, at 0",
		func(_ *Tree, _ *schema, a *array) { a.Offset = -1 }),
	at("overflowing sum", two, 1, "length and offset overflow, at 0",
		func(_ *Tree, _ *schema, a *array) { a.Offset = math.MaxInt64 }),
	at("overflowing size", two, 1, "length and offset overflow, at 0",
		func(_ *Tree, _ *schema, a *array) { a.Length = 1 << 60 }),
	at("null_count -2", two, 1, "null_count below -1, at 0",
		func(_ *Tree, _ *schema, a *array) { a.NullCount = -2 }),
	at("null_count over length", two, 1, "null_count exceeds length, at 0",
		func(_ *Tree, _ *schema, a *array) { a.NullCount = 4 }),
	at("nulls without validity", two, 2, "nulls without a validity buffer, at 1",
		func(_ *Tree, _ *schema, a *array) { a.NullCount = 1 }),
	at("NULL values", two, 1, "a NULL buffer that is not empty, at 0",
		func(t *Tree, _ *schema, a *array) { t.SetBuffer(a, 1, 0) }),
	at("NULL offsets", two, 2, "a NULL buffer that is not empty, at 1",
		func(t *Tree, _ *schema, a *array) { t.SetBuffer(a, 1, 0) }),
	at("NULL data", two, 2, "a NULL buffer that is not empty, at 1",
		func(t *Tree, _ *schema, a *array) { t.SetBuffer(a, 2, 0) }),
	at("child shorter than its parent", two, 0, "a child shorter than its parent, at the root",
		func(_ *Tree, _ *schema, a *array) { a.Offset = 1 }),
	at("schema below itself", two, 0, "nesting exceeds 64 levels, at "+deepPath,
		func(t *Tree, s *schema, a *array) { t.SetChildSchema(s, 0, s); t.SetChild(a, 0, a) }),
	{"5,000 levels", func() *Node { return deep(5000) }, nil, abi.ValidateStructure,
		"nesting exceeds 64 levels, at " + deepPath},
	{"negative metadata count", func() *Node { return withMetadata(Values[int32](-1)) }, nil,
		abi.ValidateStructure, "a metadata count out of range, at 0"},
	{"huge metadata count", func() *Node { return withMetadata(Values[int32](math.MaxInt32)) }, nil,
		abi.ValidateStructure, "a metadata count out of range, at 0"},
	{"negative key length", func() *Node { return withMetadata(Values[int32](1, -1)) }, nil,
		abi.ValidateStructure, "a metadata length out of range, at 0"},
	{"metadata one byte over the limit", func() *Node {
		return withMetadata(Values[int32](1, abi.ValidateMetadataBytesMax-4+1))
	}, nil, abi.ValidateStructure, "a metadata length out of range, at 0"},
	{"huge key length", func() *Node { return withMetadata(Values[int32](1, 1_800_000_000)) }, nil,
		abi.ValidateStructure, "a metadata length out of range, at 0"},
}

// deepPath is the place of the first struct that is nested too deep.
var deepPath = strings.TrimSuffix(strings.Repeat("0.", abi.ValidateDepthMax+1), ".")

func deep(levels int) *Node {
	node := numbers(1, 2, 3)
	for range levels {
		node = structs(node)
	}
	return node
}

func withMetadata(metadata []byte) *Node {
	node := numbers(1, 2, 3)
	node.Metadata = metadata
	return structs(node)
}

var brokenFormats = []string{
	"", "x", "ii", "v", "vx", "vuu", "w", "w:", "w:-1", "w:x", "w:5x", "w:" + strings.Repeat("9",
		20), "d:", "d:0,0", "d:39,0", "d:5,2,48", "d:5", "d:5,2,128,1", "d:10,0,32", "d:19,0,64",
	"d:77,0,256", "tdX", "tdDD", "tt", "ttx", "tssUTC", "tsx:", "tD", "tDss", "tiX", "tinn", "+",
	"+x", "+lx", "+v", "+vx", "+w:-2", "+w:", "+w:2x", "+ud", "+ud:-1", "+us:128", "+us:0,0",
	"+us:0,", "+us:,0", "+ux:0",
}

func formatCases() []Case {
	var cases []Case
	for _, format := range brokenFormats {
		cases = append(cases, Case{"format " + format, func() *Node {
			node := numbers(1, 2, 3)
			node.Format = format
			return structs(node)
		}, nil, abi.ValidateStructure, "a format outside the grammar, at 0"})
	}
	return cases
}
