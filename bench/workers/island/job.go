// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tombolo-arrow/tombolo/bench/jobdata"
	"github.com/tombolo-arrow/tombolo/bench/protocol"
	"github.com/tombolo-arrow/tombolo/host/cmd/tombolo/flights"
	"github.com/tombolo-arrow/tombolo/host/cmd/tombolo/sink"
	"github.com/tombolo-arrow/tombolo/host/cmd/tombolo/source"
)

// job is the main job with its files, ready to run stage by stage.
type job struct {
	worker  *worker
	file    *os.File
	job     *flights.Job
	threads int
	events  []arrow.RecordBatch // in memory; what the island stage starts from
	joined  []arrow.RecordBatch // what it ends with
	result  *flights.Result
}

func (w *worker) prepareJob(c protocol.Case) (*protocol.Prepared, error) {
	files, err := jobdata.Find(c.Int("rows", 50_000))
	if err != nil {
		return nil, err
	}
	j := &job{worker: w, threads: c.Int("threads", 1)}
	if err := j.open(files); err != nil {
		j.close()
		return nil, err
	}
	if err := j.island(); err != nil {
		j.close()
		return nil, err
	}
	digest := j.digest()
	stages := map[string]func() error{"read": j.read, "island": j.island, "total": j.total, "write": j.write}
	run, ok := stages[c.What]
	if !ok {
		j.close()
		return nil, protocol.ErrUnsupported
	}
	switch c.What {
	case "read", "total":
		j.dropEvents()
		j.dropResults()
	case "island":
		j.dropResults()
	}
	crossings := w.crossings
	if c.What == "read" || c.What == "write" {
		// Nothing crosses in these stages, by design: the row would be void without a count.
		crossings = nil
	}
	return &protocol.Prepared{
		Rows: int64(c.Int("rows", 50_000)), Columns: 5, Digest: digest, Run: run, Crossings: crossings, Close: j.close,
	}, nil
}

func (j *job) open(files jobdata.Files) error {
	ctx := context.Background()
	allocator := j.worker.engine.Allocator()
	reference, err := source.ReadAllPath(ctx, files.Airports, source.Options{
		Columns: flights.ReferenceColumns, Allocator: allocator,
	})
	if err != nil {
		return err
	}
	defer releaseAll(reference)

	if j.file, err = os.Open(files.Events); err != nil {
		return err
	}
	if err := j.read(); err != nil {
		return err
	}
	j.job, err = flights.Prepare(ctx, j.worker.engine, j.events[0].Schema(), reference)
	return err
}

func (j *job) openEvents() (source.Stream, error) {
	return source.Open(j.file, source.Options{
		Columns: flights.EventColumns, Allocator: j.worker.engine.Allocator(),
	})
}

// read reads the events into memory.
func (j *job) read() error {
	j.dropEvents()
	stream, err := j.openEvents()
	if err != nil {
		return err
	}
	defer stream.Close()

	for {
		batch, err := stream.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		j.events = append(j.events, batch)
	}
}

// island computes joined batches and aggregates from the events in memory, and keeps them there.
func (j *job) island() error { return j.run(&replay{batches: j.events}) }

// total does the same from the file.
func (j *job) total() error {
	stream, err := j.openEvents()
	if err != nil {
		return err
	}
	defer stream.Close()

	return j.run(stream)
}

func (j *job) run(events flights.Source) (err error) {
	j.dropResults()
	keep := func(_ context.Context, joined arrow.RecordBatch) error {
		joined.Retain()
		j.joined = append(j.joined, joined)
		return nil
	}
	j.result, err = j.job.Run(context.Background(), events, flights.Options{
		Threads: j.threads, Consumers: []flights.Consumer{keep},
	})
	return err
}

// write writes the joined rows as CSV, Parquet and GeoArrow IPC.
func (j *job) write() (err error) {
	path, err := os.MkdirTemp("", "tombolo-bench-write")
	if err != nil {
		return err
	}
	defer os.RemoveAll(path)

	folder, err := sink.NewFolder(path)
	if err != nil {
		return err
	}
	defer folder.Abort()

	schema := flights.RowSchema(j.job.Schema())
	var writers []sink.Writer
	for name, open := range map[string]func(io.Writer, *arrow.Schema) (sink.Writer, error){
		"flights.csv": sink.NewCSV, "flights.parquet": sink.NewParquet, "flights.arrow": sink.NewIPC,
	} {
		file, err := folder.Create(name)
		if err != nil {
			return err
		}
		writer, err := open(file, schema)
		if err != nil {
			return err
		}
		writers = append(writers, writer)
	}
	for _, joined := range j.joined {
		rows, _ := flights.Rows(j.worker.engine.Allocator(), schema, joined)
		for _, writer := range writers {
			err = errors.Join(err, writer.Write(rows))
		}
		rows.Release()
	}
	for _, writer := range writers {
		err = errors.Join(err, writer.Close())
	}
	return err
}

func (j *job) digest() string {
	totals := jobdata.Totals{
		Rows: j.result.Rows, Delay: j.result.DelaySum, Distance: int64(j.result.DistanceSum), Agree: j.result.Agree,
	}
	states, cells, routes := j.result.Tables[flights.ByStateMonth].Batch, j.result.Tables[flights.ByCell].Batch,
		j.result.Tables[flights.ByRoute].Batch
	totals.StateMonths, totals.Cells, totals.Routes = states.NumRows(), cells.NumRows(), routes.NumRows()
	late, counts := reals(states, "late_percent"), wholes(states, "n")
	for i, percent := range late {
		totals.Late += int64(percent*float64(counts[i])/100 + 0.5)
	}
	for _, miles := range reals(states, "miles") {
		totals.Miles += miles
	}
	x, y := reals(cells, "centroid_x"), reals(cells, "centroid_y")
	for i, count := range wholes(cells, "n") {
		totals.X += x[i] * float64(count)
		totals.Y += y[i] * float64(count)
	}
	for _, mean := range reals(routes, "mean_delay") {
		totals.RouteDelay += mean
	}
	return totals.Digest()
}

func (j *job) dropEvents() {
	releaseAll(j.events)
	j.events = j.events[:0]
}

func (j *job) dropResults() {
	releaseAll(j.joined)
	j.joined = j.joined[:0]
	if j.result != nil {
		j.result.Release()
		j.result = nil
	}
}

func (j *job) close() {
	j.dropEvents()
	j.dropResults()
	if j.job != nil {
		j.job.Release()
	}
	if j.file != nil {
		_ = j.file.Close()
	}
}

// replay hands out batches that are in memory.
type replay struct {
	batches []arrow.RecordBatch
	next    int
}

func (r *replay) Next(context.Context) (arrow.RecordBatch, error) {
	if r.next == len(r.batches) {
		return nil, io.EOF
	}
	batch := r.batches[r.next]
	r.next++
	batch.Retain()
	return batch, nil
}

func releaseAll(batches []arrow.RecordBatch) {
	for _, batch := range batches {
		batch.Release()
	}
}

func reals(batch arrow.RecordBatch, name string) []float64 {
	return batch.Column(batch.Schema().FieldIndices(name)[0]).(*array.Float64).Float64Values()
}

func wholes(batch arrow.RecordBatch, name string) []int64 {
	return batch.Column(batch.Schema().FieldIndices(name)[0]).(*array.Int64).Int64Values()
}
