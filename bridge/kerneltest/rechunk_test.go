// SPDX-License-Identifier: Apache-2.0

package kerneltest_test

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/bridge/kerneltest"
)

func TestRechunkIsTheSameEverywhere(t *testing.T) {
	suite := kerneltest.Open(t)
	for _, dataType := range kerneltest.Selectables() {
		t.Run(dataType.String(), func(t *testing.T) {
			random := seeded(t)
			for _, rows := range []int64{1, 3, 63, 64, 65, 100, 1000} {
				var batches []arrow.RecordBatch
				// Four dictionaries of 17 values are as many as int8 counts with room.
				for range random.IntN(4) + 1 {
					f := form{random.IntN(200), random.IntN(64), kerneltest.Nulls(random.IntN(3))}
					batches = append(batches, batchOf(t, f.column(random, dataType)))
				}
				if random.IntN(2) == 0 {
					batches = append(batches, batches[0])
				}
				suite.CheckEmit(prefix(t, rows), "rechunk", batches, bridge.Option{Name: "rows", Value: rows})
			}
		})
	}
}
