// SPDX-License-Identifier: Apache-2.0

// Package cgolink is the carrier that compiles the native library into the program: plain `go build` runs the C++
// compiler on a few unity files over native/src, with no CMake and no library of the system. It registers itself
// with package bridge when it is imported.
//
// It needs cgo, a C++20 compiler (GCC 12 or clang 14), and linux on amd64 or arm64. Elsewhere, and under the tag
// tombolo_portable, it registers the reason and what to do about it. It may import bridge, bridge/abi and native.
package cgolink

// priority places the carrier before every other: no file to find, no trampoline of foreign origin.
const priority = 100
