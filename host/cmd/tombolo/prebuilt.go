// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tombolo-arrow/tombolo/bridge/dlopen/prebuilt"
)

type prebuiltCommand struct {
	Out     string `short:"o" required:"" placeholder:"DIR" type:"path" help:"Folder, and name, of the package."`
	Library string `placeholder:"FILE" type:"existingfile" help:"Take this library instead of compiling one."`
}

// Run writes a package that carries the native library, for programs without cgo.
func (c *prebuiltCommand) Run(ctx context.Context, console console) error {
	path := c.Library
	if path == "" {
		folder, err := os.MkdirTemp("", "tombolo-prebuilt")
		if err != nil {
			return err
		}
		defer os.RemoveAll(folder)

		fmt.Fprintln(console.report, "compiling the native library; this takes about half a minute ...")
		path = filepath.Join(folder, prebuilt.Name)
		if err := prebuilt.Build(ctx, path); err != nil {
			return err
		}
	}
	library, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	written, err := prebuilt.Write(c.Out, library)
	if err != nil {
		return err
	}
	for _, file := range written {
		fmt.Fprintln(console.out, file)
	}
	fmt.Fprintln(console.out, "import the package beside github.com/tombolo-arrow/tombolo/bridge/dlopen")
	return nil
}
