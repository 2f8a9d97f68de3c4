// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"io"
	"os"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/tombolo-arrow/tombolo/host/cmd/tombolo/flights"
)

// progress shows how many rows are through; it shows nothing where nobody watches.
type progress struct{ bar *progressbar.ProgressBar }

// newProgress makes a bar on a terminal, for rows or, when they are -1, for an unknown number.
func newProgress(out io.Writer, rows int64, quiet bool) *progress {
	file, ok := out.(*os.File)
	if quiet || !ok || !term.IsTerminal(int(file.Fd())) {
		return &progress{}
	}
	return &progress{bar: progressbar.NewOptions64(rows,
		progressbar.OptionSetWriter(out),
		progressbar.OptionSetDescription("flights"),
		progressbar.OptionShowCount(),
		progressbar.OptionShowIts(),
		progressbar.OptionSetItsString("rows"),
		progressbar.OptionSetWidth(30),
		progressbar.OptionClearOnFinish(),
	)}
}

// consumer moves the bar on.
func (p *progress) consumer() flights.Consumer {
	return func(_ context.Context, batch arrow.RecordBatch) error {
		if p.bar != nil {
			// A bar that cannot be drawn is no reason to stop the work.
			_ = p.bar.Add64(batch.NumRows())
		}
		return nil
	}
}

// finish takes the bar away.
func (p *progress) finish() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}
