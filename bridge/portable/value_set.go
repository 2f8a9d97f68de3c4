// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tombolo-arrow/tombolo/bridge"
)

func valueSetKinds() []objectKind {
	return []objectKind{{name: "value_set", prepare: prepareValueSet}}
}

// valueSet is the object kind "value_set". The number of a key in the set is its row in the batch.
type valueSet struct {
	set      keySet
	unsigned bool // the keys are uint64: those with the top bit set are large, not negative
}

func (v *valueSet) release() {}

func prepareValueSet(c *call, batch arrow.RecordBatch, _ *options) (object, error) {
	if batch.NumCols() != 1 {
		return nil, c.failAt(bridge.CodeInvalid, 0, -1, "the object takes one column")
	}
	data := storageData(batch.Column(0))
	if !isSetType(data.DataType()) {
		return nil, c.failAt(bridge.CodeType, 0, 0, "a value set is of integers or text")
	}
	value := &valueSet{
		set:      newKeySet(keyKindOf(data.DataType())),
		unsigned: data.DataType().ID() == arrow.UINT64,
	}
	if err := value.set.reserve(c, data.Len()); err != nil {
		return nil, err
	}
	var (
		column  keyColumn
		scratch [keyBlockRows]uint64
		numbers [keyBlockRows]int32
	)
	column.reset(data)
	for row := 0; row < data.Len(); {
		if err := c.cancelled(); err != nil {
			return nil, err
		}
		block := numbers[:column.blockRows(row, data.Len())]
		if !value.set.number(&column, row, block, &scratch) {
			return nil, c.failAt(bridge.CodeIndex, 0, 0, "a dictionary index lies outside its dictionary")
		}
		if value.set.full {
			return nil, c.failAt(bridge.CodeOverflow, 0, 0, "more values than int32 can number")
		}
		for i, number := range block {
			if int(number) != row+i {
				return nil, c.failAt(bridge.CodeInvalid, 0, 0, "the values are not distinct")
			}
		}
		row += len(block)
	}
	return value, nil
}

// isSetType says whether a column may be looked up in a value set.
func isSetType(t arrow.DataType) bool { return arrow.IsInteger(t.ID()) || isText(t) }
