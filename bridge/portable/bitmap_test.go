// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"math/bits"
	"math/rand/v2"
	"testing"
)

func TestBitmapWordReadsAnyOffset(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	bytes := make([]byte, 40)
	for i := range bytes {
		bytes[i] = byte(random.Uint32())
	}
	for offset := range 80 {
		for _, length := range []int{0, 1, 7, 63, 64, 65, 127, 128, 200, 240} {
			b := bitmap{bytes: bytes, offset: offset, length: length}
			want := 0
			for i := 0; i < length; i += wordRows {
				w := b.word(i)
				for j := range wordRows {
					expect := i+j < length && bytes[(offset+i+j)/8]>>((offset+i+j)%8)&1 != 0
					if got := w>>j&1 != 0; got != expect {
						t.Fatalf("offset %d length %d row %d: %v, want %v", offset, length, i+j, got, expect)
					}
					if expect {
						want++
					}
				}
			}
			if got := b.count(); got != want {
				t.Fatalf("offset %d length %d: %d set, want %d", offset, length, got, want)
			}
		}
	}
}

func TestBitmapWithoutBytesIsAllSet(t *testing.T) {
	b := bitmap{length: 70}
	if b.word(0) != ^uint64(0) || b.word(64) != 63 || b.count() != 70 {
		t.Fatalf("got %x %x %d", b.word(0), b.word(64), b.count())
	}
}

func TestCompressBitsKeepsOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		w, mask := random.Uint64(), random.Uint64()
		if random.IntN(3) == 0 {
			mask &= random.Uint64() & random.Uint64()
		}
		var want uint64
		n := 0
		for j := range wordRows {
			if mask>>j&1 != 0 {
				want |= w >> j & 1 << n
				n++
			}
		}
		if got := compressBits(w, mask); got != want {
			t.Fatalf("compressBits(%x, %x) = %x, want %x", w, mask, got, want)
		}
		if got := compressDense(w, mask); got != want {
			t.Fatalf("compressDense(%x, %x) = %x, want %x", w, mask, got, want)
		}
	}
}

func TestBitWriterAppends(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		out := bitWriter{bytes: make([]byte, 64*8+8)}
		bytes, all, set := out.bytes, []bool{}, 0
		for range random.IntN(9) {
			n := random.IntN(65)
			w := random.Uint64() & lowBits(n)
			out.append(w, n)
			for j := range n {
				all = append(all, w>>j&1 != 0)
			}
			set += bits.OnesCount64(w)
		}
		out.finish()
		for i, want := range all {
			if got := bytes[i/8]>>(i%8)&1 != 0; got != want {
				t.Fatalf("bit %d: %v, want %v", i, got, want)
			}
		}
		if out.set != set {
			t.Fatalf("%d set, want %d", out.set, set)
		}
	}
}
