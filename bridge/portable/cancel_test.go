// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/bridge/kerneltest"
)

// polledContext counts the looks at it and ends after so many, or never when ends is negative.
type polledContext struct {
	context.Context
	polls int
	ends  int
}

func (p *polledContext) Err() error {
	p.polls++
	if p.ends >= 0 && p.polls > p.ends {
		return context.Canceled
	}
	return nil
}

// cancelRows makes every bitmap twice pollBytes long.
const cancelRows = 8 * 2 * pollBytes

// passes is how often a kernel must look while it goes over a cancelRows column n times, at rowBytes each.
func passes(n, rowBytes int) int { return n * cancelRows * rowBytes / pollBytes }

type cancelCase struct {
	name    string
	kernel  string
	inputs  []arrow.RecordBatch // of an emit kernel, what is pushed one after another
	options []bridge.Option
	least   int // looks at the context
}

// cancelColumn has nulls: their loops must look too.
func cancelColumn(dataType arrow.DataType) arrow.Array {
	return kerneltest.Column(rand.New(rand.NewPCG(1, 2)), dataType, cancelRows, kerneltest.SomeNulls, 3)
}

// emptyTexts is a long column of empty texts, half of them null.
func emptyTexts(dataType arrow.DataType, buffers ...*memory.Buffer) arrow.Array {
	valid := make([]byte, cancelRows/8)
	for i := range valid {
		valid[i] = 0x55
	}
	buffers = append([]*memory.Buffer{memory.NewBufferBytes(valid)}, buffers...)
	data := array.NewData(dataType, cancelRows, buffers, nil, cancelRows/2, 0)
	defer data.Release()

	return array.MakeFromData(data)
}

// falseMask is a mask that keeps no row.
func falseMask() arrow.Array {
	bits := memory.NewBufferBytes(make([]byte, cancelRows/8))
	data := array.NewData(arrow.FixedWidthTypes.Boolean, cancelRows, []*memory.Buffer{nil, bits}, nil, 0, 0)
	defer data.Release()

	return array.MakeFromData(data)
}

// longDictionary is a short column over a long dictionary of bools, equal to each other but for the last value.
func longDictionary(last byte) arrow.Array {
	bits := make([]byte, cancelRows/8)
	bits[len(bits)-1] = last
	values := array.NewData(arrow.FixedWidthTypes.Boolean, cancelRows,
		[]*memory.Buffer{nil, memory.NewBufferBytes(bits)}, nil, 0, 0)
	defer values.Release()

	dataType := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.FixedWidthTypes.Boolean}
	data := array.NewDataWithDictionary(dataType, 1, []*memory.Buffer{nil, memory.NewBufferBytes(make([]byte, 4))},
		0, 0, values)
	defer data.Release()

	return array.MakeFromData(data)
}

func cancelCases(t *testing.T) []cancelCase {
	bools := inputBatch(t, cancelColumn(arrow.FixedWidthTypes.Boolean))
	bytes := inputBatch(t, cancelColumn(arrow.PrimitiveTypes.Int8))
	days := inputBatch(t, cancelColumn(arrow.FixedWidthTypes.Date32))
	offsets := memory.NewBufferBytes(make([]byte, 4*(cancelRows+1)))
	texts := inputBatch(t, emptyTexts(arrow.BinaryTypes.String, offsets, memory.NewBufferBytes(nil)))
	views := inputBatch(t, emptyTexts(arrow.BinaryTypes.StringView, memory.NewBufferBytes(make([]byte, 16*cancelRows))))
	none := inputBatch(t, falseMask())
	columnless := array.NewRecordBatch(arrow.NewSchema(nil, nil), nil, cancelRows)
	two := func(batch arrow.RecordBatch) []arrow.RecordBatch {
		return []arrow.RecordBatch{inputBatch(t, batch.Column(0), batch.Column(0))}
	}
	twice := func(batch arrow.RecordBatch) []arrow.RecordBatch { return []arrow.RecordBatch{batch, batch} }
	to := func(dataType arrow.DataType) []bridge.Option {
		return []bridge.Option{{Name: "to", Value: dataType}, {Name: "safe", Value: false}}
	}
	rows := []bridge.Option{{Name: "rows", Value: int64(2 * cancelRows)}}
	dictionaries := []arrow.RecordBatch{inputBatch(t, longDictionary(0)), inputBatch(t, longDictionary(1))}
	return []cancelCase{
		{"mask alone", "filter", []arrow.RecordBatch{columnless, bools}, nil, passes(1, 1)},
		{"bools", "filter", []arrow.RecordBatch{bools, bools}, nil, passes(3, 1)},
		{"int8", "filter", []arrow.RecordBatch{bytes, bools}, nil, passes(3, 1)},
		{"views by index", "filter", []arrow.RecordBatch{views, none}, nil, passes(2, 1)},
		{"int8", "equal", two(bytes), nil, passes(3, 1)},
		{"bools", "equal", two(bools), nil, passes(2, 1)},
		{"int8", "add_unchecked", two(bytes), nil, passes(4, 1)},
		{"int8 to int8", "cast", []arrow.RecordBatch{bytes}, to(arrow.PrimitiveTypes.Int8), passes(1, 8+1+1)},
		{"bool to bool", "cast", []arrow.RecordBatch{bools}, to(arrow.FixedWidthTypes.Boolean), passes(1, 8+1)},
		{"bool to int8", "cast", []arrow.RecordBatch{bools}, to(arrow.PrimitiveTypes.Int8), passes(2, 1)},
		{"date32", "month", []arrow.RecordBatch{days}, nil, passes(1, 8+1+8)},
		{"bools", "rechunk", twice(bools), rows, passes(4, 1)},
		{"int8", "rechunk", twice(bytes), rows, passes(6, 1)},
		{"texts", "rechunk", twice(texts), rows, passes(2, 8+1+8)},
		{"views", "rechunk", twice(views), rows, passes(2, 16+1)},
		{"dictionaries", "rechunk", dictionaries, rows, passes(3, 1)},
	}
}

func (c *cancelCase) run(ctx context.Context, library bridge.Library) error {
	background := context.Background()
	if c.kernel != "rechunk" {
		schemas := make([]*arrow.Schema, len(c.inputs))
		for i, input := range c.inputs {
			schemas[i] = input.Schema()
		}
		kernel, err := library.Bind(background, c.kernel, schemas, c.options...)
		if err != nil {
			return err
		}
		defer kernel.Release()

		result, err := kernel.Run(ctx, c.inputs...)
		if err == nil {
			result.Release()
		}
		return err
	}
	kernel, err := library.Bind(background, c.kernel, []*arrow.Schema{c.inputs[0].Schema()}, c.options...)
	if err != nil {
		return err
	}
	defer kernel.Release()

	emitter, err := kernel.NewEmitter(background)
	if err != nil {
		return err
	}
	defer emitter.Close()

	for _, input := range append(c.inputs[:len(c.inputs):len(c.inputs)], nil) {
		if err := emitter.Push(background, input); err != nil {
			return err
		}
	}
	result, err := emitter.Next(ctx)
	if err == nil {
		result.Release()
	}
	if errors.Is(err, io.EOF) {
		return errors.New("rechunk gave nothing")
	}
	return err
}

// TestKernelsLookAtTheContext counts the looks of a whole run, then ends the context before, among and at the last
// of them: each time the kernel says so and leaves no memory behind.
func TestKernelsLookAtTheContext(t *testing.T) {
	for _, c := range cancelCases(t) {
		t.Run(c.kernel+"/"+c.name, func(t *testing.T) {
			library := openChecked(t)
			whole := &polledContext{Context: context.Background(), ends: -1}
			if err := c.run(whole, library); err != nil {
				t.Fatal(err)
			}
			if whole.polls < c.least {
				t.Errorf("looked %d times, want at least %d", whole.polls, c.least)
			}
			for step := range 9 {
				ends := (whole.polls - 1) * step / 8
				ended := &polledContext{Context: context.Background(), ends: ends}
				if err := c.run(ended, library); !errors.Is(err, bridge.ErrCancelled) {
					t.Errorf("ended at look %d of %d: got error %v", ends, whole.polls, err)
				}
			}
		})
	}
}
