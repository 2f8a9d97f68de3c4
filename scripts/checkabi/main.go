// SPDX-License-Identifier: Apache-2.0

// Command checkabi looks at a built libtombolo and its archive: what the library needs, what it exports, and
// whether code for a SIMD level could be taken by code that runs everywhere.
//
//	go run ./scripts/checkabi -shared build/ctest/libtombolo.so -archive build/ctest/libtombolo.a
//
// It prints one line for each fault and exits 1 when there was one.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	shared := flag.String("shared", "", "the shared library")
	archive := flag.String("archive", "", "the static library")
	flag.Parse()

	var faults []string
	if *shared != "" {
		found, err := checkShared(*shared)
		exitOn(err)
		faults = append(faults, found...)
	}
	if *archive != "" {
		found, err := checkArchive(*archive)
		exitOn(err)
		faults = append(faults, found...)
	}
	for _, fault := range faults {
		fmt.Fprintln(os.Stderr, "checkabi:", fault)
	}
	if len(faults) > 0 {
		os.Exit(1)
	}
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "checkabi:", err)
		os.Exit(1)
	}
}
