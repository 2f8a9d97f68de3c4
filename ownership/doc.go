// SPDX-License-Identifier: Apache-2.0

// Package ownership is about who holds memory and until when, whatever way it crosses to native
// code.
//
// Its parts stand alone and know nothing of C calls: ownership/arena allocates outside the Go heap,
// ownership/pin keeps Go-heap buffers in place for a call, ownership/handle says who may release a
// struct, ownership/ledger counts what is out, and ownership/buildtag says whether this is a debug
// build. They may import each other downwards (arena and pin use the ledger) and nothing else of
// this module.
package ownership
