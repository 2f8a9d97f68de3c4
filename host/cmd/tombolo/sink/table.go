// SPDX-License-Identifier: Apache-2.0

package sink

import (
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// digitsShown is how many digits of a fraction a table on a terminal shows.
const digitsShown = 3

// Print writes the first rows of a batch as a table for people, under a title: fractions cut short,
// nulls as a dash. The batch and out stay the caller's.
func Print(out io.Writer, title string, batch Batch, rows int) error {
	columns, err := leafCells(batch, digitsShown)
	if err != nil {
		return err
	}
	printed := table.NewWriter()
	printed.SetStyle(table.StyleLight)
	printed.Style().Format.Header = text.FormatDefault
	printed.SetTitle(title)
	var (
		header table.Row
		align  []table.ColumnConfig
	)
	for i, leaf := range leaves(batch.Schema()) {
		header = append(header, leaf.Name)
		side := text.AlignRight
		if leaf.Type.ID() == arrow.STRING {
			side = text.AlignLeft
		}
		align = append(align, table.ColumnConfig{Number: i + 1, Align: side})
	}
	printed.AppendHeader(header)
	printed.SetColumnConfigs(align)
	for row := range min(rows, int(batch.NumRows())) {
		var line table.Row
		for _, column := range columns {
			cell, valid := column(nil, row)
			if !valid {
				cell = []byte("–")
			}
			line = append(line, string(cell))
		}
		printed.AppendRow(line)
	}
	_, err = io.WriteString(out, printed.Render()+"\n")
	return err
}
