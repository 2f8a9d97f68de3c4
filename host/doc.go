// SPDX-License-Identifier: Apache-2.0

// Package host is what a program uses: an [Engine] that holds a kernel library, the memory that
// crosses to it, and the count of everything that is out.
//
//	engine, err := host.Open(ctx)
//	if err != nil { ... }
//	defer engine.Close()
//
// The functions on batches are in host/compute. Which carriers are linked in follows from the
// build: with cgo on Linux the native kernels are compiled in; everywhere the same kernels in plain
// Go stand beside them. [Engine.Reasons] and [Engine.Doctor] say what was taken and why.
//
// The package holds no unsafe code. It may import everything below it: bridge, ownership, arrow-go.
package host
