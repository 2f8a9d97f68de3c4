// SPDX-License-Identifier: Apache-2.0

// Package flights is the main job: flights joined twice to airports, checked against the distance
// column, reprojected, and aggregated three ways.
//
// The work is a list of kernel calls ([steps]) and three grouped aggregates, bound once to the
// types of the events and then run on one batch after another. The package reads and writes no file
// and starts no engine: [Job.Run] takes a stream of batches and hands on joined ones, so that a
// benchmark can drive reading, island and writing apart. It is part of the command and under no
// promise of compatibility.
package flights

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tombolo-arrow/tombolo/host"
)

// Sentinels for errors.Is.
var (
	ErrColumnType = errors.New("column has the wrong type")
	ErrDuplicate  = errors.New("reference: a key appears more than once; " +
		"each iata must be in the reference at most once")
	ErrReference = errors.New("reference: a coordinate is not a number")
)

// ColumnError says which column of the events, or of what is computed from them, has a value that a
// kernel refuses.
type ColumnError struct {
	Column string
	Err    error
}

func (e *ColumnError) Error() string { return "column " + e.Column + ": " + e.Err.Error() }
func (e *ColumnError) Unwrap() error { return e.Err }

// Columns of the two tables. Others that are there are not read.
var (
	EventColumns     = []string{"date", "delay", "distance", "origin", "destination"}
	ReferenceColumns = []string{"iata", "state", "latitude", "longitude"}
)

// The figures of the job.
const (
	lateMinutes   = 15      // a flight is late when its delay is greater
	cellMetres    = 100_000 // edge of a grid cell, in EPSG:3857
	agreeFraction = 0.015   // how far the computed distance may be off the given one
)

// Job is the work bound to the types of the events and to the reference. It is safe for concurrent
// use and may run any number of times.
type Job struct {
	engine  *host.Engine
	events  *arrow.Schema
	plan    *plan
	groups  []*grouping
	objects []*host.Object
}

// Prepare checks the columns of the events, prepares the reference and binds every kernel. The
// engine must stay open while the job is used; the batches stay the caller's. The job is the
// caller's to release. Errors match ErrColumnType, ErrDuplicate, ErrReference, or are those of the
// kernels.
func Prepare(
	ctx context.Context, engine *host.Engine, events *arrow.Schema, reference []arrow.RecordBatch,
) (*Job, error) {
	if err := checkEvents(events); err != nil {
		return nil, err
	}
	job := &Job{engine: engine, events: events}
	if err := job.prepare(ctx, reference); err != nil {
		job.Release()
		return nil, err
	}
	return job, nil
}

func (j *Job) prepare(ctx context.Context, reference []arrow.RecordBatch) error {
	keys, values, err := referenceBatches(j.engine.Allocator(), reference)
	if err != nil {
		return err
	}
	defer keys.Release()
	defer values.Release()

	set, err := j.object(ctx, "value_set", keys)
	if err != nil {
		return err
	}
	airports, err := j.object(ctx, "batch", values)
	if err != nil {
		return err
	}
	late, err := j.scalar(ctx, int64(lateMinutes))
	if err != nil {
		return err
	}
	agree, err := j.scalar(ctx, agreeFraction)
	if err != nil {
		return err
	}
	j.plan, err = bindPlan(ctx, j.engine, j.events, steps(j.events, set, airports, late, agree))
	if err != nil {
		return err
	}
	for _, wanted := range groupings {
		bound, err := bindGrouping(ctx, j.engine, j.plan.output, wanted)
		if err != nil {
			return err
		}
		j.groups = append(j.groups, bound)
	}
	return nil
}

func (j *Job) object(
	ctx context.Context, kind string, batch arrow.RecordBatch,
) (*host.Object, error) {
	object, err := j.engine.Prepare(ctx, kind, batch)
	if err != nil {
		return nil, fmt.Errorf("reference: %w", err)
	}
	j.objects = append(j.objects, object)
	return object, nil
}

// scalar prepares a constant operand: a batch of one row and one column.
func (j *Job) scalar(ctx context.Context, value any) (*host.Object, error) {
	batch := scalarBatch(j.engine.Allocator(), value)
	defer batch.Release()

	return j.object(ctx, "batch", batch)
}

// Schema is the schema of the joined batches that Run hands on.
func (j *Job) Schema() *arrow.Schema { return j.plan.output }

// Release gives up everything that is bound. A second call does nothing.
func (j *Job) Release() {
	if j.plan != nil {
		j.plan.release()
		j.plan = nil
	}
	for _, group := range j.groups {
		group.kernel.Release()
	}
	for _, object := range j.objects {
		object.Release()
	}
	j.groups, j.objects = nil, nil
}

// checkEvents refuses columns that the job has no meaning for, by name and type.
func checkEvents(events *arrow.Schema) error {
	wanted := map[string]struct {
		fits func(arrow.DataType) bool
		what string
	}{
		"date":        {isTime, "a timestamp or a date"},
		"delay":       {isNumber, "a number"},
		"distance":    {isNumber, "a number"},
		"origin":      {isText, "text"},
		"destination": {isText, "text"},
	}
	var names []string
	for i, name := range EventColumns {
		if i >= events.NumFields() || events.Field(i).Name != name {
			return fmt.Errorf("%w: events must have the columns %s in this order",
				ErrColumnType, strings.Join(EventColumns, ", "))
		}
		if typ := events.Field(i).Type; !wanted[name].fits(typ) {
			names = append(names,
				fmt.Sprintf("%s must be %s, not %v", name, wanted[name].what, typ))
		}
	}
	if len(names) > 0 {
		return fmt.Errorf("%w: %s", ErrColumnType, strings.Join(names, "; "))
	}
	return nil
}

func isTime(typ arrow.DataType) bool {
	switch typ.ID() {
	case arrow.TIMESTAMP, arrow.DATE32, arrow.DATE64:
		return true
	}
	return false
}

func isNumber(typ arrow.DataType) bool {
	return arrow.IsInteger(typ.ID()) ||
		typ.ID() == arrow.FLOAT32 || typ.ID() == arrow.FLOAT64
}

func isText(typ arrow.DataType) bool {
	switch typ.ID() {
	case arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW:
		return true
	case arrow.DICTIONARY:
		return isText(typ.(*arrow.DictionaryType).ValueType)
	}
	return false
}
