// SPDX-License-Identifier: Apache-2.0

package ledger

// Kind is a kind of object that has an owner.
type Kind uint8

// The kinds. New ones are added at the end; names are those of String.
const (
	ArenaAllocations Kind = iota // buffers of an arena, held by user batches or by the engine
	ExportBlocks                 // exported batches that the other side has not released
	ExportedSchemas              // schemas laid out as C structs
	ExportedStreams              // streams that the other side has not released
	ImportedArrays               // C arrays that Go arrays look into
	ImportedStreams              // C streams that a Go reader drives
	Pins                         // Go-heap buffers pinned, with their bytes
	Libraries                    // opened libraries
	BoundKernels                 // kernels bound to schemas
	Objects                      // prepared objects: value sets, build sides, reference batches
	States                       // states of accumulate kernels
	Emitters                     // states of emit kernels
	NativeMemory                 // allocations of a native library's allocator
	Scratch                      // off-heap blocks that a carrier keeps while it is open
	Views                        // row views and other looks into a batch
	kindCount
)

var kindNames = [kindCount]string{
	ArenaAllocations: "arena allocations",
	ExportBlocks:     "export blocks",
	ExportedSchemas:  "exported schemas",
	ExportedStreams:  "exported streams",
	ImportedArrays:   "imported arrays",
	ImportedStreams:  "imported streams",
	Pins:             "pins",
	Libraries:        "libraries",
	BoundKernels:     "bound kernels",
	Objects:          "prepared objects",
	States:           "states",
	Emitters:         "emitters",
	NativeMemory:     "native memory",
	Scratch:          "scratch blocks",
	Views:            "views",
}

// String returns the plural noun of a kind.
func (k Kind) String() string {
	if k < kindCount {
		return kindNames[k]
	}
	return "unknown kind"
}

// Kinds lists every kind in the order of the table.
func Kinds() []Kind {
	kinds := make([]Kind, kindCount)
	for i := range kinds {
		kinds[i] = Kind(i)
	}
	return kinds
}
