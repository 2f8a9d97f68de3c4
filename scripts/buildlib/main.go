// SPDX-License-Identifier: Apache-2.0

// Command buildlib makes the shared library from the sources of this module, with the user's compiler: no CMake, no
// clone.
//
//	go run github.com/tombolo-arrow/tombolo/scripts/buildlib -o DIR/libtombolo.so.0
//
// The variable CXX names the compiler; a cross compiler gives a library for its machine.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/tombolo-arrow/tombolo/bridge/dlopen/prebuilt"
)

func main() {
	path := flag.String("o", prebuilt.Name, "the file to write")
	flag.Parse()
	if flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := prebuilt.Build(ctx, *path)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "buildlib:", err)
		os.Exit(1)
	}
	fmt.Println(*path)
}
