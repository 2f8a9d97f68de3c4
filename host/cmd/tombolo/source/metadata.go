// SPDX-License-Identifier: Apache-2.0

package source

import (
	"encoding/binary"
	"io"

	flatbuffers "github.com/google/flatbuffers/go"
)

// arrow-go allocates what the vectors of an IPC file's metadata say that they hold, before it reads them: a damaged
// length asks for hundreds of gigabytes, and a process that is refused memory cannot be saved. The lengths are held to
// the bytes that are there. Layouts: Message.fbs, Schema.fbs and File.fbs of the Arrow format,
// https://arrow.apache.org/docs/format/Columnar.html. It runs under guarded, so that an offset that points outside the
// bytes is an error too.

// Places of fields in the tables, by their slots: 4 + 2 × number.
const (
	messageHeaderType, messageHeader        = 6, 8
	messageBodyBytes, messageMetadata       = 10, 12
	footerSchema, footerMetadata            = 6, 12
	schemaFields, schemaMetadata            = 6, 8
	fieldName, fieldChildren, fieldMetadata = 4, 14, 16
	pairKey, pairValue                      = 4, 6
)

const (
	headerSchema     = 1 // MessageHeader.Schema
	continuation     = 0xFFFFFFFF
	fieldDepthMax    = 64
	fileTrailerBytes = 10
)

// checkIPCFile looks at the footer of a file, whose schema is the one that is read.
func checkIPCFile(source io.ReaderAt, fileBytes int64) error {
	trailer := make([]byte, fileTrailerBytes)
	if _, err := source.ReadAt(trailer, fileBytes-fileTrailerBytes); err != nil {
		return nil // too short: the reader says so
	}
	size := int64(int32(binary.LittleEndian.Uint32(trailer)))
	if size <= 4 || size > fileBytes-fileTrailerBytes {
		return nil
	}
	footer := make([]byte, size)
	if _, err := source.ReadAt(footer, fileBytes-fileTrailerBytes-size); err != nil {
		return err
	}
	check := metadataCheck{left: len(footer)}
	root := rootOf(footer)
	if err := check.pairs(root, footerMetadata); err != nil {
		return err
	}
	if schema, ok := tableAt(root, footerSchema); ok {
		return check.schema(schema)
	}
	return nil
}

// checkIPCStream looks at each message of a stream, up to its end. A stream that is cut short is left to the reader,
// which says after which row.
func checkIPCStream(source io.ReaderAt, fileBytes int64) error {
	var prefix [8]byte
	for at := int64(0); ; {
		if _, err := source.ReadAt(prefix[:], at); err != nil {
			return nil
		}
		size, skip := int64(int32(binary.LittleEndian.Uint32(prefix[4:]))), int64(8)
		if binary.LittleEndian.Uint32(prefix[:]) != continuation { // before version 0.15
			size, skip = int64(int32(binary.LittleEndian.Uint32(prefix[:]))), 4
		}
		if size <= 4 {
			return nil
		}
		if size > fileBytes {
			return errContent
		}
		message, err := io.ReadAll(io.NewSectionReader(source, at+skip, size))
		if err != nil {
			return err
		}
		if int64(len(message)) < size {
			return nil
		}
		check := metadataCheck{left: len(message)}
		root := rootOf(message)
		if err := check.pairs(root, messageMetadata); err != nil {
			return err
		}
		header, ok := tableAt(root, messageHeader)
		if kind := root.Offset(messageHeaderType); ok && kind != 0 &&
			root.GetByte(root.Pos+flatbuffers.UOffsetT(kind)) == headerSchema {
			if err := check.schema(header); err != nil {
				return err
			}
		}
		body := int64(0)
		if place := root.Offset(messageBodyBytes); place != 0 {
			body = root.GetInt64(root.Pos + flatbuffers.UOffsetT(place))
		}
		if body < 0 || at > 1<<62-skip-size-body {
			return nil
		}
		at += skip + size + body
	}
}

func rootOf(bytes []byte) *flatbuffers.Table {
	return &flatbuffers.Table{Bytes: bytes, Pos: flatbuffers.GetUOffsetT(bytes)}
}

func tableAt(table *flatbuffers.Table, slot flatbuffers.VOffsetT) (*flatbuffers.Table, bool) {
	place := table.Offset(slot)
	if place == 0 {
		return nil, false
	}
	return &flatbuffers.Table{Bytes: table.Bytes, Pos: table.Indirect(table.Pos + flatbuffers.UOffsetT(place))}, true
}

// metadataCheck counts what it has visited: tables may be shared, and no more of them can be meant than there are
// bytes.
type metadataCheck struct{ left int }

// tables gives the tables of a vector, whose length fits the bytes that are there.
func (c *metadataCheck) tables(table *flatbuffers.Table, slot flatbuffers.VOffsetT) ([]flatbuffers.Table, error) {
	place := table.Offset(slot)
	if place == 0 {
		return nil, nil
	}
	start := int64(table.Vector(flatbuffers.UOffsetT(place)))
	count := int64(table.VectorLen(flatbuffers.UOffsetT(place)))
	if count > (int64(len(table.Bytes))-start)/flatbuffers.SizeUOffsetT || count > int64(c.left) {
		return nil, errContent
	}
	c.left -= int(count)
	found := make([]flatbuffers.Table, count)
	for i := range found {
		at := flatbuffers.UOffsetT(start) + flatbuffers.UOffsetT(i*flatbuffers.SizeUOffsetT)
		found[i] = flatbuffers.Table{Bytes: table.Bytes, Pos: table.Indirect(at)}
	}
	return found, nil
}

func (c *metadataCheck) schema(schema *flatbuffers.Table) error {
	if err := c.pairs(schema, schemaMetadata); err != nil {
		return err
	}
	return c.fields(schema, schemaFields, 0)
}

func (c *metadataCheck) fields(parent *flatbuffers.Table, slot flatbuffers.VOffsetT, depth int) error {
	fields, err := c.tables(parent, slot)
	if err != nil {
		return err
	}
	if depth > fieldDepthMax {
		return errContent
	}
	for i := range fields {
		field := &fields[i]
		text(field, fieldName)
		if err := c.pairs(field, fieldMetadata); err != nil {
			return err
		}
		if err := c.fields(field, fieldChildren, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (c *metadataCheck) pairs(table *flatbuffers.Table, slot flatbuffers.VOffsetT) error {
	pairs, err := c.tables(table, slot)
	for i := range pairs {
		text(&pairs[i], pairKey)
		text(&pairs[i], pairValue)
	}
	return err
}

// text looks at a text as a reader would; one that ends outside the bytes is a panic that guarded turns into an error.
func text(table *flatbuffers.Table, slot flatbuffers.VOffsetT) {
	if place := table.Offset(slot); place != 0 {
		table.ByteVector(table.Pos + flatbuffers.UOffsetT(place))
	}
}
