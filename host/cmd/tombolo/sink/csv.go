// SPDX-License-Identifier: Apache-2.0

package sink

import (
	"bytes"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
)

// csvWriter writes RFC 4180 with line feeds: a null is an empty field and an empty text is "", so
// that the two can be told apart. Floats have the shortest digits that read back to the same value.
//
// encoding/csv would want every cell as a string of its own; three million rows of fifteen cells
// are appended to one buffer here.
type csvWriter struct {
	out    io.Writer
	buffer []byte
	quoted []bool // by leaf: only text may need quotes
}

// NewCSV writes the header line and returns the writer of the rest. The out stays the caller's.
func NewCSV(out io.Writer, schema *arrow.Schema) (Writer, error) {
	writer := &csvWriter{out: out}
	for i, leaf := range leaves(schema) {
		if i > 0 {
			writer.buffer = append(writer.buffer, ',')
		}
		writer.buffer = appendQuoted(writer.buffer, []byte(leaf.Name))
		writer.quoted = append(writer.quoted, leaf.Type.ID() == arrow.STRING)
	}
	writer.buffer = append(writer.buffer, '\n')
	return writer, writer.flush()
}

func (w *csvWriter) Write(batch Batch) error {
	columns, err := leafCells(batch, digitsAll)
	if err != nil {
		return err
	}
	var text []byte
	for row := range int(batch.NumRows()) {
		for i, column := range columns {
			if i > 0 {
				w.buffer = append(w.buffer, ',')
			}
			if !w.quoted[i] {
				w.buffer, _ = column(w.buffer, row) // a null appends nothing
				continue
			}
			var valid bool
			if text, valid = column(text[:0], row); valid {
				w.buffer = appendQuoted(w.buffer, text)
			}
		}
		w.buffer = append(w.buffer, '\n')
		if len(w.buffer) >= fileBufferBytes {
			if err := w.flush(); err != nil {
				return err
			}
		}
	}
	return w.flush()
}

func (w *csvWriter) Close() error { return nil }

func (w *csvWriter) flush() error {
	_, err := w.out.Write(w.buffer)
	w.buffer = w.buffer[:0]
	return err
}

// appendQuoted appends a field, in quotes where the format wants them.
func appendQuoted(line, field []byte) []byte {
	if len(field) > 0 && bytes.IndexAny(field, ",\"\r\n") < 0 {
		return append(line, field...)
	}
	line = append(line, '"')
	for _, character := range field {
		if character == '"' {
			line = append(line, '"')
		}
		line = append(line, character)
	}
	return append(line, '"')
}
