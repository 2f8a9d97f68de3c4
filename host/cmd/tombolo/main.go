// SPDX-License-Identifier: Apache-2.0

// Command tombolo runs the main job on real data, and says what this build can do on this machine.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"
)

// Exit codes.
const (
	exitFailed    = 1
	exitUsage     = 2
	exitCancelled = 130 // as shells report a program that was interrupted
)

// console is where a command prints.
type console struct {
	out    io.Writer // results
	report io.Writer // progress and errors
}

type commandLine struct {
	Run     runCommand     `cmd:"" help:"Join, check and aggregate flights: the main job."`
	Doctor  doctorCommand  `cmd:"" help:"Say which carriers this build has, and why."`
	Version versionCommand `cmd:"" help:"Print the version."`
}

func main() {
	os.Exit(start(os.Args[1:], console{out: os.Stdout, report: os.Stderr}))
}

// start runs one command and returns the exit code. Every failure is one line on console.report.
func start(arguments []string, console console) int {
	// The first signal cancels the work; a second one ends the program as usual.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	defer stop()

	var line commandLine
	exited := -1
	parser, err := kong.New(&line,
		kong.Name("tombolo"),
		kong.Description("Native kernels for Arrow batches in Go: the main job on real data."),
		kong.Writers(console.out, console.report),
		kong.Exit(func(code int) { exited = code }),
		kong.UsageOnError(),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(console),
	)
	if err != nil {
		panic(err) // the grammar above is wrong
	}
	parsed, err := parser.Parse(arguments)
	if exited >= 0 {
		return exited // --help has been printed
	}
	if err != nil {
		return fail(console, exitUsage, fmt.Errorf("%w; see tombolo --help", err))
	}
	if err := parsed.Run(); err != nil {
		if errors.Is(err, context.Canceled) {
			return fail(console, exitCancelled, errors.New("cancelled"))
		}
		return fail(console, exitFailed, err)
	}
	return 0
}

func fail(console console, code int, err error) int {
	text := strings.ReplaceAll(strings.TrimSpace(err.Error()), "\n", "; ")
	fmt.Fprintln(console.report, "tombolo:", text)
	return code
}
