// SPDX-License-Identifier: Apache-2.0

package flights

import (
	"context"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tombolo-arrow/tombolo/host/cmd/tombolo/dataset"
	"github.com/tombolo-arrow/tombolo/host/cmd/tombolo/source"
)

// joinedBytesMax bounds what the engine counts while all joined batches of the full data are kept.
// Native that the process stays below 1 GiB.
const joinedBytesMax = 1 << 30

// The full data, where it has been fetched: all of it agrees, and all joined batches fit in memory.
func TestFullData(t *testing.T) {
	folder, err := dataset.CacheFolder()
	if err != nil {
		t.Skip(err)
	}
	path, err := dataset.Flights.Find(folder)
	if err != nil {
		t.Skip(err)
	}
	engine := openEngine(t)
	stream, err := source.OpenPath(path, source.Options{
		Columns: EventColumns, Allocator: engine.Allocator(),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()

	ctx := context.Background()
	job, err := Prepare(ctx, engine, stream.Schema(), sampleReference(t, engine.Allocator()))
	if err != nil {
		t.Fatal(err)
	}
	defer job.Release()

	var joined []arrow.RecordBatch
	defer func() {
		for _, batch := range joined {
			batch.Release()
		}
	}()
	result, err := job.Run(ctx, stream, Options{
		Threads: 2,
		Consumers: []Consumer{func(_ context.Context, batch arrow.RecordBatch) error {
			batch.Retain()
			joined = append(joined, batch)
			return nil
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer result.Release()

	known := dataset.FullFacts
	routes := result.Tables[ByRoute].Batch.NumRows()
	if result.Rows != known.Rows || result.Agree != known.Rows || routes != int64(known.Routes) ||
		result.DelaySum != known.DelaySum || int64(result.DistanceSum) != known.DistanceSum {
		t.Errorf("got %+v and %d routes, want %+v", result, routes, known)
	}
	var bytes int64
	for _, entry := range engine.Ledger().Snapshot() {
		bytes += entry.Bytes
	}
	if bytes > joinedBytesMax {
		t.Errorf("the engine holds %d bytes, at most %d", bytes, joinedBytesMax)
	}
	t.Logf("%d bytes held, %+v", bytes, result.Stats)
}
