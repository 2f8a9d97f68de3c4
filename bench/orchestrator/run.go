// SPDX-License-Identifier: Apache-2.0

// Package orchestrator runs benchmark cases over workers in alternation: one process for each variant, trials in
// turn, so that whatever else the machine does falls on all variants alike.
package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/tombolo-arrow/tombolo/bench/protocol"
)

// Suite is a list of cases, each with the variants that can run it.
type Suite struct {
	Name  string
	Cases []CasePlan
}

// CasePlan is one case: its name, its variants, and the one that the others are compared with.
type CasePlan struct {
	Name     string
	Variants []string
	Baseline string
	Nulls    int
	Reuse    bool
}

// Settings of a run. MemLimit is given to every worker alike.
type Settings struct {
	Trials     int
	TrialNs    int64 // CPU time that a trial aims at
	MemLimit   int64
	Commit     string
	Machine    string
	ReproBase  string
	Progress   io.Writer
	TimeBudget time.Duration // 0 = none; cases that would start after it are left out and named
}

const warmUps = 2

// Run runs the suites and gives each row to emit as soon as its case is done. Workers start on first use and live to
// the end; one that cannot start is named once and its rows are left out.
func Run(ctx context.Context, suites []Suite, variants []Variant, settings Settings, emit func(Row) error) error {
	pool := &pool{variants: map[string]Variant{}, running: map[string]*worker{}, failed: map[string]error{}}
	for _, variant := range variants {
		pool.variants[variant.Name] = variant
	}
	defer pool.stop()

	floors := newFloors()
	started, done, total := time.Now(), 0, 0
	for _, suite := range suites {
		total += len(suite.Cases)
	}
	for _, suite := range suites {
		for _, plan := range suite.Cases {
			if err := ctx.Err(); err != nil {
				return err
			}
			if settings.TimeBudget > 0 && time.Since(started) > settings.TimeBudget {
				fmt.Fprintf(settings.Progress, "left out, out of time: %s\n", plan.Name)
				continue
			}
			left := "?"
			if done > 0 {
				each := time.Since(started) / time.Duration(done)
				left = (each * time.Duration(total-done)).Round(time.Second).String()
			}
			fmt.Fprintf(settings.Progress, "[%d/%d, %s left] %s\n", done+1, total, left, plan.Name)
			rows, err := runCase(ctx, suite.Name, plan, pool, floors, settings)
			if err != nil {
				return err
			}
			for _, row := range rows {
				if err := emit(row); err != nil {
					return err
				}
			}
			done++
		}
	}
	return nil
}

// pool holds the workers by variant.
type pool struct {
	variants map[string]Variant
	running  map[string]*worker
	failed   map[string]error
}

func (p *pool) get(ctx context.Context, name string, settings Settings) *worker {
	if running, ok := p.running[name]; ok {
		return running
	}
	if p.failed[name] != nil {
		return nil
	}
	variant, ok := p.variants[name]
	if !ok {
		p.failed[name] = errors.New("unknown variant")
		return nil
	}
	fmt.Fprintf(settings.Progress, "starting %s ...\n", name)
	started, err := startWorker(ctx, variant, settings.MemLimit)
	if err != nil {
		p.failed[name] = err
		fmt.Fprintf(settings.Progress, "without %s: %v\n", name, err)
		return nil
	}
	p.running[name] = started
	return started
}

func (p *pool) drop(name string, err error, settings Settings) {
	fmt.Fprintf(settings.Progress, "dropping %s: %v\n", name, err)
	p.running[name].stop()
	delete(p.running, name)
}

func (p *pool) stop() {
	for _, running := range p.running {
		running.stop()
	}
}

// contender is one variant within one case.
type contender struct {
	worker     *worker
	row        Row
	iterations int
	digest     string
	wallNs     []int64
}

func runCase(ctx context.Context, suite string, plan CasePlan, pool *pool, floors *floors,
	settings Settings,
) ([]Row, error) {
	contenders := prepareAll(ctx, plan, pool, settings)
	if len(contenders) == 0 {
		return nil, nil
	}
	if err := sameDigests(contenders); err != nil {
		return nil, fmt.Errorf("%s: %w", plan.Name, err)
	}
	floors.reset()
	busyBefore, wallBefore := machineBusyNs(), time.Now()
	var ownNs int64
	for round := -warmUps; round < settings.Trials; round++ {
		floors.sample()
		for i := range contenders {
			current := contenders[(i+round+warmUps)%len(contenders)]
			if current.worker == nil {
				continue
			}
			answer, err := current.worker.ask(protocol.Request{
				Operation: protocol.OpTrial, Iterations: current.iterations,
			})
			if err != nil {
				pool.drop(current.row.Variant, err, settings)
				current.worker = nil
				continue
			}
			ownNs += answer.CPUNs
			current.record(answer, round >= 0, settings.TrialNs)
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
	}
	elapsed := time.Since(wallBefore).Nanoseconds()
	competitors := max(0, float64(machineBusyNs()-busyBefore-ownNs)/float64(max(elapsed, 1)))
	return finish(suite, plan, contenders, floors, competitors, settings), nil
}

func prepareAll(ctx context.Context, plan CasePlan, pool *pool, settings Settings) []*contender {
	var contenders []*contender
	for _, name := range plan.Variants {
		running := pool.get(ctx, name, settings)
		if running == nil {
			continue
		}
		answer, err := running.ask(protocol.Request{Operation: protocol.OpPrepare, Case: plan.Name})
		if err != nil {
			pool.drop(name, err, settings)
			continue
		}
		if answer.Unsupported {
			continue
		}
		contenders = append(contenders, &contender{
			worker: running, iterations: 1, digest: answer.Digest,
			row: Row{
				Case: plan.Name, Variant: name, SIMDLevel: answer.SIMDLevel, Nulls: plan.Nulls, Reuse: plan.Reuse,
				Rows: answer.Rows, Columns: answer.Columns, Bytes: answer.Bytes,
			},
		})
	}
	return contenders
}

// sameDigests is the preflight: every variant that computes something computes the same before anything is timed.
func sameDigests(contenders []*contender) error {
	first := ""
	var who string
	for _, current := range contenders {
		switch {
		case current.digest == "":
		case first == "":
			first, who = current.digest, current.row.Variant
		case current.digest != first:
			return fmt.Errorf("results differ: %s has %s, %s has %s",
				who, first, current.row.Variant, current.digest)
		}
	}
	return nil
}

// record takes a trial in. Warm-ups only settle how many iterations a trial has.
func (c *contender) record(answer protocol.Answer, timed bool, trialNs int64) {
	each := max(answer.CPUNs/int64(c.iterations), 1)
	if !timed {
		c.iterations = int(min(max(trialNs/each, 1), 10_000_000))
		return
	}
	n := float64(c.iterations)
	c.row.TrialsNs = append(c.row.TrialsNs, each)
	c.wallNs = append(c.wallNs, answer.WallNs/int64(c.iterations))
	c.row.Allocs = float64(answer.Allocs) / n
	c.row.AllocBytes = float64(answer.AllocBytes) / n
	c.row.Crossings = float64(answer.Crossings) / n
	c.row.PeakBytes = max(c.row.PeakBytes, answer.PeakBytes)
}

func finish(suite string, plan CasePlan, contenders []*contender, floors *floors, competitors float64,
	settings Settings,
) []Row {
	var rows []Row
	for _, current := range contenders {
		if current.worker == nil || len(current.row.TrialsNs) == 0 {
			continue
		}
		row := current.row
		row.Suite = suite
		row.MedianNs, row.WallNs = median(row.TrialsNs), median(current.wallNs)
		row.MinNs, row.MaxNs = row.TrialsNs[0], row.TrialsNs[0]
		for _, trial := range row.TrialsNs {
			row.MinNs, row.MaxNs = min(row.MinNs, trial), max(row.MaxNs, trial)
		}
		row.ControlNs = floors.controlNs()
		row.Flags = []string{}
		row.Commit, row.MemLimit, row.Machine = settings.Commit, settings.MemLimit, settings.Machine
		row.Load, row.Competitors = load(), competitors
		row.Repro = settings.ReproBase + " -case " + plan.Name
		rows = append(rows, row)
		// The next case of this worker starts from an empty slate.
		_, _ = current.worker.ask(protocol.Request{Operation: protocol.OpClose})
	}
	judge(rows, plan.Baseline, floors.busy())
	return rows
}

// Machine describes this machine in one line.
func Machine() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown"
	}
	model, cores := "unknown", 0
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(line, ":")
		switch strings.TrimSpace(key) {
		case "processor":
			cores++
		case "model name":
			model = strings.TrimSpace(value)
		}
	}
	return fmt.Sprintf("%s, %d cores", model, cores)
}
