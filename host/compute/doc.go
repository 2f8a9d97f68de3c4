// SPDX-License-Identifier: Apache-2.0

// Package compute is the kernels of an engine as functions on Arrow batches and columns.
//
// Each kernel has two forms. The one-shot form takes batches and gives the result; the engine keeps
// what it bound for the next call with the same schemas. The bound form, Bind…, resolves a kernel
// once and gives a [Kernel] to run per batch; it saves the look-up and is the one for a loop.
//
// Ownership is the same everywhere. Batches and columns given to a function stay the caller's and
// are only read. Results are the caller's to release, unless the engine was opened with
// host.ResultsOnGoHeap. Functions and kernels are safe for concurrent use; a [Groups] or
// [Rechunker] belongs to one goroutine at a time. Errors are host.Error values that name kernel,
// input and column; a nil engine, nil or released columns, or columns of different length are
// errors too, never a panic.
//
// Batches of Go code are trusted in their values. Lengths, buffers, and the first and last offset
// of a column are checked at every call; text offsets between the first and the last, dictionary
// indices, and views are not, and must be as the Arrow format says. Structs of other libraries are
// validated by bridge/abi, and files are checked by the command.
//
// What each kernel computes to the last bit is written in native/README.md; native code and plain
// Go give the same bits.
package compute
