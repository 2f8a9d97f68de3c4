// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tombolo-arrow/tombolo/bridge"
)

// touchKernels is the consumer of the crossing benchmark: it reads every field of every struct that
// a native consumer would see, and the first byte of each buffer.
func touchKernels() []kernel {
	return []kernel{{
		info: bridge.KernelInfo{Name: "touch", Kind: bridge.Accumulate, Inputs: 1},
		bind: func(*binding) (*bound, error) {
			field := arrow.Field{Name: "result", Type: arrow.PrimitiveTypes.Int64}
			return &bound{
				output: arrow.NewSchema([]arrow.Field{field}, nil),
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

func touchData(data arrow.ArrayData) int64 {
	buffers, children := data.Buffers(), data.Children()
	sum := int64(data.Len()) + int64(data.NullN()) + int64(data.Offset())
	sum += int64(len(buffers)) + int64(len(children))
	switch data.DataType().ID() {
	case arrow.STRING_VIEW, arrow.BINARY_VIEW:
		sum++ // the buffer of variadic sizes, which only the C struct has
	}
	for _, buffer := range buffers {
		if buffer != nil && buffer.Len() > 0 {
			sum += int64(buffer.Bytes()[0])
		}
	}
	for _, child := range children {
		sum += touchData(child)
	}
	if data.DataType().ID() == arrow.DICTIONARY {
		sum += touchData(data.Dictionary())
	}
	return sum
}
