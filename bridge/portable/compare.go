// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tombolo-arrow/tombolo/bridge"
)

// comparison is one of the three loops that the six kernels come down to.
type comparison uint8

const (
	compareEqual comparison = iota
	compareLess
	compareLessEqual
)

// comparisonKernel says how a kernel comes down to a comparison: a > b is b < a, and a != b is not a == b.
// Negating an order would be wrong for NaN.
type comparisonKernel struct {
	name   string
	op     comparison
	swap   bool
	negate bool
}

var comparisonKernels = []comparisonKernel{
	{name: "equal", op: compareEqual},
	{name: "not_equal", op: compareEqual, negate: true},
	{name: "less", op: compareLess},
	{name: "less_equal", op: compareLessEqual},
	{name: "greater", op: compareLess, swap: true},
	{name: "greater_equal", op: compareLessEqual, swap: true},
}

func compareKernels() []kernel {
	kernels := make([]kernel, 0, len(comparisonKernels))
	for _, k := range comparisonKernels {
		kernels = append(kernels, kernel{
			info: bridge.KernelInfo{Name: k.name, Kind: bridge.Map, Inputs: 1},
			bind: func(b *binding) (*bound, error) { return bindCompare(b, k) },
		})
	}
	return kernels
}

func bindCompare(b *binding, k comparisonKernel) (*bound, error) {
	pair, err := b.operandPair(comparable128)
	if err != nil {
		return nil, err
	}
	return &bound{
		output: resultSchema(arrow.FixedWidthTypes.Boolean),
		run: func(c *call, inputs []arrow.RecordBatch) ([]arrow.Array, int64, error) {
			batch := inputs[0]
			left, right := pair.of(batch)
			result, err := compareOperands(c, k, left, right, int(batch.NumRows()))
			return []arrow.Array{result}, batch.NumRows(), err
		},
	}, nil
}

// resultSchema is the schema of most results: one nullable field.
func resultSchema(dataType arrow.DataType) *arrow.Schema {
	return arrow.NewSchema([]arrow.Field{{Name: "result", Type: dataType, Nullable: true}}, nil)
}

// comparable128 says whether a type has an order that the comparison kernels know.
func comparable128(dataType arrow.DataType) bool {
	switch dataType.ID() {
	case arrow.FLOAT32, arrow.FLOAT64, arrow.BOOL, arrow.TIMESTAMP, arrow.DATE32, arrow.DATE64, arrow.TIME32,
		arrow.TIME64, arrow.DURATION, arrow.DECIMAL128:
		return true
	}
	return arrow.IsInteger(dataType.ID()) || isBytes(dataType)
}

// isBytes says whether values are compared byte by byte.
func isBytes(dataType arrow.DataType) bool {
	switch dataType.ID() {
	case arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW, arrow.BINARY, arrow.LARGE_BINARY, arrow.BINARY_VIEW,
		arrow.FIXED_SIZE_BINARY:
		return true
	}
	return false
}

// operand is one side of a binary kernel: a column, or one row that stands for every row.
type operand struct {
	data   arrow.ArrayData
	scalar bool
}

// null says whether the operand is a scalar that is null. A column may not know its null count yet.
func (o operand) null() bool { return o.scalar && !validBits(o.data).bit(0) }

// operandPair is where a binary kernel finds its operands: two columns, or one and a prepared scalar.
type operandPair struct {
	dataType arrow.DataType // of the values, dictionary and extension taken off
	scalar   arrow.ArrayData
	encoded  int // the first dictionary column, -1 where there is none
}

func (p operandPair) of(batch arrow.RecordBatch) (left, right operand) {
	left = operand{data: batch.Column(0).Data()}
	if p.scalar != nil {
		return left, operand{data: p.scalar, scalar: true}
	}
	return left, operand{data: batch.Column(1).Data()}
}

// operandPair checks the operands of a binary kernel.
func (b *binding) operandPair(accept func(arrow.DataType) bool) (operandPair, error) {
	pair := operandPair{encoded: -1}
	given, found, err := b.options.object("right", "batch")
	if err != nil {
		return pair, err
	}
	count := 2
	if found {
		count = 1
	}
	if err := b.columns(0, count); err != nil {
		return pair, err
	}
	pair.dataType = valueType(b.inputs[0].Field(0).Type)
	if !accept(pair.dataType) {
		return pair, b.failAt(bridge.CodeType, 0, 0, "")
	}
	var right arrow.DataType
	if found {
		batch := given.(*batchObject).batch
		if batch.NumCols() != 1 || batch.NumRows() != 1 {
			return pair, b.fail(bridge.CodeInvalid, "the option right takes one row of one column")
		}
		pair.scalar = batch.Column(0).Data()
		right = batch.Schema().Field(0).Type
	} else {
		right = b.inputs[0].Field(1).Type
	}
	if !arrow.TypeEqual(pair.dataType, valueType(right)) {
		return pair, b.failAt(bridge.CodeType, 0, count-1, "the operands have different types")
	}
	if storageOf(right).ID() == arrow.DICTIONARY {
		pair.encoded = count - 1
	}
	if storageOf(b.inputs[0].Field(0).Type).ID() == arrow.DICTIONARY {
		pair.encoded = 0
	}
	return pair, nil
}

// valueType takes extension and dictionary off a type.
func valueType(dataType arrow.DataType) arrow.DataType {
	dataType = storageOf(dataType)
	if dictionary, ok := dataType.(*arrow.DictionaryType); ok {
		return storageOf(dictionary.ValueType)
	}
	return dataType
}

func isDictionary(data arrow.ArrayData) bool {
	return storageOf(data.DataType()).ID() == arrow.DICTIONARY
}

// compareOperands gives a bool column. Dictionary columns are decoded first, but against a scalar each dictionary
// value is compared once and the answers are gathered.
func compareOperands(c *call, k comparisonKernel, left, right operand, rows int) (arrow.Array, error) {
	right, releaseRight, err := decoded(c, right)
	if err != nil {
		return nil, err
	}
	defer releaseRight()

	if right.scalar && isDictionary(left.data) && left.data.Dictionary().Len() <= rows {
		entries := operand{data: left.data.Dictionary()}
		answers, err := comparePlain(c, k, entries, right, entries.data.Len())
		if err != nil {
			return nil, err
		}
		defer answers.Release()

		return takeIndices(c, answers.Data(), left.data)
	}
	left, releaseLeft, err := decoded(c, left)
	if err != nil {
		return nil, err
	}
	defer releaseLeft()

	return comparePlain(c, k, left, right, rows)
}

// decoded replaces a dictionary column by its values.
func decoded(c *call, o operand) (operand, func(), error) {
	if !isDictionary(o.data) {
		return o, func() {}, nil
	}
	values, err := takeIndices(c, o.data.Dictionary(), o.data)
	if err != nil {
		return o, nil, err
	}
	o.data = values.Data()
	return o, values.Release, nil
}

// takeIndices gathers the rows of values that a dictionary column points at.
func takeIndices(c *call, values, encoded arrow.ArrayData) (arrow.Array, error) {
	index := storageOf(encoded.DataType()).(*arrow.DictionaryType).IndexType
	data := array.NewData(index, encoded.Len(), encoded.Buffers()[:2], nil, encoded.NullN(), encoded.Offset())
	defer data.Release()

	rows := indexRowsOf(data)
	if err := rows.check(c, uint64(values.Len()), 0); err != nil {
		return nil, err
	}
	return takeColumn(c, values, rows, 0)
}

func comparePlain(c *call, k comparisonKernel, left, right operand, rows int) (arrow.Array, error) {
	boolean := arrow.FixedWidthTypes.Boolean
	if right.null() {
		return column(boolean, rows, c.nothing(rows), c.bitmap(rows)), nil
	}
	source := wordSourceOf(k.op, left, right)
	if k.swap {
		source = wordSourceOf(k.op, right, left)
	}
	valid, err := c.operandValidity(rows, left, right)
	if err != nil {
		return nil, err
	}
	present := bitmapOf(valid, rows)
	buffer := c.bitmap(rows)
	err = c.inBlocks(rows, source.rowBytes(), func(begin, end int) error {
		for i := begin; i < end; i += wordRows {
			w := source.word(i, min(wordRows, end-i))
			if k.negate {
				w = ^w
			}
			putWord(buffer.Buf(), i, w&present.word(i))
		}
		return nil
	})
	if err != nil {
		selected{validity: valid, buffers: []*memory.Buffer{buffer}}.release()
		return nil, err
	}
	return column(boolean, rows, valid, buffer), nil
}

// nothing is the validity of a column of nulls.
func (c *call) nothing(rows int) validity {
	if rows == 0 {
		return validity{}
	}
	return validity{bits: c.bitmap(rows), nulls: rows}
}

// operandValidity gives the rows where both sides are there; a scalar without null does not count.
func (c *call) operandValidity(rows int, operands ...operand) (validity, error) {
	var columns []arrow.ArrayData
	for _, o := range operands {
		if !o.scalar && o.data.NullN() != 0 {
			columns = append(columns, o.data)
		}
	}
	if len(columns) == 0 {
		return validity{}, nil
	}
	buffer, set := c.bitmap(rows), 0
	first, second := validBits(columns[0]), bitmap{length: rows}
	if len(columns) > 1 {
		second = validBits(columns[1])
	}
	err := c.inBlocks(rows, 1, func(begin, end int) error {
		for i := begin; i < end; i += wordRows {
			w := first.word(i) & second.word(i)
			set += onesCount(w)
			putWord(buffer.Buf(), i, w)
		}
		return nil
	})
	if err != nil || set == rows {
		buffer.Release()
		return validity{}, err
	}
	return validity{bits: buffer, nulls: rows - set}, nil
}
