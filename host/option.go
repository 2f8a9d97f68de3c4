// SPDX-License-Identifier: Apache-2.0

package host

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/host/telemetry"
)

// SIMDLevelVariable is the environment variable that [Open] reads when [SIMDLevel] is not given.
const SIMDLevelVariable = "TOMBOLO_SIMD_LEVEL"

// Option changes how [Open] opens an engine. Options are values: they may be kept and used again.
type Option func(*settings) error

type settings struct {
	carrier      string
	libraryPath  string
	policy       bridge.Policy
	level        bridge.SIMDLevel
	levelGiven   bool
	goHeap       bool
	bytesMax     int64
	poolBytesMax int64
	collector    telemetry.Collector
	thresholds   map[string]int64
}

func readSettings(options []Option) (*settings, error) {
	s := &settings{level: bridge.LevelMax, thresholds: map[string]int64{}}
	for _, option := range options {
		if option == nil {
			return nil, invalid("open: an option is nil")
		}
		if err := option(s); err != nil {
			return nil, err
		}
	}
	if !s.levelGiven {
		level, err := parseLevel(os.Getenv(SIMDLevelVariable))
		if err != nil {
			return nil, fmt.Errorf("%w, in the environment variable %s", err, SIMDLevelVariable)
		}
		s.level = level
	}
	return s, nil
}

// strictlyNative says that small batches may not go to the portable library either.
func (s *settings) strictlyNative() bool {
	return s.policy == bridge.RequireNative || s.carrier != ""
}

// WithCarrier asks for one carrier by name, "cgo", "dlopen" or "portable"; Open fails when it is not there.
// Every call then goes through it.
func WithCarrier(name string) Option {
	return func(s *settings) error {
		if name == "" {
			return invalid("open: the name of the carrier is empty")
		}
		s.carrier = name
		return nil
	}
}

// LibraryPath names the shared library that the carrier dlopen loads, by an absolute path; without
// it the environment variable TOMBOLO_LIBRARY is read. The carrier is there where the program
// imports bridge/dlopen, and Open takes it where no better one is: WithCarrier("dlopen") insists.
func LibraryPath(path string) Option {
	return func(s *settings) error {
		if !filepath.IsAbs(path) {
			return invalid("open: the path of the library is not absolute")
		}
		s.libraryPath = path
		return nil
	}
}

// RequireNative makes Open fail where native code cannot run, with every reason, and makes every
// call run natively: small batches are not handed to the portable library, and what native code
// does not take is an error. Together with ForbidNative it is ErrInvalid.
func RequireNative() Option {
	return func(s *settings) error { return s.choose(bridge.RequireNative) }
}

// ForbidNative uses the portable library alone.
func ForbidNative() Option {
	return func(s *settings) error { return s.choose(bridge.ForbidNative) }
}

func (s *settings) choose(policy bridge.Policy) error {
	if s.policy != bridge.PreferNative && s.policy != policy {
		return invalid("open: native code is required and forbidden")
	}
	s.policy = policy
	return nil
}

// SIMDLevel bounds the instruction sets that native kernels use: "base", "avx2", "avx512", or "max"
// for what the machine has. Results are the same at every level. Without it, the environment
// variable TOMBOLO_SIMD_LEVEL is read.
func SIMDLevel(level string) Option {
	return func(s *settings) error {
		parsed, err := parseLevel(level)
		s.level, s.levelGiven = parsed, true
		return err
	}
}

// ResultsOnGoHeap copies each result to the Go heap once, for programs that never call Release.
// What it costs stands in [Counters].CopiedBytes.
func ResultsOnGoHeap() Option {
	return func(s *settings) error {
		s.goHeap = true
		return nil
	}
}

// BytesMax bounds the live bytes of the engine's memory: results and what is built with
// [Engine.Allocator]. A call that would pass it fails with ErrBudget. 0 means no bound.
func BytesMax(bytes int64) Option {
	return func(s *settings) error {
		if bytes < 0 {
			return invalid("open: a byte bound is negative")
		}
		s.bytesMax = bytes
		return nil
	}
}

// PoolBytesMax bounds the result memory that is kept for reuse. The default of 0 means 64 MiB.
func PoolBytesMax(bytes int64) Option {
	return func(s *settings) error {
		if bytes < 0 {
			return invalid("open: a byte bound is negative")
		}
		s.poolBytesMax = bytes
		return nil
	}
}

// WithTelemetry reports every kernel call to a collector. Without it nothing is measured.
func WithTelemetry(collector telemetry.Collector) Option {
	return func(s *settings) error {
		if collector == nil {
			return invalid("open: the collector is nil")
		}
		s.collector = collector
		return nil
	}
}

// Threshold sets the row count from which a kernel runs natively; smaller batches run in the
// portable library, which costs less there because it crosses nothing. 0 runs every batch natively.
// The defaults are those of [Thresholds]. A kernel that no library has is ErrInvalid at Open.
func Threshold(kernel string, rows int64) Option {
	return func(s *settings) error {
		if kernel == "" || rows < 0 {
			return invalid("open: a threshold needs a kernel and a row count that is not negative")
		}
		s.thresholds[kernel] = rows
		return nil
	}
}

func parseLevel(text string) (bridge.SIMDLevel, error) {
	switch text {
	case "", "max":
		return bridge.LevelMax, nil
	case "base":
		return bridge.LevelBase, nil
	case "avx2":
		return bridge.LevelAVX2, nil
	case "avx512":
		return bridge.LevelAVX512, nil
	}
	return bridge.LevelMax, invalid("open: a SIMD level is base, avx2, avx512 or max")
}

func invalid(text string) error { return bridge.NewError(bridge.CodeInvalid, "", text) }
