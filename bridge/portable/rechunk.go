// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tombolo-arrow/tombolo/bridge"
)

func rechunkKernels() []kernel {
	return []kernel{{info: bridge.KernelInfo{Name: "rechunk", Kind: bridge.Emit, Inputs: 1}, bind: bindRechunk}}
}

func bindRechunk(b *binding) (*bound, error) {
	rows, found, err := b.options.integer("rows")
	if err != nil {
		return nil, err
	}
	if !found || rows < 1 {
		return nil, b.fail(bridge.CodeInvalid, "the option rows is missing or below 1")
	}
	if err := b.selectable(0, b.inputs[0]); err != nil {
		return nil, err
	}
	return &bound{
		output: b.inputs[0],
		emit:   func(*call) (emitter, error) { return &rechunker{rows: rows}, nil },
	}, nil
}

// rechunker holds the rows that were pushed and not yet given out, as slices of their batches.
type rechunker struct {
	rows    int64
	pending []arrow.RecordBatch
	length  int64 // rows of pending
	ended   bool
}

func (r *rechunker) push(_ *call, batch arrow.RecordBatch) error {
	if batch == nil {
		r.ended = true
		return nil
	}
	if batch.NumRows() > 0 {
		batch.Retain()
		r.pending = append(r.pending, batch)
		r.length += batch.NumRows()
	}
	return nil
}

func (r *rechunker) next(c *call) ([]arrow.Array, int64, error) {
	rows := min(r.rows, r.length)
	switch {
	case rows == 0 && r.ended:
		return nil, 0, io.EOF
	case rows == 0 || (rows < r.rows && !r.ended):
		return nil, 0, bridge.ErrNeedInput
	}
	pieces := r.pieces(rows)
	defer releaseBatches(pieces)

	columns := make([]arrow.Array, pieces[0].NumCols())
	for i := range columns {
		parts := make([]arrow.ArrayData, len(pieces))
		for j, piece := range pieces {
			parts[j] = piece.Column(i).Data()
		}
		column, err := concatColumn(c, parts, i)
		if err != nil {
			return columns, 0, err
		}
		columns[i] = column
	}
	r.drop(rows)
	return columns, rows, nil
}

// pieces gives the first rows rows of what is pending. They stay pending until drop.
func (r *rechunker) pieces(rows int64) []arrow.RecordBatch {
	var pieces []arrow.RecordBatch
	for _, batch := range r.pending {
		if rows == 0 {
			break
		}
		n := min(rows, batch.NumRows())
		pieces = append(pieces, batch.NewSlice(0, n))
		rows -= n
	}
	return pieces
}

func (r *rechunker) drop(rows int64) {
	r.length -= rows
	for rows > 0 {
		first := r.pending[0]
		if first.NumRows() > rows {
			r.pending[0] = first.NewSlice(rows, first.NumRows())
			rows = 0
		} else {
			rows -= first.NumRows()
			r.pending = r.pending[1:]
		}
		first.Release()
	}
}

// batches implements batchKeeper.
func (r *rechunker) batches() []arrow.RecordBatch { return r.pending }

func (r *rechunker) close() {
	releaseBatches(r.pending)
	r.pending = nil
}

func releaseBatches(batches []arrow.RecordBatch) {
	for _, batch := range batches {
		batch.Release()
	}
}

// concatColumn joins columns of one type. position is that of the column, for an error.
func concatColumn(c *call, parts []arrow.ArrayData, position int) (arrow.Array, error) {
	rows := 0
	for _, part := range parts {
		rows += part.Len()
	}
	dataType := parts[0].DataType()
	form := layoutOf(dataType)
	if form.kind == layoutNull {
		return column(dataType, rows, validity{nulls: rows}), nil
	}
	valid, err := concatValidity(c, parts, rows)
	if err != nil {
		return nil, err
	}
	result := selected{validity: valid}
	switch form.kind {
	case layoutBits:
		result.buffers, err = concatBits(c, parts, rows)
	case layoutText32:
		result.buffers, err = concatText[int32](c, parts, rows, position)
	case layoutText64:
		result.buffers, err = concatText[int64](c, parts, rows, position)
	case layoutView:
		result.buffers, err = concatViews(c, parts, rows, position)
	default:
		result.buffers, err = concatFixed(c, parts, rows, form.width, result.validity)
	}
	if err != nil {
		result.release()
		return nil, err
	}
	if storageOf(dataType).ID() != arrow.DICTIONARY {
		return column(dataType, rows, result.validity, result.buffers...), nil
	}
	dictionary, err := mergeDictionaries(c, parts, result, position)
	if err != nil {
		result.release()
		return nil, err
	}
	defer dictionary.Release()
	return dictionaryColumn(dataType, rows, result.validity, result.buffers[0], dictionary), nil
}

// mergeDictionaries gives the one dictionary of the parts where they have one, else their distinct ones behind
// each other, and shifts the indices of the result to match.
func mergeDictionaries(c *call, parts []arrow.ArrayData, result selected, position int) (arrow.Array, error) {
	var distinct []arrow.ArrayData
	var starts []int // of each distinct one in the result
	shifts := make([]int, len(parts))
	total := 0
	for i, part := range parts {
		at, err := indexOfRows(c, distinct, part.Dictionary())
		if err != nil {
			return nil, err
		}
		if at == len(distinct) {
			distinct = append(distinct, part.Dictionary())
			starts = append(starts, total)
			total += part.Dictionary().Len()
		}
		shifts[i] = starts[at]
	}
	if len(distinct) == 1 {
		return array.MakeFromData(distinct[0]), nil
	}
	index := storageOf(parts[0].DataType()).(*arrow.DictionaryType).IndexType
	if uint64(total)-1 > indexMax(index) {
		return nil, c.failAt(bridge.CodeOverflow, 0, position, "the joined dictionary is too long for its indices")
	}
	if err := shiftIndices(c, parts, shifts, index, result); err != nil {
		return nil, err
	}
	return concatColumn(c, distinct, position)
}

// indexOfRows finds a dictionary among others by its rows; it gives len(all) where none is the same.
func indexOfRows(c *call, all []arrow.ArrayData, dictionary arrow.ArrayData) (int, error) {
	for at, one := range all {
		if same, err := sameRows(c, one, dictionary); same || err != nil {
			return at, err
		}
	}
	return len(all), nil
}

func indexMax(index arrow.DataType) uint64 {
	bits := index.(arrow.FixedWidthDataType).BitWidth()
	if arrow.IsSignedInteger(index.ID()) {
		bits--
	}
	return lowBits(bits)
}
