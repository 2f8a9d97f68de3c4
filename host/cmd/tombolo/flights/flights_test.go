// SPDX-License-Identifier: Apache-2.0

package flights

import (
	"fmt"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tombolo-arrow/tombolo/host"
	"github.com/tombolo-arrow/tombolo/host/cmd/tombolo/dataset"
	"github.com/tombolo-arrow/tombolo/host/cmd/tombolo/source"
)

func TestSampleAddsUp(t *testing.T) {
	engine := openEngine(t)
	events := sampleEvents(t, engine.Allocator(), source.BatchRowsDefault)
	found := runJob(t, engine, events, sampleReference(t, engine.Allocator()), 2)
	known := dataset.SampleFacts
	if found.Rows != known.Rows || found.Agree != known.Rows || found.Measured != known.Rows ||
		found.DelaySum != known.DelaySum || found.DistanceSum != float64(known.DistanceSum) {
		t.Errorf("got %d rows, %d agree, sums %d and %v; want %+v",
			found.Rows, found.Agree, found.DelaySum, found.DistanceSum, known)
	}
}

// The same bits for every carrier, level, number of threads and split into batches.
func TestSameBitsEveryWay(t *testing.T) {
	wanted := func() outcome {
		engine := openEngine(t, host.WithCarrier("portable"))
		return runJob(t, engine, sampleEvents(t, engine.Allocator(), 50_000),
			sampleReference(t, engine.Allocator()), 1)
	}()
	for _, variant := range variants() {
		for _, threads := range []int{1, 2, 7} {
			for _, rows := range []int{1_000, 65_536} {
				t.Run(fmt.Sprintf("%s/%d/%d", variant.name, threads, rows), func(t *testing.T) {
					engine := openEngine(t, variant.options...)
					found := runJob(t, engine, sampleEvents(t, engine.Allocator(), rows),
						sampleReference(t, engine.Allocator()), threads)
					if part := wanted.differs(found); part != "" {
						t.Errorf("%s differ", part)
					}
				})
			}
		}
	}
}

func TestZeroRows(t *testing.T) {
	for _, variant := range variants() {
		t.Run(variant.name, func(t *testing.T) {
			engine := openEngine(t, variant.options...)
			batch := made(t, engine.Allocator(),
				arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64)
			events := []arrow.RecordBatch{batch, batch}
			found := runJob(t, engine, events, airportsBatch(t, engine.Allocator()), 2)
			if found.Rows != 0 || found.Agree != 0 {
				t.Errorf("got %d rows, %d agree; want none", found.Rows, found.Agree)
			}
		})
	}
}
