// SPDX-License-Identifier: Apache-2.0

// Command bench measures the native path against the pure-Go baseline and against peers.
//
//	go -C bench run . [-suite summary|boundary|job] [-case NAME,...] [-out FILE] [-rows N] [-runs N] [-null-every N]
//
// Every variant is a process of its own; trials alternate between them. Rows go to FILE as JSON lines, a table for
// people to standard output.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/tombolo-arrow/tombolo/bench/orchestrator"
	"github.com/tombolo-arrow/tombolo/bench/suites"
)

// memLimitBytes is what every worker may use, ours and peers alike.
const memLimitBytes = 4 << 30

// number is an integer flag that takes an empty text for its default, so that a Makefile can pass unset variables.
type number int

func (n *number) String() string { return strconv.Itoa(int(*n)) }

func (n *number) Set(text string) error {
	if text == "" {
		return nil
	}
	value, err := strconv.Atoi(text)
	if err != nil || value < 0 {
		return errors.New("want a whole number, zero or more")
	}
	*n = number(value)
	return nil
}

type options struct {
	suite, cases, out     string
	rows, runs, nullEvery number
	trialMs               number
}

func main() {
	chosen := options{trialMs: 60}
	flag.StringVar(&chosen.suite, "suite", "summary", "one of "+strings.Join(suites.Names(), ", "))
	flag.StringVar(&chosen.cases, "case", "", "only these cases, separated by commas")
	flag.StringVar(&chosen.out, "out", "", "file for the rows as JSON lines")
	flag.Var(&chosen.rows, "rows", "rows of every case, instead of the suite's own")
	flag.Var(&chosen.runs, "runs", "trials of each case and variant (default 5, at least 5)")
	flag.Var(&chosen.nullEvery, "null-every", "every n-th value is null")
	flag.Var(&chosen.trialMs, "trial-ms", "CPU time that a trial aims at (default 60)")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	if err := run(ctx, chosen); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, chosen options) (err error) {
	shape := suites.Shape{Rows: int(chosen.rows), NullEvery: int(chosen.nullEvery)}
	suite, ok := suites.ByName(chosen.suite, shape)
	if !ok {
		return fmt.Errorf("no suite %q; there are %s", chosen.suite, strings.Join(suites.Names(), ", "))
	}
	if chosen.cases != "" {
		suite = suites.Only(suite, strings.Split(chosen.cases, ","))
		if len(suite.Cases) == 0 {
			return fmt.Errorf("suite %s has no case %s", suite.Name, chosen.cases)
		}
	}
	var out io.Writer = io.Discard
	if chosen.out != "" {
		file, err := os.Create(chosen.out)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		out = file
	}
	binaries, err := os.MkdirTemp("", "tombolo-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(binaries)

	settings := orchestrator.Settings{
		Trials: max(5, int(chosen.runs)), TrialNs: int64(max(1, chosen.trialMs)) * 1e6, MemLimit: memLimitBytes,
		Commit: commit(ctx), Machine: orchestrator.Machine(), ReproBase: "go -C bench run . -suite " + suite.Name,
		Progress: os.Stderr,
	}
	encoder := json.NewEncoder(out)
	header := map[string]any{"machine": settings.Machine, "commit": settings.Commit, "suite": suite.Name,
		"trials": settings.Trials, "mem_limit": settings.MemLimit}
	if err := encoder.Encode(header); err != nil {
		return err
	}
	var rows []orchestrator.Row
	emit := func(row orchestrator.Row) error {
		rows = append(rows, row)
		return encoder.Encode(row)
	}
	err = orchestrator.Run(ctx, []orchestrator.Suite{suite}, workers(binaries), settings, emit)
	orchestrator.Summarize(os.Stdout, rows)
	return err
}

// workers lists how each variant is built and started.
func workers(binaries string) []orchestrator.Variant {
	golang := func(name, worker, cgo, carrier string) orchestrator.Variant {
		binary := filepath.Join(binaries, worker+"-cgo"+cgo)
		return orchestrator.Variant{
			Name:  name,
			Build: []string{"go", "build", "-o", binary, "./workers/" + worker},
			Start: []string{binary, carrier},
			Env:   []string{"CGO_ENABLED=" + cgo},
		}
	}
	// Without cgo, with a library that the user's compiler made.
	loading := func(carrier string) orchestrator.Variant {
		binary, library := filepath.Join(binaries, "island-dlopen"), filepath.Join(binaries, "libtombolo.so.0")
		const steps = `set -e; test -e "$1" || { go run github.com/tombolo-arrow/tombolo/scripts/buildlib -o "$1" >&2; }
go build -tags tombolo_dlopen -o "$2" ./workers/island`
		return orchestrator.Variant{
			Name:  carrier,
			Build: []string{"sh", "-c", steps, "sh", library, binary},
			Start: []string{binary, carrier},
			Env:   []string{"CGO_ENABLED=0", "TOMBOLO_LIBRARY=" + library},
		}
	}
	return []orchestrator.Variant{
		golang("cgo", "island", "1", "cgo"),
		golang("auto", "island", "1", "auto"),
		golang("floor", "island", "1", "floor"),
		loading("dlopen"),
		loading("floor+dlopen"),
		golang("portable", "island", "0", "portable"),
		golang("arrow-go", "arrowgo", "0", "arrow-go"),
		golang("cdata", "cdata", "1", "cdata"),
		golang("cdata+schema", "cdata", "1", "cdata+schema"),
		golang("duckdb", "duckdb", "1", "duckdb"),
	}
}

func commit(ctx context.Context) string {
	text, err := exec.CommandContext(ctx, "git", "rev-parse", "--short=12", "HEAD").Output()
	if err != nil {
		return "unknown"
	}
	id := strings.TrimSpace(string(text))
	if status, err := exec.CommandContext(ctx, "git", "status", "--porcelain").Output(); err == nil && len(status) > 0 {
		id += "+changes"
	}
	return id
}
