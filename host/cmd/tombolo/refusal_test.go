// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

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

// twoFlights is an IPC file of two batches of one flight, with the given delay.
func twoFlights(t *testing.T, delay uint64) []byte {
	t.Helper()
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "date", Type: arrow.FixedWidthTypes.Timestamp_ms},
		{Name: "delay", Type: arrow.PrimitiveTypes.Uint64},
		{Name: "distance", Type: arrow.PrimitiveTypes.Int64},
		{Name: "origin", Type: arrow.BinaryTypes.String},
		{Name: "destination", Type: arrow.BinaryTypes.String},
	}, nil)
	builder := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer builder.Release()

	builder.Field(0).(*array.TimestampBuilder).Append(0)
	builder.Field(1).(*array.Uint64Builder).Append(delay)
	builder.Field(2).(*array.Int64Builder).Append(1536)
	builder.Field(3).(*array.StringBuilder).Append("LAX")
	builder.Field(4).(*array.StringBuilder).Append("MSP")
	batch := builder.NewRecordBatch()
	defer batch.Release()

	var content bytes.Buffer
	writer := ipc.NewWriter(&content, ipc.WithSchema(schema))
	for range 2 {
		if err := writer.Write(batch); err != nil {
			t.Fatal(err)
		}
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return content.Bytes()
}

// A refusal names the file, and the column or the place in it.
func TestRefusalsNameTheirPlace(t *testing.T) {
	good := twoFlights(t, 1)
	broken := bytes.Clone(good)
	copy(broken[bytes.LastIndex(broken, []byte("MSP")):], "\xff\xff\xff")
	tests := []struct {
		name    string
		content []byte
		want    []string
	}{
		{"value of a cast", twoFlights(t, 1<<63), []string{"column delay: cast: value does not"}},
		{"damage", broken, []string{"damaged file: column destination", "after row 1"}},
		{"end", good[:len(good)-100], []string{"damaged file: ", "after row 1"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := write(t, "events", test.content)
			code, _, report := command("run", "-q", "--threads", "1", "--events", path)
			if code != exitFailed || strings.Count(report, "\n") != 1 ||
				strings.Contains(report, ", column") {
				t.Errorf("exit code %d, %q", code, report)
			}
			for _, want := range append(test.want, "tombolo: "+path+": ") {
				if !strings.Contains(report, want) {
					t.Errorf("got %q, want %q", report, want)
				}
			}
		})
	}
}
