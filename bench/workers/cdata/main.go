// SPDX-License-Identifier: Apache-2.0

// Command cdata is the benchmark's worker for arrow-go's own C Data implementation: the array alone, or with its
// schema, exported to the same consumer that the tombolo variants cross to.
package main

// #cgo CFLAGS: -O3 -I${SRCDIR}/../../../native/include
// #include <stdlib.h>
// #include <tombolo/abi.h>
// #include "consumer.h"
import "C"

import (
	"fmt"
	"os"
	"strconv"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/cdata"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/arrow/memory/mallocator"

	"github.com/tombolo-arrow/tombolo/bench/batches"
	"github.com/tombolo-arrow/tombolo/bench/protocol"
)

type worker struct{ variant string }

func (w worker) Hello() protocol.Answer {
	return protocol.Answer{Variant: w.variant, Version: arrow.PkgVersion, Native: true}
}

func (w worker) Prepare(c protocol.Case) (*protocol.Prepared, error) {
	if c.Family != "roundtrip" {
		return nil, protocol.ErrUnsupported
	}
	var allocator memory.Allocator = mallocator.NewMallocator()
	if c.Text("mem", "arena") != "arena" {
		allocator = memory.NewGoAllocator()
	}
	columns, rows := c.Int("cols", 8), c.Int("rows", 1024)
	batch := batches.Mixed(allocator, columns, rows, c.Int("nulls", 0))
	// The C structs are zeroed C memory, as the package's documentation asks.
	arrayAddress := C.calloc(1, C.size_t(C.sizeof_struct_ArrowArray))
	schemaAddress := C.calloc(1, C.size_t(C.sizeof_struct_ArrowSchema))
	array := cdata.ArrayFromPtr(uintptr(arrayAddress))
	var schema *cdata.CArrowSchema
	if w.variant == "cdata+schema" {
		schema = cdata.SchemaFromPtr(uintptr(schemaAddress))
	}
	var crossings, sum int64
	run := func() error {
		cdata.ExportArrowRecordBatch(batch, array, schema)
		if schema != nil {
			sum = int64(C.bench_consume_both(C.uintptr_t(uintptr(arrayAddress)), C.uintptr_t(uintptr(schemaAddress))))
		} else {
			sum = int64(C.bench_consume_array(C.uintptr_t(uintptr(arrayAddress))))
		}
		crossings++
		return nil
	}
	if err := run(); err != nil {
		return nil, err
	}
	digest := ""
	if w.variant == "cdata" {
		digest = strconv.FormatInt(sum, 10)
	}
	return &protocol.Prepared{
		Rows: int64(rows), Columns: int64(columns), Bytes: batches.Bytes(batch), Digest: digest,
		Run: run, Crossings: func() int64 { return crossings },
		Close: func() {
			batch.Release()
			C.free(unsafe.Pointer(arrayAddress))
			C.free(unsafe.Pointer(schemaAddress))
		},
	}, nil
}

func main() {
	variant := "cdata"
	if len(os.Args) > 1 {
		variant = os.Args[1]
	}
	if err := protocol.Serve(worker{variant}); err != nil {
		fmt.Fprintln(os.Stderr, "cdata worker:", err)
		os.Exit(1)
	}
}
