// SPDX-License-Identifier: Apache-2.0

// Package tidy holds the house rules as tests: who may import whom, who may use unsafe, cgo and purego, how long
// files and functions may get, which names are banned, and that the Go code in Markdown files compiles. Run it by
// `go test ./scripts/tidy`.
package tidy
