// SPDX-License-Identifier: Apache-2.0

package abi

import (
	"context"
	"strconv"
	"strings"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/ownership/handle"
)

// Bounds of validation, the same as in native/src/arrow/validate.h.
const (
	ValidateDepthMax         = 64      // levels of nesting, dictionaries included
	ValidateStructsMax       = 1 << 20 // structs of one tree
	ValidateMetadataPairsMax = 1 << 16 // key-value pairs of one field
	ValidateMetadataBytesMax = 1 << 24 // of one field, read by import too
)

// Validate checks a C array against its schema at a level, [ValidateStructure] or [ValidateFull]; a
// nil array checks the schema alone. It reads both and consumes neither. Errors are
// [*bridge.Error]s that match bridge.ErrInvalid, bridge.ErrReleased (and with it
// handle.ErrUseAfterRelease) or bridge.ErrCancelled; the text says which rule is broken and where,
// as a path of child positions from the root, and Column is the top-level field, or -1.
//
// No check can tell whether a pointer is good: buffers are taken to be as long as the layout says.
// Of values the structure level reads the two ends of offset buffers and the sizes of variadic
// buffers, since the extents of other memory follow from them; the full level reads all.
//
// It is the twin of validate in native/src/arrow/validate.cc: the same rules in the same order,
// with the same texts. It is safe for concurrent use as long as nobody changes the structs.
func Validate(ctx context.Context, schema *ArrowSchema, array *ArrowArray, level int32) error {
	v := &validator{ctx: ctx, full: level == ValidateFull}
	if level != ValidateStructure && level != ValidateFull {
		return bridge.NewError(bridge.CodeInvalid, "", "no such level of validation")
	}
	root := &site{}
	if array != nil && array.Release == 0 {
		return v.fail(root, ruleReleasedArray)
	}
	return v.check(schema, array, root)
}

// Rules that have a code of their own, and the one that is no rule.
const (
	ruleReleasedSchema = "a released schema"
	ruleReleasedArray  = "a released array"
	ruleCancelled      = "cancelled"
)

type validator struct {
	ctx     context.Context
	full    bool
	structs int64 // seen so far, children that are still to come included
}

// dictionarySite is a position below its owner, as the children's are.
const dictionarySite = -1

// site is where a struct hangs in the tree.
type site struct {
	above    *site // nil at the root
	position int
	depth    int
}

// path gives the positions from the root down, as in "at 2.0.dictionary", and the first of them.
func (s *site) path() (text string, top int) {
	if s.above == nil {
		return ", at the root", dictionarySite
	}
	var steps []string
	for ; s.above != nil; s = s.above {
		step := "dictionary"
		if s.position != dictionarySite {
			step = strconv.Itoa(s.position)
		}
		steps = append([]string{step}, steps...)
		top = s.position
	}
	return ", at " + strings.Join(steps, "."), top
}

func (v *validator) fail(at *site, rule string) error {
	path, top := at.path()
	failure := bridge.ColumnError(bridge.CodeInvalid, "", 0, top, rule+path)
	switch rule {
	case ruleReleasedSchema:
		failure.Code, failure.Cause = bridge.CodeReleased, releasedInC(handle.Schema)
	case ruleReleasedArray:
		failure.Code, failure.Cause = bridge.CodeReleased, releasedInC(handle.Array)
	case ruleCancelled:
		failure.Code, failure.Column, failure.Cause = bridge.CodeCancelled, -1, v.ctx.Err()
	}
	return failure
}

// check looks at one schema and the array beside it, then at all below them, then at what the array
// asks of its children.
func (v *validator) check(schema *ArrowSchema, array *ArrowArray, at *site) error {
	if at.depth > ValidateDepthMax {
		return v.fail(at, "nesting exceeds 64 levels")
	}
	kind, rule := v.checkSchema(schema)
	if rule == "" && array != nil {
		rule = checkCounts(&kind, schema, array)
	}
	if rule == "" && array != nil {
		rule = checkBuffers(&kind, array)
	}
	if rule != "" {
		return v.fail(at, rule)
	}
	if err := v.checkBelow(schema, array, at); err != nil || array == nil {
		return err
	}
	if rule = checkExtents(&kind, array); rule == "" && v.full {
		rule = v.checkValues(&kind, schema, array)
	}
	if rule != "" {
		return v.fail(at, rule)
	}
	return nil
}

func (v *validator) checkBelow(schema *ArrowSchema, array *ArrowArray, at *site) error {
	for i := range int(schema.NChildren) {
		var child *ArrowArray
		if array != nil {
			child = childArray(array, i)
		}
		here := site{at, i, at.depth + 1}
		if err := v.check(childSchema(schema, i), child, &here); err != nil {
			return err
		}
	}
	if schema.Dictionary == 0 {
		return nil
	}
	var values *ArrowArray
	if array != nil {
		values = foreign[ArrowArray](array.Dictionary)
	}
	here := site{at, dictionarySite, at.depth + 1}
	return v.check(foreign[ArrowSchema](schema.Dictionary), values, &here)
}
