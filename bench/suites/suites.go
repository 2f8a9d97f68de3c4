// SPDX-License-Identifier: Apache-2.0

// Package suites lists what is measured: the cases, and the variants that run each.
package suites

import (
	"fmt"
	"slices"

	"github.com/tombolo-arrow/tombolo/bench/orchestrator"
)

// Shape overrides what a suite measures; zero values keep the suite's own.
type Shape struct {
	Rows      int // rows of every case
	NullEvery int // every n-th value is null
}

var boundaryVariants = []string{"cdata", "cdata+schema", "cgo", "dlopen", "floor", "floor+dlopen", "portable"}

// Boundary is the crossing alone: export, a consumer that touches every struct field, release, drain.
func Boundary(shape Shape) orchestrator.Suite {
	suite := orchestrator.Suite{Name: "boundary"}
	for _, columns := range []int{1, 8, 32} {
		for _, rows := range rowCounts(shape, 0, 32, 1024, 65536) {
			for _, memory := range []string{"arena", "pinned", "copied"} {
				if memory != "arena" && columns != 8 && rows != 1024 {
					continue
				}
				suite.Cases = append(suite.Cases, roundtrip(columns, rows, memory, shape.NullEvery))
			}
		}
	}
	return suite
}

func roundtrip(columns, rows int, memory string, nullEvery int) orchestrator.CasePlan {
	name := fmt.Sprintf("roundtrip/cols=%d/rows=%d/mem=%s", columns, rows, memory)
	if nullEvery > 0 {
		name += fmt.Sprintf("/nulls=%d", nullEvery)
	}
	return orchestrator.CasePlan{
		Name: name, Variants: boundaryVariants, Baseline: "cdata", Nulls: nullEvery, Reuse: true,
	}
}

// Job is the main job, its stages apart; duckdb does the same joins and aggregates in SQL.
func Job(shape Shape) orchestrator.Suite {
	suite := orchestrator.Suite{Name: "job"}
	for _, rows := range rowCounts(shape, 3_000_000) {
		for _, stage := range []string{"read", "island", "total", "write"} {
			for _, threads := range []int{1, 2} {
				if stage == "write" && threads == 2 {
					continue
				}
				suite.Cases = append(suite.Cases, orchestrator.CasePlan{
					Name:     fmt.Sprintf("job/%s/rows=%d/threads=%d", stage, rows, threads),
					Variants: []string{"duckdb", "cgo", "dlopen", "portable", "auto"}, Baseline: "duckdb",
				})
			}
		}
	}
	return suite
}

// Summary is what fits into three minutes: the crossing at one size, the break-even of two kernels, and the job on
// the embedded sample.
func Summary(shape Shape) orchestrator.Suite {
	suite := orchestrator.Suite{Name: "summary"}
	for _, columns := range []int{1, 8, 32} {
		suite.Cases = append(suite.Cases, roundtrip(columns, 1024, "arena", 0))
	}
	suite.Cases = append(suite.Cases, roundtrip(8, 1024, "pinned", 0))
	for _, kernel := range []string{"less", "filter", "group_by"} {
		for _, rows := range rowCounts(shape, 32, 256, 2048, 16384) {
			suite.Cases = append(suite.Cases, orchestrator.CasePlan{
				Name:     fmt.Sprintf("kernel/%s/rows=%d", kernel, rows),
				Variants: []string{"portable", "cgo", "auto", "arrow-go"}, Baseline: "portable", Reuse: true,
			})
		}
	}
	for _, stage := range []string{"read", "island"} {
		suite.Cases = append(suite.Cases, orchestrator.CasePlan{
			Name:     fmt.Sprintf("job/%s/rows=50000/threads=1", stage),
			Variants: []string{"portable", "cgo", "auto"}, Baseline: "portable",
		})
	}
	return suite
}

// ByName returns a suite, or false.
func ByName(name string, shape Shape) (orchestrator.Suite, bool) {
	switch name {
	case "summary", "":
		return Summary(shape), true
	case "boundary":
		return Boundary(shape), true
	case "job":
		return Job(shape), true
	}
	return orchestrator.Suite{}, false
}

// Names lists the suites.
func Names() []string { return []string{"summary", "boundary", "job"} }

// Only keeps the cases of a suite that carry one of the names.
func Only(suite orchestrator.Suite, names []string) orchestrator.Suite {
	suite.Cases = slices.DeleteFunc(suite.Cases, func(plan orchestrator.CasePlan) bool {
		return !slices.Contains(names, plan.Name)
	})
	return suite
}

func rowCounts(shape Shape, counts ...int) []int {
	if shape.Rows > 0 {
		return []int{shape.Rows}
	}
	return counts
}
