// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/tombolo-arrow/tombolo/host"
)

var errFull = errors.New("no space left")

// fullAfter takes so many bytes and refuses the rest.
type fullAfter struct{ left int }

func (f *fullAfter) Write(text []byte) (int, error) {
	if f.left -= len(text); f.left < 0 {
		return 0, errFull
	}
	return len(text), nil
}

// Results that cannot be printed are a failure, wherever the output ends.
func TestFullOutput(t *testing.T) {
	for _, line := range []string{
		"run -q", "run", "run -q --stats", "doctor", "version", "--help", "run --help",
	} {
		t.Run(line, func(t *testing.T) {
			var whole strings.Builder
			arguments := strings.Fields(line)
			start(arguments, console{out: &whole, report: &strings.Builder{}})
			// Lengths of times differ from run to run: the last cut stays clear of the end.
			for _, left := range []int{0, whole.Len() / 2} {
				var report strings.Builder
				code := start(arguments, console{out: &fullAfter{left}, report: &report})
				if code != exitFailed || strings.Count(report.String(), "\n") != 1 ||
					!strings.Contains(report.String(), errFull.Error()) {
					t.Errorf("after %d bytes: exit code %d, %q", left, code, report.String())
				}
			}
		})
	}
}

// The level of the environment holds for run as for doctor, unless --simd is given.
func TestLevelOfTheEnvironment(t *testing.T) {
	t.Setenv(host.SIMDLevelVariable, "junk")
	for _, name := range []string{"run", "doctor"} {
		code, _, report := command(name)
		if code != exitFailed || !strings.Contains(report, host.SIMDLevelVariable) {
			t.Errorf("%s: exit code %d, %q", name, code, report)
		}
	}
	if code, _, report := command("run", "-q", "--simd", "base"); code != 0 {
		t.Errorf("--simd does not stand above the environment: %d, %q", code, report)
	}
	if code, out, _ := command("version"); code != 0 || !strings.HasPrefix(out, "tombolo 0.1.0") {
		t.Errorf("version: exit code %d, %q", code, out)
	}
	if err := os.Setenv(host.SIMDLevelVariable, "base"); err != nil {
		t.Fatal(err)
	}
	if code, _, report := command("run", "-q"); code != 0 {
		t.Errorf("a level of the environment: exit code %d, %q", code, report)
	}
}
