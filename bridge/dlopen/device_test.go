// SPDX-License-Identifier: Apache-2.0

//go:build linux

package dlopen

import (
	"testing"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tombolo-arrow/tombolo/bridge/abi"
	"github.com/tombolo-arrow/tombolo/bridge/dlopen/libtest"
	"github.com/tombolo-arrow/tombolo/ownership/arena"
	"github.com/tombolo-arrow/tombolo/ownership/ledger"
)

// TestDeviceArrayThereAndBack exports a batch as an array of the processor's memory and imports it again.
func TestDeviceArrayThereAndBack(t *testing.T) {
	entry, err := Entry(libtest.Path(t))
	if err != nil {
		t.Fatal(err)
	}
	releases, err := abi.HostReleases(entry)
	if err != nil {
		t.Fatal(err)
	}
	l := ledger.New()
	a, err := arena.New(arena.Config{Ledger: l})
	if err != nil {
		t.Fatal(err)
	}
	batch := numbers(t, a)
	exporter, err := abi.NewExporter(batch.Schema(), releases, a, l)
	if err != nil {
		t.Fatal(err)
	}
	room := a.Allocate(abi.ArrowDeviceArrayBytes)
	device := (*abi.ArrowDeviceArray)(unsafe.Pointer(unsafe.SliceData(room)))
	if err := exporter.ExportDevice(batch, device); err != nil {
		t.Fatal(err)
	}
	if device.DeviceType != abi.DeviceCPU || device.DeviceID != -1 || device.SyncEvent != 0 {
		t.Errorf("exported %+v", device)
	}
	importer := abi.NewImporter(entry.Caller, l)
	back, err := importer.Batch(batch.Schema(), &device.Array, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !array.RecordEqual(batch, back) {
		t.Errorf("came back as %v", back)
	}
	back.Release()
	importer.Close()
	a.Free(room)
	batch.Release()
	exporter.Close()
	l.VerifyEmpty(t)
	if err := a.Close(); err != nil {
		t.Error(err)
	}
}
