// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tombolo-arrow/tombolo/bridge"
)

// takeViews gathers views. Long values move to one new data buffer, in row order, so that the result holds
// nothing of its input.
func takeViews(
	c *call, data arrow.ArrayData, rows indexRows, v validity, position int,
) ([]*memory.Buffer, error) {
	count := rows.length()
	valid, in := bitmapOf(v, count), slots[arrow.ViewHeader](data)
	viewBuffer, out := values[arrow.ViewHeader](c, count)
	total := 0
	err := takeBlocks(c, rows, func(begin int, index []int) error {
		for i, row := range index {
			if !valid.bit(begin + i) {
				continue
			}
			out[begin+i] = in[row]
			if !in[row].IsInline() {
				total += in[row].Len()
			}
		}
		return nil
	})
	if err == nil && total > math.MaxInt32 {
		err = c.failAt(bridge.CodeOverflow, 0, position, "the long text of the result is over 2 GiB")
	}
	if err != nil {
		viewBuffer.Release()
		return nil, err
	}
	if total == 0 {
		return []*memory.Buffer{viewBuffer}, nil
	}
	dataBuffer := c.buffer(total)
	heap := viewHeap{bytes: dataBuffer.Bytes()}
	if err := heap.move(c, out[:count], data.Buffers()[2:], 16+total/count); err != nil {
		viewBuffer.Release()
		dataBuffer.Release()
		return nil, err
	}
	return []*memory.Buffer{viewBuffer, dataBuffer}, nil
}

// viewHeap is the one buffer of long texts of a result, filled from the front.
type viewHeap struct {
	bytes []byte
	used  int
}

// move copies the texts of views from their sources and points the views at the copies.
func (h *viewHeap) move(c *call, views []arrow.ViewHeader, sources []*memory.Buffer, rowBytes int) error {
	return c.inBlocks(len(views), rowBytes, func(begin, end int) error {
		for i := begin; i < end; i++ {
			view := &views[i]
			if view.IsInline() {
				continue
			}
			from := sources[view.BufferIndex()].Bytes()[view.BufferOffset():]
			copy(h.bytes[h.used:], from[:view.Len()])
			view.SetIndexOffset(0, int32(h.used))
			h.used += view.Len()
		}
		return nil
	})
}
