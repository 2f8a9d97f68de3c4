// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"encoding/binary"
	"math/bits"

	"github.com/apache/arrow-go/v18/arrow"
)

// wordRows is how many rows one validity word covers. Loops go a word at a time, so that rows without a null pay
// nothing for nulls.
const wordRows = 64

// bitmap reads bits of a column, a word at a time, from any bit offset. A bitmap without bytes has all bits set.
type bitmap struct {
	bytes  []byte
	offset int
	length int
}

// validBits returns the validity of a column; without bytes when it has no null. A column of type null keeps no
// bitmap and is the caller's to handle.
func validBits(data arrow.ArrayData) bitmap {
	valid := bitmap{length: data.Len()}
	if bytes := bufferBytes(data, 0); data.NullN() != 0 && len(bytes) > 0 {
		valid.bytes, valid.offset = bytes, data.Offset()
	}
	return valid
}

// valueBits returns the values of a bool column.
func valueBits(data arrow.ArrayData) bitmap {
	values := bitmap{length: data.Len(), offset: data.Offset()}
	if buffer := data.Buffers()[1]; buffer != nil {
		values.bytes = buffer.Bytes()
	}
	return values
}

// lowBits has the low n bits set; n from 0 to 64.
func lowBits(n int) uint64 {
	if n >= wordRows {
		return ^uint64(0)
	}
	return 1<<uint(n) - 1
}

// bit says whether the bit of row i is set.
func (b bitmap) bit(i int) bool {
	i += b.offset
	return b.bytes == nil || b.bytes[i>>3]>>(i&7)&1 != 0
}

// word returns the bits of rows i to i+63; those past the last row are clear.
func (b bitmap) word(i int) uint64 {
	rows := b.length - i
	if b.bytes == nil {
		return lowBits(rows)
	}
	position := b.offset + i
	at, shift := position>>3, uint(position&7)
	if rows >= wordRows && at+9 <= len(b.bytes) {
		tail := b.bytes[at : at+9 : at+9]
		return binary.LittleEndian.Uint64(tail)>>shift | uint64(tail[8])<<(64-shift)
	}
	return b.tailWord(at, shift) & lowBits(rows)
}

// tailWord gathers a word whose bytes may end early.
func (b bitmap) tailWord(at int, shift uint) uint64 {
	var w uint64
	rest := b.bytes[at:]
	if len(rest) >= 8 {
		w = binary.LittleEndian.Uint64(rest)
	} else {
		for i, c := range rest {
			w |= uint64(c) << (8 * uint(i))
		}
	}
	w >>= shift
	if len(rest) > 8 {
		w |= uint64(rest[8]) << (64 - shift)
	}
	return w
}

// count returns how many bits are set.
func (b bitmap) count() int {
	if b.bytes == nil {
		return b.length
	}
	n := 0
	for i := 0; i < b.length; i += wordRows {
		n += bits.OnesCount64(b.word(i))
	}
	return n
}

// putWord stores the bits of rows i to i+63 of a result; i is a multiple of 64 and the buffer is padded to 8 bytes.
func putWord(bytes []byte, i int, w uint64) {
	binary.LittleEndian.PutUint64(bytes[i>>3:], w)
}

// bitWriter appends bits, some at a time, to a buffer padded to 8 bytes.
type bitWriter struct {
	bytes   []byte
	pending uint64
	used    uint // bits in pending
	set     int  // ones written so far
}

// append adds the low n bits of w; the bits above them are clear and n is at most 64.
func (o *bitWriter) append(w uint64, n int) {
	o.set += bits.OnesCount64(w)
	o.pending |= w << o.used
	if room := wordRows - o.used; uint(n) >= room {
		binary.LittleEndian.PutUint64(o.bytes, o.pending)
		o.bytes = o.bytes[8:]
		o.pending = w >> room // a shift by 64 gives 0
		o.used = uint(n) - room
		return
	}
	o.used += uint(n)
}

// finish writes what is pending.
func (o *bitWriter) finish() {
	if o.used > 0 {
		binary.LittleEndian.PutUint64(o.bytes, o.pending)
	}
}

// compressBits moves the bits of w whose mask bit is set to the low end, in order.
func compressBits(w, mask uint64) uint64 {
	if w&mask == mask {
		return lowBits(bits.OnesCount64(mask))
	}
	if w&mask == 0 {
		return 0
	}
	var out uint64
	if bits.OnesCount64(mask) <= 12 {
		for n := uint(0); mask != 0; mask &= mask - 1 {
			out |= w >> uint(bits.TrailingZeros64(mask)) & 1 << n
			n++
		}
		return out
	}
	return compressDense(w, mask)
}

// compressDense is the parallel form: six rounds, each of which moves the bits whose distance has that bit set.
func compressDense(w, mask uint64) uint64 {
	w &= mask
	gaps := ^mask << 1
	for round := uint(0); round < 6; round++ {
		parity := gaps ^ gaps<<1
		parity ^= parity << 2
		parity ^= parity << 4
		parity ^= parity << 8
		parity ^= parity << 16
		parity ^= parity << 32
		move := parity & mask
		mask = mask ^ move | move>>(1<<round)
		moved := w & move
		w = w ^ moved | moved>>(1<<round)
		gaps &^= parity
	}
	return w
}
