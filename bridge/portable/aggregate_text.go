// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"bytes"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tombolo-arrow/tombolo/bridge"
)

// textExtreme is min and max over text, compared by bytes.
type textExtreme struct {
	texts   textColumn
	codes   integerColumn
	isCoded bool
	valid   bitmap
	best    []textBest
	largest bool
	result  arrow.DataType
}

// textBest keeps the memory of a text for the next one.
type textBest struct {
	text []byte
	seen bool
}

func newTextExtreme(spec aggregateSpec) accumulator {
	return &textExtreme{largest: spec.function == "max", result: spec.result}
}

func (a *textExtreme) begin(input *aggregateInput) {
	a.valid, a.isCoded = input.valid, false
	switch {
	case input.data.Len() == 0:
		a.texts = textColumn{}
	case input.data.DataType().ID() == arrow.DICTIONARY:
		a.isCoded, a.codes = true, newCodes(input.data)
		a.texts = newTextColumn(input.data.Dictionary())
	default:
		a.texts = newTextColumn(input.data)
	}
}

func (a *textExtreme) grow(groups int) { a.best = grown(a.best, groups, true) }

func (a *textExtreme) consume(row int, groups []int32) {
	var code [1]uint64
	for i, group := range groups {
		if !a.valid.bit(row + i) {
			continue
		}
		at := row + i
		if a.isCoded {
			a.codes.keys(at, code[:])
			at = int(code[0])
		}
		a.add(group, a.texts.at(at))
	}
}

func (a *textExtreme) add(group int32, text []byte) {
	best := &a.best[group]
	if best.seen {
		order := bytes.Compare(text, best.text)
		if order == 0 || (order > 0) != a.largest {
			return
		}
	}
	best.text, best.seen = append(best.text[:0], text...), true
}

func (a *textExtreme) merge(other accumulator, to []int32) {
	for i, best := range other.(*textExtreme).best {
		if best.seen {
			a.add(to[i], best.text)
		}
	}
}

func (a *textExtreme) finish(c *call, counts []int64) (arrow.Array, error) {
	at := func(i int) []byte { return a.best[i].text }
	return buildText(c, a.result, len(counts), presentCounts(c, counts), at)
}

// buildText makes a column of type utf8 or large_utf8; at gives the text of a row, empty for a null one. It takes
// over the validity.
func buildText(
	c *call, result arrow.DataType, rows int, valid validity, at func(row int) []byte,
) (arrow.Array, error) {
	var total int64
	for row := range rows {
		total += int64(len(at(row)))
	}
	if result.ID() == arrow.STRING && total > math.MaxInt32 {
		if valid.bits != nil {
			valid.bits.Release()
		}
		return nil, c.fail(bridge.CodeOverflow, "more bytes of text than a utf8 column holds")
	}
	data := c.buffer(int(total))
	var offsets *memory.Buffer
	if result.ID() == arrow.STRING {
		offsets = putTexts[int32](c, rows, data.Bytes(), at)
	} else {
		offsets = putTexts[int64](c, rows, data.Bytes(), at)
	}
	return column(result, rows, valid, offsets, data), nil
}

func putTexts[T int32 | int64](c *call, rows int, data []byte, at func(row int) []byte) *memory.Buffer {
	buffer, offsets := values[T](c, rows+1)
	end := 0
	for row := range rows {
		end += copy(data[end:], at(row))
		offsets[row+1] = T(end)
	}
	return buffer
}
