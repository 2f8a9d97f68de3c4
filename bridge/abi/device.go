// SPDX-License-Identifier: Apache-2.0

package abi

import (
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tombolo-arrow/tombolo/bridge"
)

// ReceiveDevice is Receive for a device array (https://arrow.apache.org/docs/format/CDeviceDataInterface.html). The
// processor's memory is imported as any array is. An array on another device, and one that is ready only after an event
// of a device, is refused with an error that matches bridge.ErrUnsupported: no buffer of it is looked at, and both
// structs are released.
func (im *Importer) ReceiveDevice(schema *ArrowSchema, device *ArrowDeviceArray) (*Foreign, error) {
	if device == nil {
		return im.Receive(schema, nil)
	}
	text := ""
	switch {
	case device.Array.Release == 0: // a released array has no device any more
	case device.DeviceType != DeviceCPU:
		text = "memory of device type " + strconv.Itoa(int(device.DeviceType))
	case device.SyncEvent != 0:
		text = "an array of the processor with an event to wait for"
	}
	if text == "" {
		return im.Receive(schema, &device.Array)
	}
	im.refuse(&device.Array)
	if schema != nil {
		releaseSchema(im.caller, schema)
	}
	return nil, bridge.NewError(bridge.CodeUnsupported, "", text)
}

// ExportDevice is Export into a device array of the caller's, outside the Go heap, whose old content is overwritten:
// memory of the processor, ready now. out is unchanged on an error.
func (e *Exporter) ExportDevice(batch arrow.RecordBatch, out *ArrowDeviceArray) error {
	address, err := e.Export(batch)
	if err != nil {
		return err
	}
	from := at[ArrowArray](address)
	*out = ArrowDeviceArray{Array: *from, DeviceID: -1, DeviceType: DeviceCPU}
	from.Release = 0 // moved
	return nil
}
