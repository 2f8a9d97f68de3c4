// SPDX-License-Identifier: Apache-2.0

// Package arena is an arrow-go allocator over memory outside the Go heap.
package arena

// Arena is an arrow-go memory.Allocator over memory outside the Go heap.
type Arena struct{}
