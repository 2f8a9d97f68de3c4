// SPDX-License-Identifier: Apache-2.0

// Command fuzz runs every fuzz target of the module for a given time each, one after the other.
//
//	go run ./scripts/fuzz -time 60s [-run REGEXP] [PACKAGE ...]
//
// It stops at the first target that fails. Inputs that were found lie in the package's testdata/fuzz folder: give
// them a name, keep them, and mend the bug behind them.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"strings"
	"time"
)

func main() {
	fuzzTime := flag.Duration("time", time.Minute, "how long each target runs")
	pattern := flag.String("run", "", "only targets whose name matches this expression")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	if err := run(ctx, *fuzzTime, *pattern, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "fuzz:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, fuzzTime time.Duration, pattern string, packages []string) error {
	filter, err := regexp.Compile(pattern)
	if err != nil {
		return err
	}
	if len(packages) == 0 {
		packages = []string{"./..."}
	}
	listed, err := goCommand(ctx, append([]string{"list"}, packages...)...).Output()
	if err != nil {
		return fmt.Errorf("listing packages: %w", err)
	}
	count := 0
	for _, name := range strings.Fields(string(listed)) {
		targets, err := targetsOf(ctx, name)
		if err != nil {
			return err
		}
		for _, target := range targets {
			if !filter.MatchString(target) {
				continue
			}
			count++
			if err := fuzz(ctx, name, target, fuzzTime); err != nil {
				return err
			}
		}
	}
	fmt.Printf("%d targets ran %v each without a find\n", count, fuzzTime)
	return nil
}

func targetsOf(ctx context.Context, name string) ([]string, error) {
	command := goCommand(ctx, "test", "-list", "^Fuzz", name)
	command.Stderr = os.Stderr
	output, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("listing fuzz targets of %s: %w", name, err)
	}
	var targets []string
	for line := range bytes.Lines(output) {
		if word := strings.TrimSpace(string(line)); strings.HasPrefix(word, "Fuzz") {
			targets = append(targets, word)
		}
	}
	return targets, nil
}

func fuzz(ctx context.Context, name, target string, fuzzTime time.Duration) error {
	fmt.Printf("== %s %s\n", name, target)
	command := goCommand(ctx, "test", "-run", "^$", "-fuzz", "^"+target+"$", "-fuzztime", fuzzTime.String(),
		"-fuzzminimizetime", "5x", name)
	var printed bytes.Buffer
	command.Stdout, command.Stderr = io.MultiWriter(os.Stdout, &printed), os.Stderr
	if err := command.Run(); err != nil {
		// go test ends with this, and no input, when its time is up while a worker is busy.
		if bytes.Contains(printed.Bytes(), []byte("context deadline exceeded")) &&
			!bytes.Contains(printed.Bytes(), []byte("Failing input")) && ctx.Err() == nil {
			return nil
		}
		return fmt.Errorf("%s %s: %w", name, target, err)
	}
	return nil
}

func goCommand(ctx context.Context, arguments ...string) *exec.Cmd {
	return exec.CommandContext(ctx, "go", arguments...)
}
