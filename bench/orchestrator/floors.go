// SPDX-License-Identifier: Apache-2.0

package orchestrator

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tombolo-arrow/tombolo/bench/protocol"
)

// floors are two fixed loops that the orchestrator runs between trials: one bound by the core, one by memory. Their
// best time is what the machine can do; when a trial's floors fall behind it, the machine was busy.
type floors struct {
	source, target []byte
	spin, copyNs   []int64
	wallLost       []float64 // wall over CPU of each sample: waiting for a core
}

const (
	spinRounds   = 4_000_000
	copyBytes    = 32 << 20
	busyFactor   = 1.35 // a floor this much slower than its best is a disturbed sample
	busyShareMax = 0.34 // this share of disturbed samples voids verdicts
)

func newFloors() *floors {
	f := &floors{source: make([]byte, copyBytes), target: make([]byte, copyBytes)}
	for i := range f.source {
		f.source[i] = byte(i)
	}
	f.sample()
	f.reset()
	return f
}

func (f *floors) reset() { f.spin, f.copyNs, f.wallLost = nil, nil, nil }

// sample runs both loops once.
func (f *floors) sample() {
	wall, cpu := time.Now(), protocol.CPUNow()
	spin(spinRounds)
	middle := protocol.CPUNow()
	copy(f.target, f.source)
	end := protocol.CPUNow()
	f.spin = append(f.spin, middle-cpu)
	f.copyNs = append(f.copyNs, end-middle)
	f.wallLost = append(f.wallLost, float64(time.Since(wall).Nanoseconds())/float64(max(end-cpu, 1)))
}

var spinResult uint64

func spin(rounds int) {
	x := uint64(88172645463325252)
	for range rounds {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	spinResult = x
}

// controlNs is the median of the core-bound floor: the unchanged control case that makes results of two commits
// comparable.
func (f *floors) controlNs() int64 { return median(f.spin) }

// memcpyBytesPerSecond is the best copy rate seen, bytes read and written.
func (f *floors) memcpyBytesPerSecond() float64 {
	if len(f.copyNs) == 0 {
		return 0
	}
	return 2 * copyBytes / (float64(slices.Min(f.copyNs)) / 1e9)
}

// busy says whether too many samples were disturbed for a verdict.
func (f *floors) busy() bool {
	disturbed := 0
	for i := range f.spin {
		slow := float64(f.spin[i]) > busyFactor*float64(slices.Min(f.spin)) ||
			float64(f.copyNs[i]) > 2*busyFactor*float64(slices.Min(f.copyNs)) ||
			f.wallLost[i] > busyFactor
		if slow {
			disturbed++
		}
	}
	return float64(disturbed) > busyShareMax*float64(len(f.spin))
}

// load returns the one-minute load average, or -1 where there is none.
func load() float64 {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return -1
	}
	value, err := strconv.ParseFloat(strings.Fields(string(text))[0], 64)
	if err != nil {
		return -1
	}
	return value
}

// machineBusyNs returns the CPU time of all processes since boot in nanoseconds, or 0 where it is not known. The
// difference over a run, less our own share, is what competitors used.
func machineBusyNs() int64 {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	line, _, _ := strings.Cut(string(text), "\n")
	fields := strings.Fields(line)
	const ticksPerSecond = 100
	var ticks int64
	for i, field := range fields[1:] {
		if i == 3 || i == 4 { // idle and waiting for input
			continue
		}
		value, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0
		}
		ticks += value
	}
	return ticks * (1_000_000_000 / ticksPerSecond)
}

func median(values []int64) int64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	return sorted[len(sorted)/2]
}
