// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tombolo-arrow/tombolo/bridge"
)

// playRefusals binds and runs what cannot be bound or run.
func playRefusals(s *Script) {
	batch := s.integers(1, 2, 3)
	good := schemas(batch)
	for _, step := range []struct {
		name    string
		kernel  string
		inputs  []*arrow.Schema
		options []bridge.Option
	}{
		{"unknown kernel", "no_such_kernel", good, nil},
		{"no inputs", "touch", nil, nil},
		{"too many inputs", "touch", schemas(batch, batch), nil},
		{"nil schema", "touch", []*arrow.Schema{nil}, nil},
		{"unknown option", "touch", good, []bridge.Option{{Name: "no such option", Value: true}}},
		{"option of an unknown kind", "touch", good, []bridge.Option{{Name: "x", Value: struct{}{}}}},
		{"wrong column type", "filter", schemas(batch, batch), nil},
		{"zero byte in an option", "group_by", good, []bridge.Option{
			{Name: "key", Value: int64(0)}, {Name: "aggregate", Value: "count:-1:a\x00b"},
		}},
		{"zero byte in the name of an option", "group_by", good, []bridge.Option{
			{Name: "key\x00", Value: int64(0)},
		}},
		{"two result columns of one name", "group_by", good, []bridge.Option{
			{Name: "key", Value: int64(0)},
			{Name: "aggregate", Value: "count:-1:n"}, {Name: "aggregate", Value: "sum:0:n"},
		}},
		{"option of the wrong kind", "group_by", good, []bridge.Option{{Name: "key", Value: "text"}}},
	} {
		_, err := s.Library.Bind(s.Context, step.kernel, step.inputs, step.options...)
		s.Fail(step.name, err)
	}
	_, err := s.Library.Prepare(s.Context, "batch", nil)
	s.Fail("object of a nil batch", err)
	_, err = s.Library.Prepare(s.Context, "batch\x00", batch)
	s.Fail("zero byte in the kind of an object", err)
	mask := s.Batch(3, 0, arrow.FixedWidthTypes.Boolean)
	bound := s.Bind("filter", schemas(batch, mask))
	if bound == nil {
		return
	}
	other := s.Batch(3, 0, arrow.BinaryTypes.String)
	for _, step := range []struct {
		name   string
		inputs []arrow.RecordBatch
	}{
		{"one input too few", []arrow.RecordBatch{batch}},
		{"one input too many", []arrow.RecordBatch{batch, mask, mask}},
		{"nil input", []arrow.RecordBatch{batch, nil}},
		{"second input of another type", []arrow.RecordBatch{batch, batch}},
		{"first input of another type", []arrow.RecordBatch{other, mask}},
		{"no columns", []arrow.RecordBatch{s.Batch(3, 0), mask}},
		{"lengths differ", []arrow.RecordBatch{batch, s.Batch(2, 0, arrow.FixedWidthTypes.Boolean)}},
	} {
		_, err := bound.Run(s.Context, step.inputs...)
		s.Fail(step.name, err)
	}
	_, err = bound.NewState(s.Context)
	s.Fail("state of a map kernel", err)
	_, err = bound.NewEmitter(s.Context)
	s.Fail("emitter of a map kernel", err)
	bound.Release()
	bound.Release()
	_, err = bound.Run(s.Context, batch, mask)
	s.Fail("run after release", err)
}

// playFailures makes kernels fail on values.
func playFailures(s *Script) {
	ones, zeros, lowest := s.integers(1, 1), s.integers(1, 0), s.integers(-1<<63, 1)
	for _, step := range []struct {
		kernel string
		left   arrow.RecordBatch
		right  arrow.RecordBatch
	}{
		{"divide", ones, zeros}, {"divide_unchecked", ones, zeros}, {"subtract", lowest, ones}, {"add", ones, ones},
	} {
		both := s.batchOf(2, func(i int) arrow.Array {
			column := []arrow.RecordBatch{step.left, step.right}[i].Column(0)
			column.Retain()
			return column
		}, arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Int64)
		bound := s.Bind(step.kernel, schemas(both))
		if bound == nil {
			continue
		}
		result, err := bound.Run(s.Context, both)
		s.Result(step.kernel, result, err)
	}
	object, err := s.Library.Prepare(s.Context, "batch", ones)
	if err != nil {
		s.Fail("prepare", err)
		return
	}
	s.Later(object.Release)
	indices := s.integers(1, 2)
	if bound := s.Bind("take", schemas(indices), bridge.Option{Name: "values", Value: object}); bound != nil {
		result, err := bound.Run(s.Context, indices)
		s.Result("take outside", result, err)
	}
	_, err = s.Library.Prepare(s.Context, "value_set", ones)
	s.Fail("value set with a duplicate", err)
}

func playMisuse(s *Script) {
	batch := s.integers(1, 2, 3)
	bound, other := s.Bind("touch", schemas(batch)), s.Bind("touch", schemas(batch))
	if bound == nil || other == nil {
		return
	}
	_, err := bound.Run(s.Context, batch)
	s.Fail("run of an accumulate kernel", err)
	state, err := bound.NewState(s.Context)
	if err != nil {
		s.Fail("open", err)
		return
	}
	foreign, err := other.NewState(s.Context)
	if err != nil {
		s.Fail("open", err)
		return
	}
	s.Fail("consume nil", state.Consume(s.Context, nil))
	s.Fail("consume another schema", state.Consume(s.Context, s.Batch(3, 0, arrow.BinaryTypes.String)))
	s.Fail("merge with itself", state.Merge(s.Context, state))
	s.Fail("merge with a state of another bound kernel", state.Merge(s.Context, foreign))
	foreign.Close()
	s.Fail("merge with a closed state", foreign.Merge(s.Context, state))
	state.Close()
	state.Close()
	s.Fail("consume after close", state.Consume(s.Context, batch))
	_, err = state.Finish(s.Context)
	s.Fail("finish after close", err)
}

func playObjects(s *Script) {
	batch := s.integers(1, 2, 3)
	object, err := s.Library.Prepare(s.Context, "batch", batch)
	if err != nil {
		s.Fail("prepare", err)
		return
	}
	_, err = s.Library.Bind(s.Context, "index_in", schemas(batch), bridge.Option{Name: "value_set", Value: object})
	s.Fail("object of the wrong kind", err)
	object.Release()
	object.Release()
	_, err = s.Library.Bind(s.Context, "take", schemas(batch), bridge.Option{Name: "values", Value: object})
	s.Fail("released object", err)
}

// playClose closes the library with a state open and a result alive.
func playClose(s *Script) {
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
	s.Fail("consume", state.Consume(s.Context, batch))
	result, err := state.Finish(s.Context)
	if err != nil {
		s.Fail("finish", err)
		return
	}
	s.Fail("close", s.Library.Close())
	s.Fail("close again", s.Library.Close())
	s.Fail("consume after close", state.Consume(s.Context, batch))
	_, err = bound.NewState(s.Context)
	s.Fail("state after close", err)
	_, err = s.Library.Bind(s.Context, "touch", schemas(batch))
	s.Fail("bind after close", err)
	_, err = s.Library.Prepare(s.Context, "batch", batch)
	s.Fail("prepare after close", err)
	s.Result("results stay valid", result, nil)
}
