// SPDX-License-Identifier: Apache-2.0

//go:build tombolo_planted

package ledger_test

import (
	"testing"

	"github.com/tombolo-arrow/tombolo/ownership/ledger"
)

// TestPlantedLeak forgets an object on purpose: built with tombolo_planted it must fail, which
// proves that the ledger check of every other test can.
func TestPlantedLeak(t *testing.T) {
	l := ledger.New()
	l.Add(ledger.ExportBlocks, 64)
	l.VerifyEmpty(t)
}
