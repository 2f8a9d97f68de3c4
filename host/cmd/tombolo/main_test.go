// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/bridge/dlopen/libtest"
	"github.com/tombolo-arrow/tombolo/host/cmd/tombolo/dataset"
)

var rewrite = flag.Bool("rewrite", false, "write the expected texts in testdata anew")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"tombolo": main})
}

// TestScripts runs the command as a user does: testdata/*.txtar.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata",
		UpdateScripts: *rewrite,
		Setup: func(env *testscript.Env) error {
			var events bytes.Buffer
			if _, err := dataset.SampleEvents().WriteTo(&events); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(env.WorkDir, "sample.parquet"), events.Bytes(), 0o644)
		},
	})
}

// command runs the command in this process.
func command(arguments ...string) (code int, out, report string) {
	var stdout, stderr strings.Builder
	code = start(arguments, console{out: &stdout, report: &stderr})
	return code, stdout.String(), stderr.String()
}

// digests are the SHA-256 of the files in a folder, as sha256sum prints them.
func digests(t *testing.T, folder string) string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var list strings.Builder
	for _, entry := range entries {
		content, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		digest := sha256.Sum256(content)
		fmt.Fprintf(&list, "%s  %s\n", hex.EncodeToString(digest[:]), entry.Name())
	}
	return list.String()
}

// Result files are the same bytes for every carrier, level and number of threads, on every machine.
func TestFilesAreTheSameBytes(t *testing.T) {
	var natives, portables [][]string
	for _, carrier := range bridge.Carriers() {
		if carrier.Unavailable != "" {
			continue
		}
		for _, threads := range []string{"1", "2"} {
			run := []string{"--bridge", carrier.Name, "--threads", threads}
			if !carrier.Native {
				portables = append(portables, run)
				continue
			}
			for _, level := range []string{"base", "avx2", "avx512"} {
				natives = append(natives, append(run[:4:4], "--simd", level))
			}
		}
	}
	// The portable library is the reference: it writes the list anew.
	runs := append(append(portables, natives...), []string{"--threads", "3"})
	const golden = "testdata/sample.sha256"
	for i, run := range runs {
		t.Run(strings.Join(run, " "), func(t *testing.T) {
			if slices.Contains(run, "dlopen") {
				t.Setenv("TOMBOLO_LIBRARY", libtest.Path(t))
			}
			folder := filepath.Join(t.TempDir(), "results")
			code, _, report := command(append([]string{"run", "-q", "--out", folder}, run...)...)
			if code != 0 {
				t.Fatalf("exit code %d: %s", code, report)
			}
			got := digests(t, folder)
			if *rewrite && i == 0 {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func write(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// Bad input ends in one line on the error output that says what is wrong, exit code 1, and no
// output.
func TestBadInput(t *testing.T) {
	var sample bytes.Buffer
	if _, err := dataset.SampleEvents().WriteTo(&sample); err != nil {
		t.Fatal(err)
	}
	inside := bytes.Clone(sample.Bytes())
	for i := 2_000; i < 6_000; i++ {
		inside[i] ^= 0x5a
	}
	blocked := write(t, "file", nil)
	taken := t.TempDir()
	if err := os.MkdirAll(filepath.Join(taken, "flights.csv", "below"), 0o755); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name      string
		arguments []string
		want      string
	}{
		{"no events", []string{"--events", filepath.Join(t.TempDir(), "absent")}, "no such file"},
		{"events of another format", []string{"--events", write(t, "e", []byte("hello"))},
			"neither Parquet nor Arrow IPC"},
		{"cut events", []string{"--events", write(t, "e", sample.Bytes()[:sample.Len()/2])},
			"damaged file"},
		{"damaged events", []string{"--events", write(t, "e", inside)}, "damaged file"},
		{"ipc without footer", []string{"--events", write(t, "e", []byte("ARROW1\x00\x00abc"))},
			"damaged file"},
		{"reference without columns",
			[]string{"--reference", write(t, "r", []byte("iata,state\nAAA,XX\n"))},
			"missing column: latitude, longitude"},
		{"reference with a key twice", []string{"--reference",
			write(t, "r", []byte("iata,state,latitude,longitude\nA,X,1,1\nA,X,1,1\n"))},
			"each iata must be in the reference at most once"},
		{"reference with a word for a number", []string{"--reference",
			write(t, "r", []byte("iata,state,latitude,longitude\nA,X,north,1\n"))},
			"a coordinate is not a number"},
		{"reference that is no table", []string{"--reference", write(t, "r", sample.Bytes())},
			"missing column"},
		{"no data for full", []string{"--full", "--data", t.TempDir()}, "scripts/data"},
		{"other data for full", []string{"--full", "--data",
			filepath.Dir(write(t, dataset.Flights.Name, make([]byte, dataset.Flights.Bytes)))},
			"checksum"},
		{"output below a file", []string{"--out", filepath.Join(blocked, "below")},
			"not a directory"},
		{"output name taken by a folder", []string{"--out", taken}, "flights.csv"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "results")
			arguments := append([]string{"run", "--out", folder}, test.arguments...)
			code, out, report := command(arguments...)
			if code != exitFailed || out != "" {
				t.Errorf("exit code %d, output %q", code, out)
			}
			if !strings.Contains(report, test.want) || strings.Count(report, "\n") != 1 {
				t.Errorf("got %q, want one line with %q", report, test.want)
			}
			if _, err := os.Stat(folder); err == nil {
				t.Error("the output folder is there")
			}
			if left, _ := filepath.Glob(filepath.Join(taken, ".*")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestUsage(t *testing.T) {
	tests := []struct {
		name      string
		arguments []string
		want      string
	}{
		{"nothing", nil, "expected one of"},
		{"unknown command", []string{"walk"}, "unexpected argument"},
		{"unknown flag", []string{"run", "--fast"}, "unknown flag"},
		{"unknown carrier", []string{"run", "--bridge", "ferry"}, "must be one of"},
		{"threads", []string{"run", "--threads", "100000"}, "--threads is"},
		{"negative threads", []string{"run", "--threads", "-1"}, "--threads is"},
		{"unknown level", []string{"run", "--simd", "fast"}, "--simd must be one of"},
		{"two sources", []string{"run", "--full", "--events", "x"}, "--full"},
		{"batch", []string{"run", "--batch", "0"}, "--batch"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			code, _, report := command(test.arguments...)
			if code != exitUsage || !strings.Contains(report, test.want) {
				t.Errorf("exit code %d, %q; want %d and %q", code, report, exitUsage, test.want)
			}
		})
	}
}

func TestGrouped(t *testing.T) {
	for number, want := range map[int64]string{
		0: "0", 7: "7", 999: "999", 1000: "1,000", -999: "-999", -1000: "-1,000",
		20_003_603: "20,003,603",
	} {
		if got := grouped(number); got != want {
			t.Errorf("grouped(%d) = %q, want %q", number, got, want)
		}
	}
}
