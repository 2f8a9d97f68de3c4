// SPDX-License-Identifier: Apache-2.0

package kerneltest

import (
	"context"
	"errors"
	"io"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tombolo-arrow/tombolo/bridge"
)

// CheckEmit pushes the batches into an emit kernel on every carrier, taking results as soon as there are any, and
// reports where one differs from the reference.
func (s *Suite) CheckEmit(t Reporter, kernel string, batches []arrow.RecordBatch, options ...bridge.Option) {
	t.Helper()
	want, err := emitted(s.reference, kernel, batches, options)
	if err != nil {
		t.Errorf("portable: %v", err)
		return
	}
	defer release(want)

	for _, other := range s.others {
		got, err := emitted(other.library, kernel, batches, options)
		if err != nil || len(got) != len(want) {
			t.Errorf("%s: %d batches and error %v, want %d batches", other.name, len(got), err, len(want))
			release(got)
			continue
		}
		for i := range want {
			CheckShape(t, want[i])
			checkResult(t, other.name, got[i], want[i], nil)
		}
		release(got)
	}
}

func release(batches []arrow.RecordBatch) {
	for _, batch := range batches {
		batch.Release()
	}
}

func emitted(
	library bridge.Library, kernel string, batches []arrow.RecordBatch, options []bridge.Option,
) ([]arrow.RecordBatch, error) {
	ctx := context.Background()
	bound, err := library.Bind(ctx, kernel, []*arrow.Schema{batches[0].Schema()}, options...)
	if err != nil {
		return nil, err
	}
	defer bound.Release()

	emitter, err := bound.NewEmitter(ctx)
	if err != nil {
		return nil, err
	}
	defer emitter.Close()

	var results []arrow.RecordBatch
	for pushed := 0; ; {
		result, err := emitter.Next(ctx)
		switch {
		case errors.Is(err, io.EOF):
			return results, nil
		case err == nil:
			results = append(results, result)
			continue
		case !errors.Is(err, bridge.ErrNeedInput):
			return results, err
		}
		var batch arrow.RecordBatch
		if pushed < len(batches) {
			batch = batches[pushed]
		}
		pushed++
		if err := emitter.Push(ctx, batch); err != nil {
			return results, err
		}
	}
}
