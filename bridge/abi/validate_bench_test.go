// SPDX-License-Identifier: Apache-2.0

package abi_test

import (
	"context"
	"testing"

	"github.com/tombolo-arrow/tombolo/bridge/abi"
	"github.com/tombolo-arrow/tombolo/bridge/abi/malformed"
)

// BenchmarkValidate reads 65,536 texts of eight bytes, and as many dictionary indices.
func BenchmarkValidate(b *testing.B) {
	const rows = 1 << 16
	offsets, indices := make([]int32, rows+1), make([]int32, rows)
	data := make([]byte, 8*rows)
	for i := range offsets {
		offsets[i] = int32(8 * i)
	}
	for i := range data {
		data[i] = 'a' + byte(i%26)
	}
	texts := &malformed.Node{Format: "u", Length: rows,
		Buffers: [][]byte{nil, malformed.Values(offsets...), data}}
	coded := &malformed.Node{Format: "i", Length: rows,
		Buffers: [][]byte{nil, malformed.Values(indices...)}, Dictionary: texts}
	for name, node := range map[string]*malformed.Node{"text": texts, "dictionary": coded} {
		b.Run(name, func(b *testing.B) {
			tree := malformed.Build(newArena(b), node, 0)
			defer tree.Free()

			b.SetBytes(int64(len(data) + 4*rows))
			for b.Loop() {
				err := abi.Validate(context.Background(), tree.Schema(), tree.Array(), abi.ValidateFull)
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
