// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tombolo-arrow/tombolo/bridge"
)

func indexInKernels() []kernel {
	return []kernel{{
		info: bridge.KernelInfo{Name: "index_in", Kind: bridge.Map, Inputs: 1},
		bind: bindIndexIn,
	}}
}

// indexIn is index_in bound to a set and a column type.
type indexIn struct {
	set *valueSet
	// signs says that one side is uint64 and the other is not: a key with the top bit set then is a large
	// number on one side and a negative one on the other, never the same.
	signs bool
}

func bindIndexIn(b *binding) (*bound, error) {
	if err := b.columns(0, 1); err != nil {
		return nil, err
	}
	columnType, err := b.column(0, 0)
	if err != nil {
		return nil, err
	}
	columnType = storageOf(columnType)
	given, found, err := b.options.object("value_set", "value_set")
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, b.fail(bridge.CodeInvalid, "missing option: value_set")
	}
	set := given.(*valueSet)
	if !isSetType(columnType) || keyKindOf(columnType) != set.set.kind {
		return nil, b.failAt(bridge.CodeType, 0, 0, "the column is not of the set's kind")
	}
	k := &indexIn{set: set}
	k.signs = set.set.kind == keyInteger && set.unsigned != (columnType.ID() == arrow.UINT64)
	output := arrow.NewSchema([]arrow.Field{
		{Name: "result", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
	}, nil)
	return &bound{output: output, run: k.run}, nil
}

func (k *indexIn) run(c *call, inputs []arrow.RecordBatch) ([]arrow.Array, int64, error) {
	var (
		keys    keyColumn
		scratch [keyBlockRows]uint64
	)
	rows := int(inputs[0].NumRows())
	keys.reset(storageData(inputs[0].Column(0)))
	buffer, positions := values[int32](c, rows)
	for row := 0; row < rows; {
		if err := c.cancelled(); err != nil {
			buffer.Release()
			return nil, 0, err
		}
		block := positions[row : row+keys.blockRows(row, rows)]
		if !k.find(&keys, row, block, &scratch) {
			buffer.Release()
			return nil, 0, c.failAt(bridge.CodeIndex, 0, 0, "a dictionary index lies outside its dictionary")
		}
		row += len(block)
	}
	valid := missingAsNull(c, positions)
	return []arrow.Array{column(arrow.PrimitiveTypes.Int32, rows, valid, buffer)}, int64(rows), nil
}

// find fills positions for the rows from row on, -1 for what is not in the set. It returns false for a
// dictionary code outside its dictionary.
func (k *indexIn) find(column *keyColumn, row int, positions []int32, scratch *[keyBlockRows]uint64) bool {
	set := &k.set.set
	block := scratch[:len(positions)]
	switch {
	case column.kind == keyInteger:
		column.integers.keys(row, block)
		k.findIntegers(column.integers.valid, row, block, positions)
	case column.isCoded:
		return column.numberCodes(row, block, positions, func() int32 { return set.null }, k.findValue)
	default:
		column.texts.tags(row, block, &set.table.seeds)
		k.findTexts(&column.texts, row, block, positions)
	}
	return true
}

func (k *indexIn) findIntegers(valid bitmap, row int, keys []uint64, positions []int32) {
	set := &k.set.set
	for i, key := range keys {
		positions[i] = set.table.find(key)
		if k.signs && int64(key) < 0 {
			positions[i] = -1
		}
	}
	if valid.bytes == nil {
		return
	}
	for i := range positions {
		if !valid.bit(row + i) {
			positions[i] = set.null
		}
	}
}

func (k *indexIn) findTexts(column *textColumn, row int, tags []uint64, positions []int32) {
	set := &k.set.set
	for i, tag := range tags {
		switch {
		case !column.valid.bit(row + i):
			positions[i] = set.null
		case tag&textLong == 0:
			positions[i] = set.table.find(tag)
		default:
			positions[i] = set.table.findText(tag, column.at(row+i), &set.texts)
		}
	}
}

// findValue finds one text of a dictionary.
func (k *indexIn) findValue(values *textColumn, at int) int32 {
	set := &k.set.set
	if !values.valid.bit(at) {
		return set.null
	}
	text := values.at(at)
	return set.table.findText(tagOf(text, &set.table.seeds), text, &set.texts)
}

// missingAsNull turns every -1 into a null over a zero.
func missingAsNull(c *call, positions []int32) validity {
	missing := 0
	for _, position := range positions {
		missing += int(uint32(position) >> 31)
	}
	if missing == 0 {
		return validity{}
	}
	found := c.bitmap(len(positions))
	for i, position := range positions {
		if position < 0 {
			positions[i] = 0
		} else {
			found.Buf()[i>>3] |= 1 << (i & 7)
		}
	}
	return validity{bits: found, nulls: missing}
}
