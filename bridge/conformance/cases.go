// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/extensions"

	"github.com/tombolo-arrow/tombolo/bridge"
)

// Cases lists the cases. A carrier must pass all of them.
func Cases() []Case {
	return []Case{
		{"kernels", playKernels},
		{"touch every type", playTouch},
		{"run", playRun},
		{"options and objects", playOptions},
		{"states", playStates},
		{"dictionaries of extensions", playExtensionDictionaries},
		{"emitters", playEmitter},
		{"refusals", playRefusals},
		{"failures of kernels", playFailures},
		{"cancellation", playCancellation},
		{"misuse of states", playMisuse},
		{"misuse of objects", playObjects},
		{"close", playClose}, // the last one: the library is closed after it
	}
}

func (s *Script) batchOf(rows int, column func(i int) arrow.Array, types ...arrow.DataType) arrow.RecordBatch {
	fields, columns := make([]arrow.Field, len(types)), make([]arrow.Array, len(types))
	for i, typ := range types {
		fields[i] = arrow.Field{Name: fmt.Sprint("c", i), Type: typ, Nullable: true}
		columns[i] = column(i)
	}
	batch := array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, int64(rows))
	for _, column := range columns {
		column.Release()
	}
	s.Later(batch.Release)
	return batch
}

// integers makes a batch of one int64 column.
func (s *Script) integers(values ...int64) arrow.RecordBatch {
	builder := array.NewInt64Builder(s.Memory)
	defer builder.Release()
	builder.AppendValues(values, nil)
	return s.batchOf(len(values), func(int) arrow.Array { return builder.NewArray() }, arrow.PrimitiveTypes.Int64)
}

func (s *Script) slice(batch arrow.RecordBatch, start, end int64) arrow.RecordBatch {
	sliced := batch.NewSlice(start, end)
	s.Later(sliced.Release)
	return sliced
}

func schemas(batches ...arrow.RecordBatch) []*arrow.Schema {
	var list []*arrow.Schema
	for _, batch := range batches {
		list = append(list, batch.Schema())
	}
	return list
}

func playKernels(s *Script) {
	info := s.Library.Info()
	s.Write("library %s %s, ABI %d", info.Name, info.Version, info.ABI)
	kernels := s.Library.Kernels()
	if !slices.IsSortedFunc(kernels, func(a, b bridge.KernelInfo) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	}) {
		s.Write("kernels are not sorted by name")
	}
	for _, kernel := range kernels {
		s.Write("%+v", kernel)
	}
}

// playTouch sends every type, whole and sliced, to a kernel that sums what a C consumer would see of it.
func playTouch(s *Script) {
	for _, typ := range append(slices.Clone(LeafTypes), NestedTypes()...) {
		for _, nulls := range []float64{0, 0.3, 1} {
			batch := s.Batch(100, nulls, typ, arrow.PrimitiveTypes.Int8)
			bound := s.Bind("touch", schemas(batch))
			if bound == nil {
				continue
			}
			state, err := bound.NewState(s.Context)
			if err != nil {
				s.Fail("open", err)
				continue
			}
			for _, piece := range []arrow.RecordBatch{
				batch, s.slice(batch, 1, 90), s.slice(batch, 63, 100), s.slice(batch, 8, 8),
			} {
				if err := state.Consume(s.Context, piece); err != nil {
					s.Fail("consume", err)
				}
			}
			result, err := state.Finish(s.Context)
			s.Result(typ.String(), result, err)
			state.Close()
		}
	}
}

func playRun(s *Script) {
	for _, rows := range []int{0, 1, 63, 200} {
		batch := s.Batch(rows, 0.2, arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String, arrow.BinaryTypes.StringView,
			&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String})
		mask := s.Batch(rows, 0.2, arrow.FixedWidthTypes.Boolean)
		bound := s.Bind("filter", schemas(batch, mask))
		if bound == nil {
			return
		}
		result, err := bound.Run(s.Context, batch, mask)
		s.Result("filter", result, err)
		half := int64(rows / 2)
		result, err = bound.Run(s.Context, s.slice(batch, half, int64(rows)), s.slice(mask, half, int64(rows)))
		s.Result("filter of slices", result, err)
	}
}

// playOptions uses every kind of option.
func playOptions(s *Script) {
	numbers := s.integers(5, 6, 7, 8)
	set, err := s.Library.Prepare(s.Context, "value_set", s.integers(7, 5))
	if err != nil {
		s.Fail("prepare", err)
		return
	}
	s.Write("prepared a %s", set.Kind())
	if bound := s.Bind("index_in", schemas(numbers), bridge.Option{Name: "value_set", Value: set}); bound != nil {
		set.Release() // the bound kernel keeps what it needs
		set.Release()
		result, err := bound.Run(s.Context, numbers)
		s.Result("index_in", result, err)
	}
	points := s.Batch(10, 0.2, slices.Repeat([]arrow.DataType{arrow.PrimitiveTypes.Float64}, 4)...)
	radius := bridge.Option{Name: "radius", Value: 6371.0088}
	if bound := s.Bind("great_circle_distance", schemas(points), radius); bound != nil {
		result, err := bound.Run(s.Context, points)
		s.Result("great_circle_distance", result, err)
	}
	mask := s.Batch(4, 0.5, arrow.FixedWidthTypes.Boolean)
	drop := bridge.Option{Name: "null_selection", Value: "emit_null"}
	if bound := s.Bind("filter", schemas(numbers, mask), drop); bound != nil {
		result, err := bound.Run(s.Context, numbers, mask)
		s.Result("filter", result, err)
	}
}

func playStates(s *Script) {
	batch := s.Batch(150, 0.2, arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String, arrow.PrimitiveTypes.Float64)
	bound := s.Bind("group_by", schemas(batch), bridge.Option{Name: "key", Value: int64(0)},
		bridge.Option{Name: "aggregate", Value: "sum:2:total"}, bridge.Option{Name: "aggregate", Value: "count:-1:n"})
	if bound == nil {
		return
	}
	var states []bridge.State
	for range 2 {
		state, err := bound.NewState(s.Context)
		if err != nil {
			s.Fail("open", err)
			return
		}
		s.Later(state.Close)
		states = append(states, state)
	}
	bound.Release() // open states keep what they need
	s.Fail("first half", states[0].Consume(s.Context, s.slice(batch, 0, 70)))
	s.Fail("second half", states[1].Consume(s.Context, s.slice(batch, 70, 150)))
	s.Fail("merge", states[0].Merge(s.Context, states[1]))
	for i, state := range states {
		result, err := state.Finish(s.Context)
		s.Result(fmt.Sprint("state ", i), result, err)
	}
	result, err := states[0].Finish(s.Context)
	s.Result("finished twice", result, err)
}

// playExtensionDictionaries gives text whose dictionary is an extension of text to every kernel that takes text.
func playExtensionDictionaries(s *Script) {
	for _, storage := range []arrow.DataType{
		arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.StringView,
	} {
		batch := s.Batch(40, 0.2, &arrow.DictionaryType{
			IndexType: arrow.PrimitiveTypes.Int8, ValueType: extensions.NewOpaqueType(storage, "thing", "vendor"),
		})
		if bound := s.Bind("group_by", schemas(batch), bridge.Option{Name: "key", Value: int64(0)},
			bridge.Option{Name: "aggregate", Value: "max:0:last"}); bound != nil {
			result, err := s.aggregate(bound, batch)
			s.Result("group_by", result, err)
		}
		if bound := s.Bind("equal", schemas(s.pair(batch))); bound != nil {
			result, err := bound.Run(s.Context, s.pair(batch))
			s.Result("equal", result, err)
		}
		set, err := s.Library.Prepare(s.Context, "value_set", s.slice(batch, 0, 1))
		if s.Fail("value_set", err); err != nil {
			continue
		}
		s.Later(set.Release)
		if bound := s.Bind("index_in", schemas(batch), bridge.Option{Name: "value_set", Value: set}); bound != nil {
			result, err := bound.Run(s.Context, batch)
			s.Result("index_in", result, err)
		}
	}
}

// aggregate consumes one batch.
func (s *Script) aggregate(bound bridge.Bound, batch arrow.RecordBatch) (arrow.RecordBatch, error) {
	state, err := bound.NewState(s.Context)
	if err != nil {
		return nil, err
	}
	defer state.Close()

	if err := state.Consume(s.Context, batch); err != nil {
		return nil, err
	}
	return state.Finish(s.Context)
}

// pair makes a batch of a column beside itself.
func (s *Script) pair(batch arrow.RecordBatch) arrow.RecordBatch {
	column := batch.Column(0)
	return s.batchOf(column.Len(), func(int) arrow.Array {
		column.Retain()
		return column
	}, column.DataType(), column.DataType())
}

func playEmitter(s *Script) {
	batch := s.Batch(25, 0.2, arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String)
	if !slices.ContainsFunc(s.Library.Kernels(), func(k bridge.KernelInfo) bool { return k.Name == "rechunk" }) {
		s.Write("no emit kernel")
		return
	}
	bound := s.Bind("rechunk", schemas(batch), bridge.Option{Name: "rows", Value: int64(10)})
	if bound == nil {
		return
	}
	emitter, err := bound.NewEmitter(s.Context)
	if err != nil {
		s.Fail("open", err)
		return
	}
	s.Later(emitter.Close)
	for _, push := range []arrow.RecordBatch{batch, s.slice(batch, 20, 25), s.slice(batch, 3, 3), nil} {
		s.Fail("push", emitter.Push(s.Context, push))
		for {
			next, err := emitter.Next(s.Context)
			s.Result("next", next, err)
			if errors.Is(err, bridge.ErrNeedInput) || errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return
			}
		}
	}
	s.Fail("push after the end", emitter.Push(s.Context, batch))
	emitter.Close()
	s.Fail("push after close", emitter.Push(s.Context, batch))
	emitter.Close()
}

func playCancellation(s *Script) {
	batch := s.integers(1, 2, 3)
	bound := s.Bind("touch", schemas(batch))
	if bound == nil {
		return
	}
	state, err := bound.NewState(s.Context)
	if err != nil {
		s.Fail("open", err)
		return
	}
	s.Later(state.Close)
	ctx, cancel := context.WithCancel(s.Context)
	s.Fail("before", state.Consume(ctx, batch))
	cancel()
	s.Fail("after", state.Consume(ctx, batch))
	late, stop := context.WithTimeout(s.Context, -1)
	defer stop()
	s.Fail("deadline", state.Consume(late, batch))
	_, err = state.Finish(ctx)
	s.Fail("finish", err)
	result, err := state.Finish(s.Context)
	s.Result("one batch came in", result, err)
}
