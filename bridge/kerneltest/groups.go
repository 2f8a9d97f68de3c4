// SPDX-License-Identifier: Apache-2.0

package kerneltest

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
)

// KeyPool is what the key columns of a test draw from, so that batches of one case share keys.
type KeyPool struct {
	Words   []string
	Numbers []uint64
}

// NewKeyPool draws a pool of about size distinct keys.
func NewKeyPool(random *rand.Rand, size int) *KeyPool {
	pool := &KeyPool{Words: TextWords(random, size), Numbers: make([]uint64, size)}
	for i := range pool.Numbers {
		pool.Numbers[i] = integerWord(random)
		if random.IntN(2) == 0 {
			pool.Numbers[i] = uint64(i)
		}
	}
	return pool
}

// Column makes a key column of a type of TextTypes or IntegerKeyTypes. The array is the caller's to release.
func (p *KeyPool) Column(random *rand.Rand, dataType arrow.DataType, rows int, nulls Nulls, offset int) arrow.Array {
	missing := func() bool { return nulls == AllNulls || (nulls == SomeNulls && random.IntN(7) == 0) }
	if slices.ContainsFunc(IntegerKeyTypes, func(t arrow.DataType) bool { return arrow.TypeEqual(t, dataType) }) {
		values := make([]*uint64, rows)
		for i := range values {
			if !missing() {
				values[i] = &p.Numbers[random.IntN(len(p.Numbers))]
			}
		}
		return IntegerKeys(dataType, values, offset)
	}
	words := p.Words
	// An index of 8 bits numbers few values.
	if coded, ok := dataType.(*arrow.DictionaryType); ok && coded.IndexType.ID() == arrow.INT8 {
		words = words[:min(len(words), 25)]
	}
	values := make([]*string, rows)
	for i := range values {
		if !missing() {
			values[i] = &words[random.IntN(len(words))]
		}
	}
	return TextKeys(random, dataType, values, offset)
}

// AggregateTypes are the columns that GroupBatch puts behind the keys.
var AggregateTypes = []arrow.DataType{
	arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Uint64, arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Float64,
	arrow.PrimitiveTypes.Float32, arrow.FixedWidthTypes.Boolean, arrow.BinaryTypes.String,
	arrow.BinaryTypes.LargeString, arrow.BinaryTypes.StringView,
	&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: arrow.BinaryTypes.LargeString},
	arrow.FixedWidthTypes.Timestamp_us, arrow.FixedWidthTypes.Date32, arrow.Null,
}

// GroupBatch makes a batch of key columns and, behind them, one column of each of AggregateTypes.
func (p *KeyPool) GroupBatch(random *rand.Rand, keyTypes []arrow.DataType, rows int, nulls Nulls) arrow.RecordBatch {
	offsets := []int{0, 0, 1, 7, 8, 63}
	var columns []arrow.Array
	for _, keyType := range keyTypes {
		columns = append(columns, p.Column(random, keyType, rows, nulls, offsets[random.IntN(len(offsets))]))
	}
	for _, dataType := range AggregateTypes {
		columns = append(columns, Column(random, dataType, rows, nulls, offsets[random.IntN(len(offsets))]))
	}
	return Batch(columns...)
}

// GroupAggregates gives every aggregate that the columns of GroupBatch take, as the options of group_by want them,
// in random order.
func GroupAggregates(random *rand.Rand, keys int) []string {
	functions := [][]string{
		{"sum", "mean", "min", "max"}, {"sum", "mean", "min", "max"}, {"sum", "mean", "min", "max"},
		{"sum", "mean", "min", "max"}, {"sum", "mean", "min", "max"}, {"count_if"}, {"min", "max"}, {"min", "max"},
		{"min", "max"}, {"min", "max"}, {"min", "max"}, {"min", "max"}, {},
	}
	aggregates := []string{"count:-1:all", "count_all:-1:all again"}
	for i, names := range functions {
		for _, name := range append(names, "count") {
			aggregates = append(aggregates, fmt.Sprintf("%s:%d:%s of %d", name, keys+i, name, i))
			if random.IntN(4) == 0 {
				aggregates = append(aggregates, fmt.Sprintf("%s:%d:%s of %d again", name, keys+i, name, i))
			}
		}
	}
	random.Shuffle(len(aggregates), func(i, j int) {
		aggregates[i], aggregates[j] = aggregates[j], aggregates[i]
	})
	return aggregates
}
