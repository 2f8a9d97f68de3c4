// SPDX-License-Identifier: Apache-2.0

package flights

import (
	"context"
	"errors"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
)

func TestPrepareRefuses(t *testing.T) {
	var utf8, integer arrow.DataType = arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64
	tests := []struct {
		name         string
		text, number arrow.DataType
		reference    []string
		want         error
	}{
		{"number as key", integer, integer, airports, ErrColumnType},
		{"text as delay", utf8, utf8, airports, ErrColumnType},
		{"duplicate", utf8, integer, append([]string{"AAA,XX,1,1"}, airports...), ErrDuplicate},
		{"coordinate", utf8, integer, []string{"AAA,XX,north,1"}, ErrReference},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			engine := openEngine(t)
			events := made(t, engine.Allocator(), test.text, test.number)
			reference := airportsBatch(t, engine.Allocator(), test.reference...)
			job, err := Prepare(context.Background(), engine, events.Schema(), reference)
			if err == nil {
				job.Release()
			}
			if !errors.Is(err, test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
		})
	}
}

// A source or a consumer that fails ends the run with its error, and leaves nothing out.
func TestRunFails(t *testing.T) {
	planned := errors.New("planned")
	failing := func(context.Context, arrow.RecordBatch) error { return planned }
	engine := openEngine(t)
	events := sampleEvents(t, engine.Allocator(), 1_000)
	job, err := Prepare(context.Background(), engine, events[0].Schema(),
		sampleReference(t, engine.Allocator()))
	if err != nil {
		t.Fatal(err)
	}
	defer job.Release()

	for _, threads := range []int{1, 4} {
		options := Options{Threads: threads, Consumers: []Consumer{failing}}
		_, err := job.Run(context.Background(), FromBatches(events), options)
		if !errors.Is(err, planned) {
			t.Errorf("%d threads: got %v, want the consumer's error", threads, err)
		}
		mixedTypes := append(events[:3:3], made(t, engine.Allocator(),
			arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int16, mixed...))
		_, err = job.Run(context.Background(), FromBatches(mixedTypes), Options{Threads: threads})
		if !errors.Is(err, ErrColumnType) {
			t.Errorf("%d threads: got %v, want ErrColumnType", threads, err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancelling := func(context.Context, arrow.RecordBatch) error { cancel(); return nil }
		options = Options{Threads: threads, Consumers: []Consumer{cancelling}}
		if _, err := job.Run(ctx, FromBatches(events), options); !errors.Is(err, context.Canceled) {
			t.Errorf("%d threads: got %v, want the context's error", threads, err)
		}
	}
}
