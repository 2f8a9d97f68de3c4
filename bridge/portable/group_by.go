// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tombolo-arrow/tombolo/bridge"
)

func groupByKernels() []kernel {
	return []kernel{{
		info: bridge.KernelInfo{Name: "group_by", Kind: bridge.Accumulate, Inputs: 1},
		bind: bindGroupBy,
	}}
}

// groupBy is group_by bound to a schema: one or two key columns and any number of aggregates.
type groupBy struct {
	keys       []int
	keyTypes   []arrow.DataType // of the result
	kinds      []keyKind
	aggregates []aggregateSpec
	inputs     []int // the distinct columns of the aggregates
	inputOf    []int // for each aggregate, its position in inputs
}

func bindGroupBy(b *binding) (*bound, error) {
	k := &groupBy{}
	fields, err := k.bindKeys(b)
	if err != nil {
		return nil, err
	}
	given, err := b.options.texts("aggregate")
	if err != nil {
		return nil, err
	}
	for _, text := range given {
		spec, err := parseAggregate(b, text)
		if err != nil {
			return nil, err
		}
		k.aggregates = append(k.aggregates, spec)
		k.inputOf = append(k.inputOf, k.input(spec.column))
		fields = append(fields, arrow.Field{Name: spec.name, Type: spec.result, Nullable: true})
	}
	names := map[string]bool{}
	for _, field := range fields {
		if names[field.Name] {
			return nil, b.fail(bridge.CodeInvalid, "two columns of the result have one name")
		}
		names[field.Name] = true
	}
	return &bound{
		output: arrow.NewSchema(fields, nil),
		open:   func(*call) (state, error) { return newGroupState(k), nil },
	}, nil
}

func (k *groupBy) bindKeys(b *binding) ([]arrow.Field, error) {
	given, err := b.options.integers("key")
	if err != nil {
		return nil, err
	}
	if len(given) != 1 && len(given) != 2 {
		return nil, b.fail(bridge.CodeInvalid, "group_by takes one or two options: key")
	}
	var fields []arrow.Field
	for _, position := range given {
		if position != int64(int32(position)) {
			return nil, b.fail(bridge.CodeInvalid, "the column is missing: option key")
		}
		keyType, err := b.column(0, int(position))
		if err != nil {
			return nil, err
		}
		keyType = storageOf(keyType)
		kind := keyKindOf(keyType)
		if kind == keyNone {
			return nil, b.failAt(bridge.CodeType, 0, int(position), "the column's type is no group key")
		}
		if kind == keyText {
			keyType = textResult(keyType)
		}
		k.keys, k.kinds = append(k.keys, int(position)), append(k.kinds, kind)
		k.keyTypes = append(k.keyTypes, keyType)
		name := b.inputs[0].Field(int(position)).Name
		fields = append(fields, arrow.Field{Name: name, Type: keyType, Nullable: true})
	}
	return fields, nil
}

// input gives the position of a column in inputs, adding it when it is new.
func (k *groupBy) input(column int) int {
	for i, known := range k.inputs {
		if known == column {
			return i
		}
	}
	k.inputs = append(k.inputs, column)
	return len(k.inputs) - 1
}

// groupState numbers the groups of all batches so far and keeps their aggregates.
type groupState struct {
	kernel     *groupBy
	keys       []keySet
	pairs      pairSet // two keys only
	rows       []int64 // by group
	inputs     []aggregateInput
	aggregates []accumulator
	columns    []keyColumn
	broken     bool
	scratch    [keyBlockRows]uint64
	firsts     [keyBlockRows]int32
	seconds    [keyBlockRows]int32
}

func newGroupState(k *groupBy) *groupState {
	s := &groupState{kernel: k, columns: make([]keyColumn, len(k.keys))}
	s.clear()
	return s
}

func (s *groupState) clear() {
	k := s.kernel
	s.keys, s.rows, s.inputs, s.aggregates = nil, nil, nil, nil
	for _, kind := range k.kinds {
		s.keys = append(s.keys, newKeySet(kind))
	}
	if len(k.kinds) == 2 {
		s.pairs = newPairSet()
	}
	for _, column := range k.inputs {
		s.inputs = append(s.inputs, aggregateInput{column: column})
	}
	for _, spec := range k.aggregates {
		s.aggregates = append(s.aggregates, newAccumulator(spec))
	}
}

func (s *groupState) close() { *s = groupState{} }

// A call that fails midway has taken part of its batch: the state then refuses everything but close.
func (s *groupState) enter(c *call) error {
	if s.broken {
		return c.fail(bridge.CodeInvalid, "an earlier call on this state failed")
	}
	s.broken = true
	return nil
}

func (s *groupState) consume(c *call, batch arrow.RecordBatch) error {
	if err := s.enter(c); err != nil {
		return err
	}
	s.watch(c.ctx)
	defer s.watch(nil)

	for i, position := range s.kernel.keys {
		s.columns[i].reset(storageData(batch.Column(position)))
	}
	for i := range s.inputs {
		input := &s.inputs[i]
		if input.column < 0 {
			input.valid = bitmap{length: int(batch.NumRows())}
		} else if !input.begin(storageData(batch.Column(input.column))) {
			return codeError(c, input.column)
		}
	}
	for i, aggregate := range s.aggregates {
		aggregate.begin(&s.inputs[s.kernel.inputOf[i]])
	}
	rows := int(batch.NumRows())
	for row := 0; row < rows; {
		if err := c.cancelled(); err != nil {
			return err
		}
		count := s.blockRows(row, rows)
		if err := s.consumeBlock(c, row, s.firsts[:count]); err != nil {
			return err
		}
		row += count
	}
	s.broken = false
	return nil
}

// watch makes the tables give up their growth when the context ends.
func (s *groupState) watch(ctx context.Context) {
	for i := range s.keys {
		s.keys[i].table.ctx = ctx
	}
	s.pairs.table.ctx = ctx
}

func codeError(c *call, column int) error {
	return c.failAt(bridge.CodeIndex, 0, column, "a dictionary index lies outside its dictionary")
}

// blockRows is how many rows come next.
func (s *groupState) blockRows(row, rows int) int {
	count := keyBlockRows
	for i := range s.columns {
		count = min(count, s.columns[i].blockRows(row, rows))
	}
	return count
}

func (s *groupState) consumeBlock(c *call, row int, groups []int32) error {
	for i := range s.keys {
		numbers := groups
		if i == 1 {
			numbers = s.seconds[:len(groups)]
		}
		if !s.keys[i].number(&s.columns[i], row, numbers, &s.scratch) {
			return codeError(c, s.kernel.keys[i])
		}
	}
	if err := s.pairGroups(c, groups); err != nil {
		return err
	}
	count := s.groupCount()
	s.rows = grown(s.rows, count, true)
	for _, group := range groups {
		s.rows[group]++
	}
	for i := range s.inputs {
		s.inputs[i].consume(row, groups, count)
	}
	for _, aggregate := range s.aggregates {
		aggregate.grow(count)
		aggregate.consume(row, groups)
	}
	return nil
}

// pairGroups turns the numbers of two keys, in groups and in seconds, into those of their pairs.
func (s *groupState) pairGroups(c *call, groups []int32) error {
	full := s.keys[0].full
	if len(s.keys) == 2 {
		full = full || s.keys[1].full
		if !full {
			s.pairs.number(groups, s.seconds[:len(groups)], s.keys[0].count, s.keys[1].count)
			full = s.pairs.full
		}
	}
	if full {
		return c.fail(bridge.CodeOverflow, "more groups than int32 can number")
	}
	return nil
}

func (s *groupState) groupCount() int {
	if len(s.keys) == 2 {
		return len(s.pairs.pairs)
	}
	return s.keys[0].count
}

func (s *groupState) merge(c *call, other state) error {
	from := other.(*groupState)
	if err := s.enter(c); err != nil {
		return err
	}
	if err := from.enter(c); err != nil {
		return err
	}
	to, err := s.mergeGroups(c, from)
	if err != nil {
		return err
	}
	count := s.groupCount()
	s.rows = grown(s.rows, count, true)
	for i, rows := range from.rows {
		s.rows[to[i]] += rows
	}
	for i := range s.inputs {
		s.inputs[i].merge(&from.inputs[i], to, count)
	}
	for i, aggregate := range s.aggregates {
		if err := c.cancelled(); err != nil {
			return err
		}
		aggregate.grow(count)
		aggregate.merge(from.aggregates[i], to)
	}
	from.clear()
	s.broken, from.broken = false, false
	return nil
}

// mergeGroups adds the groups of from in their order and gives the group here for each group there.
func (s *groupState) mergeGroups(c *call, from *groupState) ([]int32, error) {
	s.watch(c.ctx)
	defer s.watch(nil)

	to, err := s.keys[0].merge(c, &from.keys[0])
	if err != nil {
		return nil, err
	}
	if len(s.keys) == 1 {
		return to, s.pairGroups(c, nil)
	}
	second, err := s.keys[1].merge(c, &from.keys[1])
	if err != nil {
		return nil, err
	}
	groups := make([]int32, len(from.pairs.pairs))
	for begin := 0; begin < len(groups); begin += keyBlockRows {
		if err := c.cancelled(); err != nil {
			return nil, err
		}
		block := groups[begin:min(len(groups), begin+keyBlockRows)]
		for i, pair := range from.pairs.pairs[begin : begin+len(block)] {
			block[i] = to[pair>>32]
			s.seconds[i] = second[uint32(pair)]
		}
		if err := s.pairGroups(c, block); err != nil {
			return nil, err
		}
	}
	return groups, s.pairGroups(c, nil)
}

func (s *groupState) finish(c *call) ([]arrow.Array, int64, error) {
	if err := s.enter(c); err != nil {
		return nil, 0, err
	}
	var columns []arrow.Array
	for i := range s.keys {
		if err := c.cancelled(); err != nil {
			return columns, 0, err
		}
		made, err := s.keyColumn(c, i)
		if err != nil {
			return columns, 0, err
		}
		columns = append(columns, made)
	}
	for i, aggregate := range s.aggregates {
		if err := c.cancelled(); err != nil {
			return columns, 0, err
		}
		aggregate.grow(s.groupCount())
		made, err := aggregate.finish(c, s.inputs[s.kernel.inputOf[i]].counts(s.rows))
		if err != nil {
			return columns, 0, err
		}
		columns = append(columns, made)
	}
	rows := s.groupCount()
	s.clear()
	s.broken = false
	return columns, int64(rows), nil
}

// keyColumn makes the result column of one key, in group order.
func (s *groupState) keyColumn(c *call, i int) (arrow.Array, error) {
	set := &s.keys[i]
	numberOf := func(group int) int32 { return int32(group) }
	if len(s.keys) == 2 {
		numberOf = func(group int) int32 { return int32(uint32(s.pairs.pairs[group] >> (32 - 32*i))) }
	}
	rows := s.groupCount()
	counts := make([]int64, rows)
	for group := range counts {
		if numberOf(group) != set.null {
			counts[group] = 1
		}
	}
	valid := presentCounts(c, counts)
	if set.kind == keyText {
		return buildText(c, s.kernel.keyTypes[i], rows, valid, func(group int) []byte {
			return set.texts.at(numberOf(group))
		})
	}
	return buildIntegers(c, s.kernel.keyTypes[i], rows, valid, func(group int) uint64 {
		return set.keys[numberOf(group)]
	}), nil
}

// buildIntegers makes a column of a key type that is not text, from 64-bit keys that are 0 under a null.
func buildIntegers(
	c *call, result arrow.DataType, rows int, valid validity, at func(row int) uint64,
) arrow.Array {
	if result.ID() == arrow.BOOL {
		buffer := c.bitmap(rows)
		for row := range rows {
			buffer.Buf()[row>>3] |= byte(at(row)) << (row & 7)
		}
		return column(result, rows, valid, buffer)
	}
	width := result.(arrow.FixedWidthDataType).BitWidth() / 8
	buffer := c.buffer(rows * width)
	bytes := buffer.Bytes()
	for row := range rows {
		key := at(row)
		for i := range width {
			bytes[row*width+i] = byte(key >> (8 * i))
		}
	}
	return column(result, rows, valid, buffer)
}
