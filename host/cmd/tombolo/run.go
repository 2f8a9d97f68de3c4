// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tombolo-arrow/tombolo/host"
	"github.com/tombolo-arrow/tombolo/host/cmd/tombolo/dataset"
	"github.com/tombolo-arrow/tombolo/host/cmd/tombolo/flights"
	"github.com/tombolo-arrow/tombolo/host/cmd/tombolo/source"
)

// errProof says that the known data did not add up to what is known of it.
var errProof = errors.New("the proof failed: the figures differ from those of the data")

type runCommand struct {
	Full      bool   `help:"Take all 3,000,000 flights (see scripts/data)."`
	Events    string `placeholder:"FILE" type:"path" help:"${events}"`
	Reference string `placeholder:"FILE" type:"path" help:"${reference}"`
	Data      string `placeholder:"DIR" type:"path" help:"Folder of the full data."`
	Bridge    string `enum:"auto,cgo,dlopen,portable" default:"auto" help:"Carrier: ${enum}."`
	SIMD      string `name:"simd" placeholder:"LEVEL" help:"${level}"`
	Threads   int    `placeholder:"N" help:"${threads}"`
	Batch     int    `default:"65536" help:"Rows of a batch at most."`
	Out       string `placeholder:"DIR" type:"path" help:"Write results into this folder."`
	Rows      int    `default:"5" help:"Rows of each table to print."`
	Stats     bool   `help:"Print rates, bytes copied, counters and the ledger."`
	Quiet     bool   `short:"q" help:"Print the proof alone."`

	times *kernelTimes // with Stats
}

// levels are what --simd takes.
var levels = []string{"max", "avx512", "avx2", "base"}

// helpTexts are what the texts above leave to the packages that know it.
func helpTexts() kong.Vars {
	return kong.Vars{
		"events": "Flights, columns " + strings.Join(flights.EventColumns, ", ") +
			": Parquet or Arrow IPC.",
		"reference": "Airports, columns " + strings.Join(flights.ReferenceColumns, ", ") +
			": Parquet, Arrow IPC or CSV.",
		"level": "Native level at most: " + strings.Join(levels, ", ") +
			"; default: " + host.SIMDLevelVariable + ", or max.",
		"threads": fmt.Sprintf("Goroutines, at most %d; default: one a processor.",
			flights.ThreadsMax),
	}
}

// Validate is called by kong.
func (c *runCommand) Validate() error {
	switch {
	case c.Full && (c.Events != "" || c.Reference != ""):
		return errors.New("--full stands for --events and --reference; give one or the other")
	case c.SIMD != "" && !slices.Contains(levels, c.SIMD):
		return fmt.Errorf("--simd must be one of %s", strings.Join(levels, ", "))
	case c.Threads < 0 || c.Threads > flights.ThreadsMax:
		return fmt.Errorf("--threads is 1 to %d", flights.ThreadsMax)
	case c.Batch < 1:
		return errors.New("--batch is at least 1")
	case c.Rows < 0:
		return errors.New("--rows is not negative")
	}
	return nil
}

// Run is the main job from end to end.
func (c *runCommand) Run(ctx context.Context, console console) (err error) {
	engine, err := host.Open(ctx, c.engineOptions()...)
	if err != nil {
		return err
	}
	defer func() {
		// A leak is reported only where nothing else went wrong.
		if closing := engine.Close(); err == nil {
			err = closing
		}
	}()
	events, err := c.openEvents(engine.Allocator())
	if err != nil {
		return err
	}
	defer events.Close()

	job, err := c.prepare(ctx, engine, events.Schema())
	if err != nil {
		return err
	}
	defer job.Release()

	output, err := newOutput(c.Out, engine.Allocator(), job.Schema(), c.Rows)
	if err != nil {
		return err
	}
	defer output.abort()

	bar := newProgress(console.report, events.Rows(), c.Quiet)
	result, err := job.Run(ctx, events, flights.Options{
		Threads:   c.threads(),
		Shape:     output.shape(),
		Consumers: append(output.consumers(), bar.consumer()),
	})
	bar.finish()
	if err != nil {
		return c.nameEvents(err)
	}
	defer result.Release()

	if err := output.commit(ctx, result); err != nil {
		return err
	}
	return c.print(console, engine, output, result)
}

// nameEvents puts the file of the events before an error of their values.
func (c *runCommand) nameEvents(err error) error {
	if refused := (*flights.ColumnError)(nil); c.Events != "" && errors.As(err, &refused) {
		return fmt.Errorf("%s: %w", c.Events, err)
	}
	return err
}

func (c *runCommand) engineOptions() []host.Option {
	var options []host.Option
	if c.SIMD != "" { // otherwise the environment variable holds
		options = append(options, host.SIMDLevel(c.SIMD))
	}
	if c.Bridge != "auto" {
		options = append(options, host.WithCarrier(c.Bridge))
	}
	if c.Stats {
		c.times = newKernelTimes()
		options = append(options, host.WithTelemetry(c.times))
	}
	return options
}

func (c *runCommand) threads() int {
	if c.Threads > 0 {
		return c.Threads
	}
	return min(runtime.GOMAXPROCS(0), flights.ThreadsMax)
}

// facts are what is known of the events, or nil of a user's file.
func (c *runCommand) facts() *dataset.Facts {
	switch {
	case c.Events != "" || c.Reference != "":
		return nil
	case c.Full:
		return &dataset.FullFacts
	}
	return &dataset.SampleFacts
}

func (c *runCommand) openEvents(allocator memory.Allocator) (source.Stream, error) {
	options := source.Options{
		Columns: flights.EventColumns, BatchRows: c.Batch, Allocator: allocator,
	}
	if c.Events != "" {
		return source.OpenPath(c.Events, options)
	}
	if !c.Full {
		return source.Open(dataset.SampleEvents(), options)
	}
	folder, err := c.dataFolder()
	if err != nil {
		return nil, err
	}
	path, err := dataset.Flights.Find(folder)
	if err != nil {
		return nil, err
	}
	if err := dataset.Flights.Check(path); err != nil {
		return nil, err
	}
	return source.OpenPath(path, options)
}

func (c *runCommand) dataFolder() (string, error) {
	if c.Data != "" {
		return filepath.Clean(c.Data), nil
	}
	return dataset.CacheFolder()
}

// prepare reads the reference and binds the job.
func (c *runCommand) prepare(
	ctx context.Context, engine *host.Engine, events *arrow.Schema,
) (*flights.Job, error) {
	batches, err := c.readReference(ctx, engine.Allocator())
	if err != nil {
		return nil, err
	}
	defer func() {
		for _, batch := range batches {
			batch.Release()
		}
	}()
	return flights.Prepare(ctx, engine, events, batches)
}

func (c *runCommand) readReference(
	ctx context.Context, allocator memory.Allocator,
) ([]arrow.RecordBatch, error) {
	options := source.Options{Columns: flights.ReferenceColumns, Allocator: allocator}
	if c.Reference != "" {
		return source.ReadAllPath(ctx, c.Reference, options)
	}
	// The airports of the full data are those of the sample.
	reader, err := dataset.SampleReference()
	if err != nil {
		return nil, err
	}
	batch, err := source.ReadCSV(ctx, reader, options)
	if err != nil {
		return nil, err
	}
	return []arrow.RecordBatch{batch}, nil
}
