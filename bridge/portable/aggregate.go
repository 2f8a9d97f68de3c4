// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tombolo-arrow/tombolo/bridge"
)

// aggregateSpec is one aggregate of group_by, as bound.
type aggregateSpec struct {
	function string
	column   int // position in the batch, -1 for all rows
	name     string
	input    arrow.DataType // nil for all rows
	result   arrow.DataType
}

// parseAggregate reads "function:column:name"; the name is all that follows the second colon.
func parseAggregate(b *binding, text string) (aggregateSpec, error) {
	function, rest, found := strings.Cut(text, ":")
	position, name, foundName := strings.Cut(rest, ":")
	column, ok := parseColumn(position)
	if !found || !foundName || !ok {
		return aggregateSpec{}, b.fail(bridge.CodeInvalid, "an aggregate is not function:column:name")
	}
	spec := aggregateSpec{function: function, column: column, name: name}
	if function == "count_all" || (function == "count" && column == -1) {
		if column != -1 {
			return spec, b.fail(bridge.CodeInvalid, "count_all takes column -1")
		}
		spec.function, spec.result = "count", arrow.PrimitiveTypes.Int64
		return spec, nil
	}
	input, err := b.column(0, column)
	if err != nil {
		return spec, err
	}
	input = storageOf(input)
	spec.input = input
	kinds, known := aggregateFunctions[function]
	if !known {
		return spec, b.fail(bridge.CodeInvalid, "unknown aggregate function")
	}
	if spec.result = kinds(input); spec.result == nil {
		return spec, b.failAt(bridge.CodeType, 0, column, "the aggregate function does not take this type")
	}
	return spec, nil
}

// parseColumn reads a decimal column number of at most 9 digits, with or without a minus sign.
func parseColumn(text string) (column int, ok bool) {
	digits, negative := strings.CutPrefix(text, "-")
	if len(digits) == 0 || len(digits) > 9 {
		return 0, false
	}
	for _, digit := range []byte(digits) {
		if digit < '0' || digit > '9' {
			return 0, false
		}
		column = 10*column + int(digit-'0')
	}
	if negative {
		column = -column
	}
	return column, true
}

// aggregateFunctions gives the result type of a function for an input type, nil where it does not take it.
var aggregateFunctions = map[string]func(arrow.DataType) arrow.DataType{
	"count": func(t arrow.DataType) arrow.DataType {
		switch t.ID() {
		case arrow.SPARSE_UNION, arrow.DENSE_UNION, arrow.RUN_END_ENCODED:
			return nil // their nulls do not lie in a validity bitmap of their own
		}
		return arrow.PrimitiveTypes.Int64
	},
	"count_if": func(t arrow.DataType) arrow.DataType {
		if t.ID() != arrow.BOOL {
			return nil
		}
		return arrow.PrimitiveTypes.Int64
	},
	"sum": func(t arrow.DataType) arrow.DataType {
		switch {
		case isFloat(t):
			return arrow.PrimitiveTypes.Float64
		case arrow.IsUnsignedInteger(t.ID()):
			return arrow.PrimitiveTypes.Uint64
		case arrow.IsSignedInteger(t.ID()):
			return arrow.PrimitiveTypes.Int64
		}
		return nil
	},
	"mean": func(t arrow.DataType) arrow.DataType {
		if !isFloat(t) && !arrow.IsInteger(t.ID()) {
			return nil
		}
		return arrow.PrimitiveTypes.Float64
	},
	"min": extremeResult,
	"max": extremeResult,
}

func extremeResult(t arrow.DataType) arrow.DataType {
	switch t.ID() {
	case arrow.DATE32, arrow.DATE64, arrow.TIMESTAMP:
		return t
	}
	switch {
	case isFloat(t) || arrow.IsInteger(t.ID()):
		return t
	case isText(t):
		return textResult(t)
	}
	return nil
}

// isFloat says whether a type is float32 or float64.
func isFloat(t arrow.DataType) bool { return t.ID() == arrow.FLOAT32 || t.ID() == arrow.FLOAT64 }

// textResult is the type in which text comes back: large_utf8 stays, all else is utf8.
func textResult(t arrow.DataType) arrow.DataType {
	if t.ID() == arrow.LARGE_STRING {
		return t
	}
	return arrow.BinaryTypes.String
}

// accumulator is the state of one aggregate over all groups. Blocks name the group of each row.
type accumulator interface {
	// begin points at the column of the batch that follows.
	begin(input *aggregateInput)
	// grow makes room for groups groups; new ones are empty.
	grow(groups int)
	// consume adds the rows from row on.
	consume(row int, groups []int32)
	// merge adds an accumulator of the same aggregate; to gives the group here for each group there.
	merge(other accumulator, to []int32)
	// finish makes the result column; counts are the rows of each group that were not null.
	finish(c *call, counts []int64) (arrow.Array, error)
}

func newAccumulator(spec aggregateSpec) accumulator {
	switch spec.function {
	case "count":
		return &countAccumulator{}
	case "count_if":
		return &countIfAccumulator{}
	case "sum":
		return newSum(spec)
	case "mean":
		return newMean(spec)
	}
	return newExtreme(spec)
}

// aggregateInput is one column of the batches that aggregates read. It counts nulls for all of them.
type aggregateInput struct {
	column int // position in the batch, -1 for all rows
	data   arrow.ArrayData
	valid  bitmap  // of the current batch, through the dictionary where there is one
	nulls  []int64 // by group; nil until the first null
}

// begin points at the column of a batch. It returns false for a dictionary code outside its dictionary.
func (a *aggregateInput) begin(data arrow.ArrayData) bool {
	a.data = data
	switch data.DataType().ID() {
	case arrow.NULL:
		a.valid = bitmap{bytes: make([]byte, (data.Len()+7)/8), length: data.Len()}
		return true
	case arrow.DICTIONARY:
		var ok bool
		a.valid, ok = codedValidity(data)
		return ok
	}
	a.valid = validBits(data)
	return true
}

// codedValidity is the validity of a dictionary column with the nulls of its values, and checks its codes.
func codedValidity(data arrow.ArrayData) (bitmap, bool) {
	valid := validBits(data)
	if data.Len() == 0 {
		return valid, true
	}
	var (
		codes  = newCodes(data)
		values = validBits(data.Dictionary())
		merged []byte
	)
	if values.bytes != nil {
		merged = make([]byte, (data.Len()+7)/8)
	}
	var block [keyBlockRows]uint64
	for row := 0; row < data.Len(); row += keyBlockRows {
		part := block[:min(keyBlockRows, data.Len()-row)]
		codes.keys(row, part)
		for i, code := range part {
			if !valid.bit(row + i) {
				continue
			}
			if code >= uint64(data.Dictionary().Len()) {
				return valid, false
			}
			if merged != nil && values.bit(int(code)) {
				merged[(row+i)>>3] |= 1 << ((row + i) & 7)
			}
		}
	}
	if merged == nil {
		return valid, true
	}
	return bitmap{bytes: merged, length: data.Len()}, true
}

func (a *aggregateInput) consume(row int, groups []int32, groupCount int) {
	if a.valid.bytes == nil {
		a.nulls = grown(a.nulls, groupCount, a.nulls != nil)
		return
	}
	a.nulls = grown(a.nulls, groupCount, true)
	for i, group := range groups {
		if !a.valid.bit(row + i) {
			a.nulls[group]++
		}
	}
}

func (a *aggregateInput) merge(other *aggregateInput, to []int32, groupCount int) {
	a.nulls = grown(a.nulls, groupCount, a.nulls != nil || other.nulls != nil)
	for i, nulls := range other.nulls {
		a.nulls[to[i]] += nulls
	}
}

// counts gives the rows of each group that were not null.
func (a *aggregateInput) counts(rows []int64) []int64 {
	if a.nulls == nil {
		return rows
	}
	counts := make([]int64, len(rows))
	for i, all := range rows {
		counts[i] = all - a.nulls[i]
	}
	return counts
}

// grown extends values to n entries where wanted says so; new entries are zero.
func grown[T any](values []T, n int, wanted bool) []T {
	if !wanted || len(values) >= n {
		return values
	}
	if n <= cap(values) {
		return values[:n]
	}
	larger := make([]T, n, max(2*cap(values), n, 64))
	copy(larger, values)
	return larger
}

// grownWith is grown with entries that start as initial.
func grownWith[T any](values []T, n int, initial T) []T {
	begin := len(values)
	values = grown(values, n, true)
	for i := begin; i < len(values); i++ {
		values[i] = initial
	}
	return values
}

// countAccumulator counts rows that are not null; its input has the numbers already.
type countAccumulator struct{}

func (*countAccumulator) begin(*aggregateInput)      {}
func (*countAccumulator) grow(int)                   {}
func (*countAccumulator) consume(int, []int32)       {}
func (*countAccumulator) merge(accumulator, []int32) {}

func (*countAccumulator) finish(c *call, counts []int64) (arrow.Array, error) {
	buffer, result := values[int64](c, len(counts))
	copy(result, counts)
	return column(arrow.PrimitiveTypes.Int64, len(counts), validity{}, buffer), nil
}

// countIfAccumulator counts true rows.
type countIfAccumulator struct {
	valid bitmap
	truth bitmap
	count []int64
}

func (a *countIfAccumulator) begin(input *aggregateInput) {
	a.valid, a.truth = input.valid, bitmap{}
	if input.data.Len() > 0 {
		a.truth = valueBits(input.data)
	}
}

func (a *countIfAccumulator) grow(groups int) { a.count = grown(a.count, groups, true) }

func (a *countIfAccumulator) consume(row int, groups []int32) {
	for i, group := range groups {
		if a.truth.bit(row+i) && a.valid.bit(row+i) {
			a.count[group]++
		}
	}
}

func (a *countIfAccumulator) merge(other accumulator, to []int32) {
	for i, count := range other.(*countIfAccumulator).count {
		a.count[to[i]] += count
	}
}

func (a *countIfAccumulator) finish(c *call, _ []int64) (arrow.Array, error) {
	buffer, result := values[int64](c, len(a.count))
	copy(result, a.count)
	return column(arrow.PrimitiveTypes.Int64, len(a.count), validity{}, buffer), nil
}
