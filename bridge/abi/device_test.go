// SPDX-License-Identifier: Apache-2.0

package abi_test

import (
	"context"
	"errors"
	"testing"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/bridge/abi"
	"github.com/tombolo-arrow/tombolo/bridge/abi/malformed"
	"github.com/tombolo-arrow/tombolo/ownership/ledger"
)

// TestDeviceArrays takes the processor's arrays and refuses all others without a look at a buffer: theirs point nowhere.
func TestDeviceArrays(t *testing.T) {
	const nowhere = 8
	for name, c := range map[string]struct {
		change func(device *abi.ArrowDeviceArray)
		want   error
	}{
		"processor":           {func(*abi.ArrowDeviceArray) {}, nil},
		"CUDA":                {func(d *abi.ArrowDeviceArray) { d.DeviceType, d.Array.Buffers = 2, nowhere }, bridge.ErrUnsupported},
		"device 0":            {func(d *abi.ArrowDeviceArray) { d.DeviceType, d.Array.Children = 0, nowhere }, bridge.ErrUnsupported},
		"negative device":     {func(d *abi.ArrowDeviceArray) { d.DeviceType, d.Array.Children = -1, nowhere }, bridge.ErrUnsupported},
		"an event to wait on": {func(d *abi.ArrowDeviceArray) { d.SyncEvent = nowhere }, bridge.ErrUnsupported},
	} {
		t.Run(name, func(t *testing.T) {
			mem, l, p := newArena(t), ledger.New(), &producer{t: t}
			tree := malformed.Build(mem, &malformed.Node{Format: "+s", Length: 1, Buffers: [][]byte{nil},
				Children: []*malformed.Node{{Format: "i", Length: 1, Buffers: [][]byte{nil, malformed.Values[int32](7)}}}}, 0)
			tree.Array().Release, tree.Schema().Release = releaseArray, releaseSchema
			device := &abi.ArrowDeviceArray{Array: *tree.Array(), DeviceID: -1, DeviceType: abi.DeviceCPU}
			c.change(device)
			importer := abi.NewImporter(p, l)
			received, err := importer.ReceiveDevice(tree.Schema(), device)
			if !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
			if err == nil {
				batch, err := received.Batch(context.Background(), abi.ValidateFull)
				if err != nil || batch.Column(0).String() != "[7]" {
					t.Errorf("imported %v, %v", batch, err)
				}
				batch.Release()
			}
			if p.arrays != 1 || p.schemas != 1 || device.Array.Release != 0 {
				t.Errorf("released %d arrays and %d schemas", p.arrays, p.schemas)
			}
			importer.Close()
			tree.Free()
			l.VerifyEmpty(t)
		})
	}
}
