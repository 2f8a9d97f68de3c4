// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/tombolo-arrow/tombolo/host"
)

type doctorCommand struct{}

// Run prints what an engine finds when it opens as it does for run.
func (c *doctorCommand) Run(ctx context.Context, console console) error {
	engine, err := host.Open(ctx)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(console.out, strings.TrimRight(engine.Doctor().String(), "\n"))
	if peak := peakBytes(); err == nil && peak > 0 {
		_, err = fmt.Fprintf(console.out, "\npeak memory of this process: %s MiB\n",
			grouped(peak>>20))
	}
	return errors.Join(err, engine.Close())
}

type versionCommand struct{}

// Run prints the version that doctor gives, and the commit where the build knows it.
func (c *versionCommand) Run(ctx context.Context, console console) error {
	engine, err := host.Open(ctx, host.ForbidNative(), host.SIMDLevel("max"))
	if err != nil {
		return err
	}
	commit := ""
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, setting := range build.Settings {
			if setting.Key == "vcs.revision" {
				commit = " " + setting.Value
			}
		}
	}
	_, err = fmt.Fprintf(console.out, "tombolo %s%s\n", engine.Info().Version, commit)
	return errors.Join(err, engine.Close())
}
