// SPDX-License-Identifier: Apache-2.0

package protocol

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// ErrUnsupported is what Prepare returns for a case that the variant does not have.
var ErrUnsupported = errors.New("the variant does not have this case")

// Prepared is a case that is ready to run.
type Prepared struct {
	Rows, Columns, Bytes int64
	Digest               string

	// Run does one iteration.
	Run func() error

	// Crossings counts calls into native code so far; nil = none.
	Crossings func() int64

	Close func()
}

// Worker is one variant written in Go.
type Worker interface {
	Hello() Answer
	Prepare(c Case) (*Prepared, error)
}

// Serve answers requests on standard input until it ends.
func Serve(worker Worker) error {
	requests := json.NewDecoder(bufio.NewReader(os.Stdin))
	answers := json.NewEncoder(os.Stdout)
	var current *Prepared
	for {
		var request Request
		if err := requests.Decode(&request); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		answer, next := handle(worker, current, request)
		current = next
		if err := answers.Encode(answer); err != nil {
			return err
		}
	}
}

func handle(worker Worker, current *Prepared, request Request) (Answer, *Prepared) {
	switch request.Operation {
	case OpHello:
		return worker.Hello(), current
	case OpPrepare:
		closePrepared(current)
		return prepare(worker, request.Case)
	case OpTrial:
		if current == nil {
			return Answer{Error: "no case is prepared"}, nil
		}
		return trial(current, request.Iterations), current
	case OpClose:
		closePrepared(current)
		debug.FreeOSMemory()
		return Answer{}, nil
	}
	return Answer{Error: "unknown operation " + request.Operation}, current
}

func prepare(worker Worker, name string) (Answer, *Prepared) {
	parsed, err := ParseCase(name)
	if err != nil {
		return Answer{Error: err.Error()}, nil
	}
	prepared, err := worker.Prepare(parsed)
	if errors.Is(err, ErrUnsupported) {
		return Answer{Unsupported: true}, nil
	}
	if err != nil {
		return Answer{Error: err.Error()}, nil
	}
	answer := worker.Hello()
	answer.Rows, answer.Columns = prepared.Rows, prepared.Columns
	answer.Bytes, answer.Digest = prepared.Bytes, prepared.Digest
	return answer, prepared
}

func closePrepared(prepared *Prepared) {
	if prepared != nil && prepared.Close != nil {
		prepared.Close()
	}
}

func trial(prepared *Prepared, iterations int) Answer {
	crossings := func() int64 { return 0 }
	if prepared.Crossings != nil {
		crossings = prepared.Crossings
	}
	runtime.GC()
	resetPeak()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	crossingsBefore := crossings()
	wall, cpu := time.Now(), CPUNow()
	for range iterations {
		if err := prepared.Run(); err != nil {
			return Answer{Error: err.Error()}
		}
	}
	cpuNs, wallNs := CPUNow()-cpu, time.Since(wall).Nanoseconds()
	runtime.ReadMemStats(&after)
	return Answer{
		CPUNs: cpuNs, WallNs: wallNs,
		Allocs:     int64(after.Mallocs - before.Mallocs),
		AllocBytes: int64(after.TotalAlloc - before.TotalAlloc),
		Crossings:  crossings() - crossingsBefore,
		PeakBytes:  PeakResident(),
	}
}

// CPUNow returns the CPU time of this process in nanoseconds, all threads together.
func CPUNow() int64 {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &now); err != nil {
		return 0
	}
	return now.Nano()
}

// resetPeak makes the peak of resident memory start anew; where the kernel does not allow that, the peak stays that of
// the process so far.
func resetPeak() { _ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }

// PeakResident returns the largest resident size of this process in bytes since the trial began.
func PeakResident() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if value, found := strings.CutPrefix(line, "VmHWM:"); found {
			kib, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
			return kib * 1024
		}
	}
	return 0
}
