// SPDX-License-Identifier: Apache-2.0

//go:build linux && (cgo || tombolo_dlopen)

package main

import (
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tombolo-arrow/tombolo/bench/batches"
	"github.com/tombolo-arrow/tombolo/bench/protocol"
	"github.com/tombolo-arrow/tombolo/bridge/abi"

	"github.com/apache/arrow-go/v18/arrow/memory"
)

// prepareFloor is the least that a crossing can cost: an empty call the same way, and the words that an export writes
// for each column: length, null count, offset and its buffers' addresses.
func prepareFloor(c protocol.Case) (*protocol.Prepared, error) {
	columns, rows := c.Int("cols", 8), c.Int("rows", 1024)
	batch := batches.Mixed(memory.NewGoAllocator(), columns, rows, c.Int("nulls", 0))
	defer batch.Release()

	const wordsPerColumn = 6
	block, err := unix.Mmap(-1, 0, 1<<16, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, err
	}
	// The mapping is page-aligned and larger than the words that are written.
	words := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(block))), columns*wordsPerColumn)
	values := make([]uint64, len(words))
	for i, column := range batch.Columns() {
		values[i*wordsPerColumn] = uint64(column.Len())
		values[i*wordsPerColumn+1] = uint64(column.NullN())
		for j := range column.Data().Buffers() {
			values[i*wordsPerColumn+3+j] = uint64(64 * (j + 1))
		}
	}
	entry, err := entryOfBuild()
	if err != nil {
		return nil, err
	}
	table := entry.Caller.Call(entry.Host, abi.Version, 0, 0, 0, 0, 0)
	nothing := (*abi.Host)(*(*unsafe.Pointer)(unsafe.Pointer(&table))).Nothing
	var crossings int64
	return &protocol.Prepared{
		Rows: int64(rows), Columns: int64(columns), Bytes: batches.Bytes(batch),
		Run: func() error {
			for i, value := range values {
				words[i] = value
			}
			entry.Caller.Call(nothing, 1, 0, 0, 0, 0, 0)
			crossings++
			return nil
		},
		Crossings: func() int64 { return crossings },
		Close:     func() { _ = unix.Munmap(block) },
	}, nil
}
