// SPDX-License-Identifier: Apache-2.0

package abi

import (
	"os"
	"regexp"
	"strconv"
	"testing"
	"unsafe"
)

// TestMirrorSizes holds the Go structs to the sizes that native/src asserts of the C ones.
func TestMirrorSizes(t *testing.T) {
	for name, size := range map[string][2]uintptr{
		"ArrowSchema":      {unsafe.Sizeof(ArrowSchema{}), ArrowSchemaBytes},
		"ArrowArray":       {unsafe.Sizeof(ArrowArray{}), ArrowArrayBytes},
		"ArrowArrayStream": {unsafe.Sizeof(ArrowArrayStream{}), ArrowArrayStreamBytes},
		"ArrowDeviceArray": {unsafe.Sizeof(ArrowDeviceArray{}), ArrowDeviceArrayBytes},
		"Context":          {unsafe.Sizeof(Context{}), ContextBytes},
		"Object":           {unsafe.Sizeof(Object{}), ObjectBytes},
		"Option":           {unsafe.Sizeof(Option{}), OptionBytes},
		"Kernel":           {unsafe.Sizeof(Kernel{}), KernelBytes},
		"Library":          {unsafe.Sizeof(Library{}), LibraryBytes},
		"ExportBlock":      {unsafe.Sizeof(ExportBlock{}), ExportBlockBytes},
		"AllocatorStats":   {unsafe.Sizeof(AllocatorStats{}), AllocatorStatsBytes},
		"Host":             {unsafe.Sizeof(Host{}), HostBytes},
	} {
		if size[0] != size[1] {
			t.Errorf("%s: %d bytes in Go, %d in C", name, size[0], size[1])
		}
	}
}

func TestMirrorOffsets(t *testing.T) {
	for name, offset := range map[string][2]uintptr{
		"ArrowSchema.Flags":      {unsafe.Offsetof(ArrowSchema{}.Flags), 24},
		"ArrowSchema.Dictionary": {unsafe.Offsetof(ArrowSchema{}.Dictionary), 48},
		"ArrowSchema.Release":    {unsafe.Offsetof(ArrowSchema{}.Release), 56},
		"ArrowArray.Buffers":     {unsafe.Offsetof(ArrowArray{}.Buffers), 40},
		"ArrowArray.Dictionary":  {unsafe.Offsetof(ArrowArray{}.Dictionary), 56},
		"ArrowArray.Release":     {unsafe.Offsetof(ArrowArray{}.Release), 64},
		"ArrowArrayStream.Rel":   {unsafe.Offsetof(ArrowArrayStream{}.Release), 24},
		"ArrowDeviceArray.Type":  {unsafe.Offsetof(ArrowDeviceArray{}.DeviceType), 88},
		"ArrowDeviceArray.Event": {unsafe.Offsetof(ArrowDeviceArray{}.SyncEvent), 96},
		"Context.Cancel":         {unsafe.Offsetof(Context{}.Cancel), 32},
		"Context.Argument":       {unsafe.Offsetof(Context{}.Argument), 56},
		"Context.SIMDLevel":      {unsafe.Offsetof(Context{}.SIMDLevel), 64},
		"Option.TextBytes":       {unsafe.Offsetof(Option{}.TextBytes), 16},
		"Option.Value":           {unsafe.Offsetof(Option{}.Value), 24},
		"Kernel.Bind":            {unsafe.Offsetof(Kernel{}.Bind), 16},
		"Kernel.Close":           {unsafe.Offsetof(Kernel{}.Close), 88},
		"Library.Name":           {unsafe.Offsetof(Library{}.Name), 8},
		"Library.Prepare":        {unsafe.Offsetof(Library{}.Prepare), 48},
		"ExportBlock.Queue":      {unsafe.Offsetof(ExportBlock{}.Queue), 8},
		"ExportBlock.Live":       {unsafe.Offsetof(ExportBlock{}.Live), 16},
		"ExportBlock.Slot":       {unsafe.Offsetof(ExportBlock{}.Slot), 20},
		"Host.ReleaseRoot":       {unsafe.Offsetof(Host{}.ReleaseRoot), 40},
		"Host.Validate":          {unsafe.Offsetof(Host{}.Validate), 72},
		"Host.Nothing":           {unsafe.Offsetof(Host{}.Nothing), 80},
	} {
		if offset[0] != offset[1] {
			t.Errorf("%s: offset %d in Go, %d in C", name, offset[0], offset[1])
		}
	}
}

// TestVersionAgrees reads the number that C is compiled with.
func TestVersionAgrees(t *testing.T) {
	header, err := os.ReadFile("../../native/include/tombolo/version.h")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^#define TOMBOLO_ABI (\d+)`).FindSubmatch(header)
	if found == nil || string(found[1]) != strconv.Itoa(Version) {
		t.Errorf("version.h and abi.Version differ: %q, %d", found, Version)
	}
}
