// SPDX-License-Identifier: Apache-2.0

package orchestrator

import "fmt"

// judge compares every row of one case with the baseline's and fills Verdict, Ratio and Flags. Ranges that overlap
// are no result; a busy machine gives no verdict at all.
func judge(rows []Row, baseline string, busy bool) {
	var base *Row
	for i := range rows {
		voidOnCrossings(&rows[i])
		if rows[i].Variant == baseline {
			base = &rows[i]
		}
	}
	for i := range rows {
		row := &rows[i]
		switch {
		case row.Void():
			row.Verdict = "void"
		case busy:
			row.Verdict = "machine busy"
		case base == nil || base.Void():
			row.Verdict = "no baseline"
		case row.Variant == baseline:
			row.Verdict = "baseline"
			row.Ratio = 1
		default:
			row.Ratio = float64(base.MedianNs) / float64(max(row.MedianNs, 1))
			row.Verdict = compare(*row, *base)
		}
	}
}

func compare(row, base Row) string {
	switch {
	case row.MaxNs < base.MinNs:
		return fmt.Sprintf("%.2fx faster", row.Ratio)
	case row.MinNs > base.MaxNs:
		return fmt.Sprintf("%.2fx slower", 1/row.Ratio)
	}
	return "no result: ranges overlap"
}

// nativeVariants are expected to cross; every other Go variant is expected not to.
var nativeVariants = map[string]bool{"cgo": true, "dlopen": true, "cdata": true, "cdata+schema": true, "floor": true}

func voidOnCrossings(row *Row) {
	switch {
	case nativeVariants[row.Variant] && row.Crossings == 0:
		row.Flags = append(row.Flags, "void: a native row without crossings")
	case row.Variant == "portable" && row.Crossings > 0:
		row.Flags = append(row.Flags, "void: a portable row with crossings")
	}
}
