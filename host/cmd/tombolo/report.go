// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/tombolo-arrow/tombolo/host"
	"github.com/tombolo-arrow/tombolo/host/cmd/tombolo/flights"
	"github.com/tombolo-arrow/tombolo/host/cmd/tombolo/sink"
)

// print shows tables, statistics and, last, the proof; its failure is the command's.
func (c *runCommand) print(
	console console, engine *host.Engine, output *output, result *flights.Result,
) error {
	if !c.Quiet && c.Rows > 0 {
		first, err := output.firstRows()
		if err != nil {
			return err
		}
		defer first.Release()

		if err := sink.Print(console.out, rowsName, first, c.Rows); err != nil {
			return err
		}
		for _, table := range result.Tables {
			if err := sink.Print(console.out, table.Name, table.Batch, c.Rows); err != nil {
				return err
			}
		}
	}
	if c.Out != "" && !c.Quiet {
		fmt.Fprintf(console.out, "rows and tables are in %s\n", c.Out)
	}
	if c.Stats {
		printStats(console.out, engine, c.times, output, result)
	}
	return c.prove(console.out, result)
}

// prove prints how many distances agree, and compares the figures of known data with what is known.
func (c *runCommand) prove(out io.Writer, result *flights.Result) error {
	fmt.Fprintf(out, "%s of %s distances agree within 1.5 %%\n",
		grouped(result.Agree), grouped(result.Rows))
	if unmatched := result.Rows - result.Measured; unmatched > 0 {
		fmt.Fprintf(out, "%s rows have an end that is not in the reference\n", grouped(unmatched))
	}
	fmt.Fprintf(out, "sum of delay %s minutes, sum of distance %s miles\n",
		grouped(result.DelaySum), grouped(int64(result.DistanceSum)))

	known := c.facts()
	if known == nil {
		return nil
	}
	routes := result.Tables[flights.ByRoute].Batch.NumRows()
	if result.Rows != known.Rows || result.Agree != known.Rows ||
		result.DelaySum != known.DelaySum || int64(result.DistanceSum) != known.DistanceSum ||
		routes != int64(known.Routes) {
		return errProof
	}
	return nil
}

func printStats(
	out io.Writer, engine *host.Engine, times *kernelTimes, output *output, result *flights.Result,
) {
	counters, stats := engine.Counters(), result.Stats
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "stage\ttime\trows/s\tbytes copied\t\n")
	line := func(name string, spent time.Duration, copied string) {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t\n",
			name, rounded(spent), rate(result.Rows, spent), copied)
	}
	line("read", stats.Read, "") // what file readers copy is not measured
	line("island", stats.Map+stats.Aggregate,
		grouped(counters.CopiedBytes+counters.Library.CopiedBytes))
	line("of it, rows", stats.Map, "")
	line("of it, groups", stats.Aggregate, "")
	line("write", stats.Consume, grouped(output.copied.Load()))
	line("all (wall)", stats.Wall, "")
	table.Flush()
	times.print(out)

	info := engine.Info()
	fmt.Fprintf(out, "carrier %s, ABI %d; calls: %s native, %s portable, %s fallbacks\n",
		info.Carrier, info.ABI, grouped(counters.Native), grouped(counters.Portable),
		grouped(counters.Fallbacks))
	fmt.Fprintf(out, "crossings %s, exports %s, imports %s, pinned buffers %s\n",
		grouped(counters.Library.Crossings), grouped(counters.Library.Exports),
		grouped(counters.Library.Imports), grouped(counters.Library.PinnedBuffers))
	if peak := peakBytes(); peak > 0 {
		fmt.Fprintf(out, "peak memory %s MiB\n", grouped(peak>>20))
	}
	fmt.Fprintf(out, "ledger, with the tables above still held:\n%s", engine.Ledger().Snapshot())
}

func rounded(spent time.Duration) time.Duration { return spent.Round(10 * time.Microsecond) }

// rate is rows in a second, or a dash where no time was measured.
func rate(rows int64, spent time.Duration) string {
	if spent <= 0 {
		return "–"
	}
	return grouped(int64(float64(rows) / spent.Seconds()))
}

// grouped writes a number with a comma before every three digits.
func grouped(number int64) string {
	digits := strconv.FormatInt(number, 10)
	first := 0
	if number < 0 {
		first = 1
	}
	for at := len(digits) - 3; at > first; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}
