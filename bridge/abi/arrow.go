// SPDX-License-Identifier: Apache-2.0

package abi

// The structs below mirror native/include/tombolo/abi.h. Pointers are integers: what they point to lies outside
// the Go heap, so the collector must not look at them.

// Flags of a schema.
const (
	FlagDictionaryOrdered = 1
	FlagNullable          = 2
	FlagMapKeysSorted     = 4
)

// ArrowSchema is struct ArrowSchema of the C Data Interface.
type ArrowSchema struct {
	Format      uintptr
	Name        uintptr
	Metadata    uintptr
	Flags       int64
	NChildren   int64
	Children    uintptr
	Dictionary  uintptr
	Release     uintptr
	PrivateData uintptr
}

// ArrowArray is struct ArrowArray of the C Data Interface.
type ArrowArray struct {
	Length      int64
	NullCount   int64
	Offset      int64
	NBuffers    int64
	NChildren   int64
	Buffers     uintptr
	Children    uintptr
	Dictionary  uintptr
	Release     uintptr
	PrivateData uintptr
}

// ArrowArrayStream is struct ArrowArrayStream of the C Stream Interface.
type ArrowArrayStream struct {
	GetSchema    uintptr
	GetNext      uintptr
	GetLastError uintptr
	Release      uintptr
	PrivateData  uintptr
}

// DeviceCPU is the device type of memory that the processor reads.
const DeviceCPU = 1

// ArrowDeviceArray is struct ArrowDeviceArray of the C Device Data Interface.
type ArrowDeviceArray struct {
	Array      ArrowArray
	DeviceID   int64
	DeviceType int32
	_          int32
	SyncEvent  uintptr
	Reserved   [3]int64
}

// Sizes of the structs in bytes, the same on every 64-bit platform.
const (
	ArrowSchemaBytes      = 72
	ArrowArrayBytes       = 80
	ArrowArrayStreamBytes = 40
	ArrowDeviceArrayBytes = 128
)
