// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"text/tabwriter"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/ownership/arena"
	"github.com/tombolo-arrow/tombolo/ownership/buildtag"
	"github.com/tombolo-arrow/tombolo/ownership/ledger"
)

// Doctor is what an engine knows about itself: what a bug report needs.
type Doctor struct {
	GoVersion    string
	Platform     string // GOOS/GOARCH
	Cgo          bool   // the build has cgo
	Debug        bool   // built with the tag tombolo_debug
	Processors   int
	Carriers     []bridge.Reason
	Libraries    []bridge.Info // open now, the preferred one first
	SIMDVariable string        // the value of TOMBOLO_SIMD_LEVEL
	Kernels      int           // of the preferred library
	Arena        arena.Stats
	Memory       ledger.Snapshot
	Counters     Counters
	Problem      string // why the engine does not work any more, or ""
}

// Doctor examines the engine. It is safe for concurrent use and works on a closed or poisoned
// engine.
func (e *Engine) Doctor() Doctor {
	d := Doctor{
		GoVersion: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Cgo: cgoBuild, Debug: buildtag.Debug, Processors: runtime.GOMAXPROCS(0),
		SIMDVariable: os.Getenv(SIMDLevelVariable),
	}
	if err := e.enter(context.Background()); err != nil {
		d.Problem = err.Error()
	}
	if !e.opened() {
		return d
	}
	d.Carriers = e.Reasons()
	d.Libraries = append(d.Libraries, e.preferred().Info())
	if e.native != nil {
		d.Libraries = append(d.Libraries, e.portable.Info())
	}
	d.Kernels = len(e.preferred().Kernels())
	d.Arena = e.arena.Stats()
	d.Memory = e.ledger.Snapshot()
	d.Counters = e.Counters()
	return d
}

// String prints the findings for a terminal.
func (d Doctor) String() string {
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "build\t%s, %s, cgo %s, %d processors\n",
		d.GoVersion, d.Platform, onOff(d.Cgo), d.Processors)
	if d.Debug {
		fmt.Fprintf(table, "\tdebug build: slow, and it panics on broken invariants\n")
	}
	for _, reason := range d.Carriers {
		fmt.Fprintf(table, "carrier %s\t%s\n", reason.Carrier, reason.Text)
		if reason.Remedy != "" {
			fmt.Fprintf(table, "\tto enable: %s\n", reason.Remedy)
		}
	}
	for _, info := range d.Libraries {
		fmt.Fprintf(table, "library %s\t%s %s, ABI %d, SIMD level %s",
			info.Carrier, info.Name, info.Version, info.ABI, info.SIMDLevel)
		if info.SourceDigest != "" {
			fmt.Fprintf(table, ", sources %s", info.SourceDigest[:min(12, len(info.SourceDigest))])
		}
		fmt.Fprintln(table)
	}
	fmt.Fprintf(table, "kernels\t%d\n", d.Kernels)
	if d.SIMDVariable != "" {
		fmt.Fprintf(table, "%s\t%s\n", SIMDLevelVariable, d.SIMDVariable)
	}
	fmt.Fprintf(table, "arena\t%d bytes live, %d held, %d at most so far\n",
		d.Arena.LiveBytes, d.Arena.HeldBytes, d.Arena.HeldBytesPeak)
	if d.Problem != "" {
		fmt.Fprintf(table, "problem\t%s\n", d.Problem)
	}
	table.Flush()
	if memory := d.Memory.String(); memory != "" {
		text.WriteString("\n" + memory)
	}
	return text.String()
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}
