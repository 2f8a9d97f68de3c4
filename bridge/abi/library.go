// SPDX-License-Identifier: Apache-2.0

package abi

// The structs below mirror native/include/tombolo/library.h and host.h; the comments there say what each field
// means.

// Version is TOMBOLO_ABI: a library is accepted at an equal number only.
const Version = 1

// Option kinds of [Option].
const (
	OptionInteger = 1
	OptionReal    = 2
	OptionText    = 3
	OptionBoolean = 4
	OptionType    = 5
	OptionObject  = 6
)

// Levels of import validation.
const (
	ValidateStructure = 1
	ValidateFull      = 2
)

// Context is tombolo_context.
type Context struct {
	StructBytes int64
	Allocator   uintptr
	BytesMax    int64
	BytesUsed   int64
	Cancel      uintptr
	Error       uintptr
	ErrorBytes  int64
	Argument    int32
	Column      int32
	SIMDLevel   int32
	Reserved    int32
}

// Object is tombolo_object.
type Object struct {
	Kind    uintptr
	Retain  uintptr
	Release uintptr
}

// Option is tombolo_option; Value holds the eight bytes of the union.
type Option struct {
	Name      uintptr
	Kind      int32
	Reserved  int32
	TextBytes int64
	Value     uint64
}

// Kernel is tombolo_kernel.
type Kernel struct {
	Name       uintptr
	Kind       int32
	InputCount int32
	Bind       uintptr
	Unbind     uintptr
	Run        uintptr
	Open       uintptr
	Consume    uintptr
	Merge      uintptr
	Finish     uintptr
	Push       uintptr
	Next       uintptr
	Close      uintptr
}

// Library is tombolo_library.
type Library struct {
	ABI          int32
	SIMDLevel    int32
	Name         uintptr
	Version      uintptr
	SourceDigest uintptr
	KernelCount  int64
	Kernels      uintptr
	Prepare      uintptr
}

// ExportBlock is tombolo_export_block, the head of the memory that holds every struct of one export.
type ExportBlock struct {
	Next     uint64
	Queue    uint64
	Live     int32
	Slot     uint32
	Reserved [5]uint64
}

// AllocatorStats is tombolo_allocator_stats.
type AllocatorStats struct {
	LiveBytes   int64
	LiveCount   int64
	PeakBytes   int64
	PooledBytes int64
	Allocations int64
	PoolHits    int64
}

// Host is tombolo_host.
type Host struct {
	ABI                int32
	Reserved           int32
	AllocatorOpen      uintptr
	AllocatorStats     uintptr
	AllocatorTrim      uintptr
	AllocatorClose     uintptr
	ReleaseRoot        uintptr
	ReleaseChild       uintptr
	ReleaseSchema      uintptr
	ReleaseSchemaChild uintptr
	Validate           uintptr
	Nothing            uintptr
}

// Sizes of the structs in bytes, the same on every 64-bit platform.
const (
	ContextBytes        = 72
	ObjectBytes         = 24
	OptionBytes         = 32
	KernelBytes         = 96
	LibraryBytes        = 56
	ExportBlockBytes    = 64
	AllocatorStatsBytes = 48
	HostBytes           = 88
)
