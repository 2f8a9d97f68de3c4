// SPDX-License-Identifier: Apache-2.0

//go:build !linux || (!cgo && !tombolo_dlopen)

package main

import "github.com/tombolo-arrow/tombolo/bench/protocol"

// prepareFloor has nothing to measure where nothing crosses.
func prepareFloor(protocol.Case) (*protocol.Prepared, error) { return nil, protocol.ErrUnsupported }
