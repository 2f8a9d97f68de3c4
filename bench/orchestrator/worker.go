// SPDX-License-Identifier: Apache-2.0

package orchestrator

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/tombolo-arrow/tombolo/bench/protocol"
)

// Variant says how to build and start the worker of one variant.
type Variant struct {
	Name string

	// Build is run once, in Dir, with Env added; empty = nothing to build.
	Build []string
	Start []string
	Dir   string
	Env   []string

	// Baseline marks the variant that others are compared with, within a case.
	Baseline bool
}

// worker is a running variant. It is used by one goroutine.
type worker struct {
	variant Variant
	command *exec.Cmd
	input   io.WriteCloser
	output  *json.Decoder
	hello   protocol.Answer
}

// answerWaitMax bounds one answer: the longest single trial or preparation, with room for a busy machine.
const answerWaitMax = 5 * time.Minute

func startWorker(ctx context.Context, variant Variant, memLimit int64) (*worker, error) {
	if len(variant.Build) > 0 {
		build := exec.CommandContext(ctx, variant.Build[0], variant.Build[1:]...)
		build.Dir, build.Env = variant.Dir, append(os.Environ(), variant.Env...)
		if output, err := build.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("building %s: %w\n%s", variant.Name, err, output)
		}
	}
	command := exec.CommandContext(ctx, variant.Start[0], variant.Start[1:]...)
	command.Dir = variant.Dir
	command.Stderr = os.Stderr
	command.Env = append(append(os.Environ(), variant.Env...),
		fmt.Sprintf("GOMEMLIMIT=%d", memLimit),
		fmt.Sprintf("TOMBOLO_BENCH_MEM_LIMIT=%d", memLimit),
		"TOMBOLO_BENCH_VARIANT="+variant.Name)
	input, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	output, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", variant.Name, err)
	}
	started := &worker{
		variant: variant, command: command, input: input,
		output: json.NewDecoder(bufio.NewReader(output)),
	}
	if started.hello, err = started.ask(protocol.Request{Operation: protocol.OpHello}); err != nil {
		started.stop()
		return nil, err
	}
	return started, nil
}

// ask sends a request and waits for its answer; an answer that does not come in time ends the worker.
func (w *worker) ask(request protocol.Request) (protocol.Answer, error) {
	line, err := json.Marshal(request)
	if err != nil {
		return protocol.Answer{}, err
	}
	if _, err := w.input.Write(append(line, '\n')); err != nil {
		return protocol.Answer{}, fmt.Errorf("%s: worker is gone: %w", w.variant.Name, err)
	}
	watchdog := time.AfterFunc(answerWaitMax, func() { _ = w.command.Process.Kill() })
	defer watchdog.Stop()

	var answer protocol.Answer
	if err := w.output.Decode(&answer); err != nil {
		return protocol.Answer{}, fmt.Errorf("%s: no answer to %s %s: %w",
			w.variant.Name, request.Operation, request.Case, err)
	}
	if answer.Error != "" {
		return answer, fmt.Errorf("%s: %s %s: %s", w.variant.Name, request.Operation, request.Case, answer.Error)
	}
	return answer, nil
}

func (w *worker) stop() {
	_ = w.input.Close()
	done := time.AfterFunc(5*time.Second, func() { _ = w.command.Process.Kill() })
	_ = w.command.Wait()
	done.Stop()
}
