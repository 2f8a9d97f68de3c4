// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// Entry is the count of one kind at one moment.
type Entry struct {
	Kind        Kind
	Objects     int64 // live now
	Bytes       int64 // kept alive by them
	Added       int64 // since the ledger was made; without observed counts
	Leaked      int64 // forgotten by their owners and freed by a cleanup
	LeakedBytes int64
}

// Snapshot is a reading of a ledger: one entry for each kind, in the order of [Kinds].
type Snapshot []Entry

// Snapshot drains and reads all counts. Counts that change meanwhile are read at some moment during
// the call; live counts are then too high rather than too low. It is safe for concurrent use.
func (l *Ledger) Snapshot() Snapshot {
	l.Drain()
	snapshot := make(Snapshot, kindCount)
	cells := load(&l.cells)
	// Removals are read before additions: an object that comes and goes between counts as live, not
	// as minus one.
	for kind := range snapshot {
		snapshot[kind].Kind = Kind(kind)
		snapshot[kind].Objects = -l.base[kind].removed.Load()
		snapshot[kind].Leaked = l.leaks[kind].objects.Load()
		snapshot[kind].LeakedBytes = l.leaks[kind].bytes.Load()
	}
	for _, cell := range cells {
		snapshot[cell.kind].Objects -= cell.removed.Load()
	}
	for kind := range snapshot {
		snapshot[kind].add(&l.base[kind])
	}
	for _, cell := range cells {
		snapshot[cell.kind].add(cell)
	}
	for _, gauge := range load(&l.gauges) {
		objects, bytes := gauge.read()
		snapshot[gauge.kind].Objects += objects
		snapshot[gauge.kind].Bytes += bytes
	}
	return snapshot
}

func (e *Entry) add(cell *Cell) {
	added := cell.added.Load()
	e.Added += added
	e.Objects += added
	e.Bytes += cell.bytes.Load()
}

// Of returns the entry of a kind.
func (s Snapshot) Of(kind Kind) Entry { return s[kind] }

// Empty says whether nothing is live. Leaks do not count: they are freed.
func (s Snapshot) Empty() bool {
	for _, entry := range s {
		if entry.Objects != 0 || entry.Bytes != 0 {
			return false
		}
	}
	return true
}

// String prints the kinds that were ever used as a table.
func (s Snapshot) String() string {
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "kind\tlive\tbytes\tmade\tleaked\t")
	for _, entry := range s {
		if entry.Added == 0 && entry.Objects == 0 && entry.Bytes == 0 && entry.Leaked == 0 {
			continue
		}
		fmt.Fprintf(table, "%v\t%d\t%d\t%d\t%d\t\n",
			entry.Kind, entry.Objects, entry.Bytes, entry.Added, entry.Leaked)
	}
	table.Flush()
	return text.String()
}
