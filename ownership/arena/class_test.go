// SPDX-License-Identifier: Apache-2.0

package arena

import "testing"

func TestClassesCoverEverySize(t *testing.T) {
	previous := uintptr(0)
	for class := range classCount {
		size := classBytes(class)
		if size <= previous || size%alignment != 0 {
			t.Fatalf("class %d has %d bytes after %d", class, size, previous)
		}
		if got := classOf(size); got != class {
			t.Errorf("%d bytes: class %d, want %d", size, got, class)
		}
		if got := classOf(previous + 1); got != class {
			t.Errorf("%d bytes: class %d, want %d", previous+1, got, class)
		}
		if class >= linearClasses && (size-previous)*5 > size {
			t.Errorf("class %d wastes up to %d of %d bytes", class, size-previous, size)
		}
		if slab := slabBytes(size); slab < size || slab%granule != 0 || slab/size > 1<<indexBits {
			t.Errorf("class %d: a slab of %d for blocks of %d", class, slab, size)
		}
		previous = size
	}
	if previous != 1<<sizeBitsMax {
		t.Errorf("the last class has %d bytes", previous)
	}
}
