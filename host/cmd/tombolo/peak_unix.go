// SPDX-License-Identifier: Apache-2.0

//go:build linux || darwin

package main

import (
	"runtime"
	"syscall"
)

// peakBytes is the most memory that this process has held at once, or 0 where it is not known.
func peakBytes() int64 {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	peak := int64(usage.Maxrss)
	if runtime.GOOS == "linux" {
		peak *= 1024 // Linux counts in KiB, Darwin in bytes
	}
	return peak
}
