// SPDX-License-Identifier: Apache-2.0

package orchestrator

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/tombolo-arrow/tombolo/bench/protocol"
)

// Summarize prints the rows as a table for a person, losses included, and the break-even of each family of cases that
// differ in rows alone.
func Summarize(out io.Writer, rows []Row) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "case\tvariant\tCPU/iteration\trange\twall\tns/row\tallocs\tverdict")
	last := ""
	for _, row := range rows {
		name := row.Case
		if name == last {
			name = ""
		}
		last = row.Case
		perRow := "-"
		if row.Rows > 0 {
			perRow = fmt.Sprintf("%.3f", float64(row.MedianNs)/float64(row.Rows))
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s … %s\t%s\t%s\t%.1f\t%s\n", name, row.Variant, duration(row.MedianNs),
			duration(row.MinNs), duration(row.MaxNs), duration(row.WallNs), perRow, row.Allocs,
			strings.Join(append([]string{row.Verdict}, row.Flags...), "; "))
	}
	_ = table.Flush()
	for _, line := range BreakEven(rows) {
		fmt.Fprintln(out, line)
	}
}

// BreakEven finds, for cases that differ only in rows=, the smallest batch from which on cgo beats portable.
func BreakEven(rows []Row) []string {
	type point struct {
		rows        int
		cgo, golang int64
	}
	var order []string
	families := map[string][]point{}
	for _, row := range rows {
		parsed, err := protocol.ParseCase(row.Case)
		if err != nil || row.Void() {
			continue
		}
		count := parsed.Int("rows", -1)
		if count < 0 || (row.Variant != "cgo" && row.Variant != "portable") {
			continue
		}
		family := strings.Replace(row.Case, fmt.Sprintf("/rows=%d", count), "", 1)
		points := families[family]
		if points == nil {
			order = append(order, family)
		}
		if len(points) == 0 || points[len(points)-1].rows != count {
			points = append(points, point{rows: count})
		}
		if row.Variant == "cgo" {
			points[len(points)-1].cgo = row.MedianNs
		} else {
			points[len(points)-1].golang = row.MedianNs
		}
		families[family] = points
	}
	var lines []string
	for _, family := range order {
		points := families[family]
		even := -1
		complete := len(points) > 1
		for i := len(points) - 1; i >= 0; i-- {
			complete = complete && points[i].cgo > 0 && points[i].golang > 0
			if points[i].cgo >= points[i].golang {
				break
			}
			even = points[i].rows
		}
		switch {
		case !complete:
		case even < 0:
			lines = append(lines, family+": portable is faster at every measured size")
		default:
			lines = append(lines, fmt.Sprintf("%s: native pays from %d rows on", family, even))
		}
	}
	return lines
}

func duration(ns int64) string {
	switch {
	case ns < 10_000:
		return fmt.Sprintf("%d ns", ns)
	case ns < 10_000_000:
		return fmt.Sprintf("%.1f µs", float64(ns)/1e3)
	}
	return fmt.Sprintf("%.1f ms", float64(ns)/1e6)
}
