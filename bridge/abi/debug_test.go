// SPDX-License-Identifier: Apache-2.0

package abi

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tombolo-arrow/tombolo/bridge/conformance"
	"github.com/tombolo-arrow/tombolo/ownership/buildtag"
)

// exportUnpinned exports a batch whose first buffer was swapped for one of the Go heap, as a forgotten pin would.
func exportUnpinned(t *testing.T) {
	w := newWorld(t)
	m := &conformance.Maker{Rand: rand.New(rand.NewPCG(1, 1)), Mem: w.arena}
	values := m.Array(arrow.PrimitiveTypes.Int64, 10)
	defer values.Release()
	schema := arrow.NewSchema([]arrow.Field{{Name: "c", Type: values.DataType()}}, nil)
	batch := array.NewRecordBatch(schema, []arrow.Array{values}, 10)
	defer batch.Release()
	exporter, err := NewExporter(schema, w.releases, w.arena, w.ledger)
	if err != nil {
		t.Fatal(err)
	}
	defer exporter.Close()
	s := exporter.take()
	defer s.recycle()
	if err := s.exportBatch(batch, s.word(), pinForeign); err != nil {
		t.Fatal(err)
	}
	loose := make([]byte, 64)
	*at[uintptr](s.block + s.nodes[1].buffersAt + 8) = addressOf(unsafe.SliceData(loose))
	s.assertCrosses()
}

func TestDebugBuildsRefuseUnpinnedMemory(t *testing.T) {
	defer func() {
		if failure := recover(); (failure != nil) != buildtag.Debug {
			t.Errorf("debug build: %v, panic: %v", buildtag.Debug, failure)
		}
	}()

	exportUnpinned(t)
}
