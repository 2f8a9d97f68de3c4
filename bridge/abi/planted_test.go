// SPDX-License-Identifier: Apache-2.0

//go:build tombolo_planted

package abi

import "testing"

// TestPlantedUnpinnedExport exports memory of the Go heap without a pin: built with tombolo_planted and
// tombolo_debug it must fail.
func TestPlantedUnpinnedExport(t *testing.T) { exportUnpinned(t) }
