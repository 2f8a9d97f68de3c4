// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tombolo-arrow/tombolo/bridge"
)

// touchKernels is the consumer of the crossing benchmark: it reads every field of every struct that
// a native consumer would see, and the first byte of each buffer.
func touchKernels() []kernel {
	return []kernel{{
		info: bridge.KernelInfo{Name: "touch", Kind: bridge.Accumulate, Inputs: 1},
		bind: func(*binding) (*bound, error) {
			return &bound{
				output: resultSchema(arrow.PrimitiveTypes.Int64),
				open:   func(*call) (state, error) { return &touchState{}, nil },
			}, nil
		},
	}}
}

type touchState struct{ sum int64 }

func (s *touchState) consume(_ *call, batch arrow.RecordBatch) error {
	// The struct of the batch itself: length, null count 0, offset 0, one buffer (NULL), its
	// children.
	s.sum += batch.NumRows() + 1 + batch.NumCols()
	for _, column := range batch.Columns() {
		s.sum += touchData(column.Data())
	}
	return nil
}

func (s *touchState) merge(_ *call, other state) error {
	from := other.(*touchState)
	s.sum, from.sum = s.sum+from.sum, 0
	return nil
}

func (s *touchState) finish(c *call) ([]arrow.Array, int64, error) {
	buffer, sums := values[int64](c, 1)
	sums[0], s.sum = s.sum, 0
	return []arrow.Array{column(arrow.PrimitiveTypes.Int64, 1, validity{}, buffer)}, 1, nil
}

func (s *touchState) close() {}

// touchData sums what the exporter writes for an array: see the layouts of the C Data Interface.
func touchData(data arrow.ArrayData) int64 {
	length, offset, nulls := int64(data.Len()), int64(data.Offset()), int64(data.NullN())
	buffers, children := data.Buffers(), data.Children()
	var variadic []*memory.Buffer
	switch storage := storageOf(data.DataType()); storage.ID() {
	case arrow.NULL:
		buffers, nulls = nil, length
	case arrow.RUN_END_ENCODED:
		buffers, nulls = nil, 0
	case arrow.SPARSE_UNION:
		buffers, nulls = buffers[1:2], 0
	case arrow.DENSE_UNION:
		buffers, nulls = buffers[1:3], 0
	case arrow.STRING_VIEW, arrow.BINARY_VIEW:
		variadic = buffers[2:]
		fallthrough
	default:
		if bitmap := buffers[0]; bitmap == nil || bitmap.Len() == 0 {
			nulls = 0
		}
	}
	if length == 0 {
		offset = 0
	}
	sum := length + nulls + offset + int64(len(buffers)+len(children))
	sum += touchBuffers(length, buffers)
	if isView(data.DataType()) {
		// The C form has one buffer more, the sizes of the variadic ones.
		sum++
		if len(variadic) > 0 && length > 0 {
			sum += int64(uint8(variadic[0].Len()))
		}
	}
	for _, child := range children {
		sum += touchData(child)
	}
	if dictionary, _ := data.Dictionary().(*array.Data); dictionary != nil {
		sum += touchData(dictionary)
	}
	return sum
}

// touchBuffers sums the first byte of every buffer of an array that has rows.
func touchBuffers(length int64, buffers []*memory.Buffer) int64 {
	if length == 0 {
		return 0
	}
	sum := int64(0)
	for _, buffer := range buffers {
		if buffer != nil && buffer.Len() > 0 {
			sum += int64(buffer.Bytes()[0])
		}
	}
	return sum
}

func isView(dataType arrow.DataType) bool {
	id := storageOf(dataType).ID()
	return id == arrow.STRING_VIEW || id == arrow.BINARY_VIEW
}
