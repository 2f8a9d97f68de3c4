// SPDX-License-Identifier: Apache-2.0

package flights

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tombolo-arrow/tombolo/host"
)

// ThreadsMax bounds the goroutines of a run; each holds a batch and its joined columns.
const ThreadsMax = 256

// Source hands out batches of events in order; io.EOF ends it. Each batch is the job's to release.
type Source interface {
	Next(ctx context.Context) (arrow.RecordBatch, error)
}

// Consumer takes joined batches in the order of the events, one at a time, on changing goroutines.
// A batch stays the caller's: what is kept must be retained.
type Consumer func(ctx context.Context, joined arrow.RecordBatch) error

// Stats is where the time of a run went, added up over its goroutines, without the time they waited
// for each other.
type Stats struct {
	Wall      time.Duration
	Read      time.Duration // in the source
	Map       time.Duration // joins, geometry and the other per-row kernels
	Aggregate time.Duration // the three group_by
	Consume   time.Duration // in the consumers: writing
}

// Options say how a run goes.
type Options struct {
	Threads int // goroutines; at least 1, at most ThreadsMax

	// Shape makes of a joined batch what the consumers get, side by side on all goroutines; nil
	// gives them the joined batch. The result is the job's to release.
	Shape func(joined arrow.RecordBatch) (arrow.RecordBatch, error)

	Consumers []Consumer
}

// run is the state of one Run.
type run struct {
	job     *Job
	options Options
	source  Source
	reading sync.Mutex // guards source and ticket
	ticket  int64
	states  []*host.State
	turns   []*turn // one for each state, then one for each consumer

	failed                       sync.Once
	err                          error
	cancel                       context.CancelFunc
	read, mapped, grouped, taken atomic.Int64 // nanoseconds
}

// Run reads the source to its end on so many goroutines. Each takes the next batch, computes its
// joined columns, and waits its turn at every aggregate and consumer; so results are the same bits
// for any number of threads. Memory in use is that of one batch for each thread, the groups, and
// what the consumers keep. The result is the caller's to release. On error, or when ctx ends,
// nothing is left to release.
func (j *Job) Run(ctx context.Context, source Source, options Options) (*Result, error) {
	start := time.Now()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	r := &run{job: j, options: options, source: source, cancel: cancel}
	defer func() {
		for _, state := range r.states {
			state.Close()
		}
	}()
	for _, group := range j.groups {
		state, err := group.kernel.NewState(ctx)
		if err != nil {
			return nil, err
		}
		r.states = append(r.states, state)
	}
	for range len(r.states) + len(options.Consumers) {
		r.turns = append(r.turns, newTurn())
	}
	var workers sync.WaitGroup
	for range min(max(options.Threads, 1), ThreadsMax) {
		workers.Go(func() {
			if err := r.work(ctx); err != nil {
				r.fail(err)
			}
		})
	}
	workers.Wait()
	if r.err != nil {
		return nil, r.err
	}
	result, err := j.finish(ctx, r.states)
	if err != nil {
		return nil, err
	}
	result.Stats = Stats{
		Wall:      time.Since(start),
		Read:      time.Duration(r.read.Load()),
		Map:       time.Duration(r.mapped.Load()),
		Aggregate: time.Duration(r.grouped.Load()),
		Consume:   time.Duration(r.taken.Load()),
	}
	return result, nil
}

// fail keeps the first error and sends every goroutine home.
func (r *run) fail(err error) {
	r.failed.Do(func() {
		r.err = err
		r.cancel()
		for _, turn := range r.turns {
			turn.breakUp()
		}
	})
}

// work is one goroutine: batches until there are none.
func (r *run) work(ctx context.Context) error {
	for {
		events, ticket, err := r.next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := r.batch(ctx, events, ticket); err != nil {
			return err
		}
	}
}

func (r *run) next(ctx context.Context) (arrow.RecordBatch, int64, error) {
	r.reading.Lock()
	defer r.reading.Unlock()

	start := time.Now()
	events, err := r.source.Next(ctx)
	r.read.Add(int64(time.Since(start)))
	if err != nil {
		return nil, 0, err
	}
	ticket := r.ticket
	r.ticket++
	if !events.Schema().Equal(r.job.events) {
		events.Release()
		return nil, 0, fmt.Errorf("%w: it changes within the events", ErrColumnType)
	}
	return events, ticket, nil
}

// batch takes one batch of events, which it releases, through every step.
func (r *run) batch(ctx context.Context, events arrow.RecordBatch, ticket int64) error {
	start := time.Now()
	joined, err := r.job.plan.run(ctx, events)
	events.Release()
	r.mapped.Add(int64(time.Since(start)))
	if err != nil {
		return err
	}
	defer joined.Release()

	for i, state := range r.states {
		err := r.inTurn(r.turns[i], ticket, &r.grouped, func() error {
			return state.Consume(ctx, joined)
		})
		if err != nil {
			return err
		}
	}
	return r.consume(ctx, joined, ticket)
}

// consume gives the batch to the consumers.
func (r *run) consume(ctx context.Context, joined arrow.RecordBatch, ticket int64) error {
	if len(r.options.Consumers) == 0 {
		return nil
	}
	shaped := joined
	if r.options.Shape == nil {
		shaped.Retain()
	} else {
		var err error
		start := time.Now()
		if shaped, err = r.options.Shape(joined); err != nil {
			return err
		}
		r.taken.Add(int64(time.Since(start)))
	}
	defer shaped.Release()

	for i, consumer := range r.options.Consumers {
		err := r.inTurn(r.turns[len(r.states)+i], ticket, &r.taken, func() error {
			return consumer(ctx, shaped)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// errBroken ends a goroutine whose turn will not come: another one failed and has said why.
var errBroken = errors.New("another goroutine failed")

// inTurn does work when the turn has come to the ticket, and books its time.
func (r *run) inTurn(turn *turn, ticket int64, spent *atomic.Int64, work func() error) error {
	if !turn.wait(ticket) {
		return errBroken
	}
	start := time.Now()
	err := work()
	spent.Add(int64(time.Since(start)))
	if err == nil {
		turn.done()
	}
	return err
}
