// SPDX-License-Identifier: Apache-2.0

package arena

import (
	"math/bits"
	"os"
)

// Blocks come in size classes: multiples of 64 bytes up to 512, then four steps for each doubling,
// so that at most a fifth of a block is slack. The slab of a class holds several small blocks or
// one large one.
const (
	alignment      = 64
	linearClasses  = 8                                 // 64, 128, ... 512
	sizeBitsMax    = 40                                // one block holds up to a tebibyte
	classCount     = linearClasses + 4*(sizeBitsMax-9) // the steps from 512 to 1 << sizeBitsMax
	sizeMax        = 1 << min(sizeBitsMax, bits.UintSize-2)
	smallSlab      = 128 << 10 // of blocks up to 16 KiB
	mediumSlab     = 256 << 10 // of blocks up to 64 KiB
	largeBlock     = 1 << 20   // blocks from here on are in the shared shard
	indexBits      = 11        // smallSlab / alignment blocks
	numberBits     = 24        // slabs of an arena
	generationBits = 64 - indexBits - numberBits
)

// granule is the smallest slab and the unit of the address table: a multiple of every page size, and a power of
// two.
var (
	granule      = max(uintptr(16<<10), uintptr(os.Getpagesize()))
	granuleShift = uint(bits.TrailingZeros64(uint64(granule)))
)

// classOf returns the class of a size from 1 to sizeMax.
func classOf(size uintptr) int {
	last := size - 1
	if size <= linearClasses*alignment {
		return int(last / alignment)
	}
	exponent := bits.Len(uint(last)) // 10 for 513 to 1024
	step := int(last>>(exponent-3)) & 3
	return linearClasses + 4*(exponent-10) + step
}

// classBytes returns the block size of a class.
func classBytes(class int) uintptr {
	if class < linearClasses {
		return uintptr(class+1) * alignment
	}
	exponent, step := (class-linearClasses)/4+10, (class-linearClasses)%4
	return uintptr(step+5) << (exponent - 3)
}

// slabBytes returns the size of a slab with blocks of the given size.
func slabBytes(block uintptr) uintptr {
	switch {
	case block <= smallSlab/8:
		return max(smallSlab, granule)
	case block <= mediumSlab/4:
		return max(mediumSlab, granule)
	default:
		return (block + granule - 1) / granule * granule
	}
}
