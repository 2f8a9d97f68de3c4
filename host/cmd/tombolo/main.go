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
	"strconv"
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
	Run      runCommand      `cmd:"" help:"Join, check and aggregate flights: the main job."`
	Doctor   doctorCommand   `cmd:"" help:"Say which carriers this build has, and why."`
	Prebuilt prebuiltCommand `cmd:"" help:"Write a Go package that carries the native library."`
	Version  versionCommand  `cmd:"" help:"Print the version."`
}

// A closed standard output cannot be told from /dev/null here: the Go runtime opens that in its place
// before main, for reading and writing, as other programs open it on purpose for their children.
const description = "Native kernels for Arrow batches in Go: the main job on real data. " +
	"A standard output that is closed counts as /dev/null."

func main() {
	os.Exit(start(os.Args[1:], console{out: os.Stdout, report: os.Stderr}))
}

// results is the output of a command; it keeps the first error, so that no print has to look.
type results struct {
	out io.Writer
	err error
}

func (r *results) Write(text []byte) (int, error) {
	n, err := r.out.Write(text)
	if r.err == nil && err != nil {
		r.err = fmt.Errorf("results cannot be printed: %w", err)
	}
	return n, err
}

// start runs one command and returns the exit code. Every failure is one line on console.report.
func start(arguments []string, console console) int {
	// The first signal cancels the work; a second one ends the program as usual.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop)
	defer stop()

	printed := &results{out: console.out}
	console.out = printed
	code, err := parseAndRun(ctx, arguments, console)
	if printed.err != nil { // the cause of err too, where there is one
		return fail(console, exitFailed, printed.err)
	}
	if err != nil {
		return fail(console, code, err)
	}
	return code
}

// parseAndRun returns the exit code, and the error that it stands for.
func parseAndRun(ctx context.Context, arguments []string, console console) (int, error) {
	var line commandLine
	exited := -1
	parser, err := kong.New(&line,
		kong.Name("tombolo"),
		kong.Description(description),
		kong.Writers(console.out, console.report),
		kong.Exit(func(code int) { exited = code }),
		helpTexts(),
		kong.UsageOnError(),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(console),
	)
	if err != nil {
		panic(err) // the grammar above is wrong
	}
	parsed, err := parser.Parse(joinNegative(arguments))
	if exited >= 0 {
		return exited, nil // --help has been printed
	}
	if err != nil {
		return exitUsage, fmt.Errorf("%w; see tombolo --help", err)
	}
	if err := parsed.Run(); err != nil {
		if errors.Is(err, context.Canceled) {
			return exitCancelled, errors.New("cancelled")
		}
		return exitFailed, err
	}
	return 0, nil
}

// joinNegative makes one argument of a flag and the negative number after it, which the parser
// would take for a flag of its own.
func joinNegative(arguments []string) []string {
	var joined []string
	for i, argument := range arguments {
		_, err := strconv.Atoi(argument)
		if err == nil && strings.HasPrefix(argument, "-") && i > 0 &&
			strings.HasPrefix(arguments[i-1], "--") && !strings.Contains(arguments[i-1], "=") {
			joined[len(joined)-1] += "=" + argument
			continue
		}
		joined = append(joined, argument)
	}
	return joined
}

func fail(console console, code int, err error) int {
	text := strings.ReplaceAll(strings.TrimSpace(err.Error()), "\n", "; ")
	fmt.Fprintln(console.report, "tombolo:", text)
	return code
}
