// SPDX-License-Identifier: Apache-2.0

package arena

// Stats is a reading of an arena.
type Stats struct {
	Live          int64 // allocations
	LiveBytes     int64 // the lengths asked for
	HeldBytes     int64 // memory held, live and kept for reuse; what BytesMax bounds
	HeldBytesPeak int64
	KeptBytes     int64 // free memory kept for reuse, in whole slabs
	ReservedBytes int64 // addresses, which cost nothing
	Misuses       int64 // frees refused
}

// Stats reads the counts. It is safe for concurrent use.
func (a *Arena) Stats() Stats {
	var stats Stats
	stats.HeldBytes, stats.HeldBytesPeak = a.footprint.Load(), a.peak.Load()
	stats.Misuses = a.misuses.Load()
	for i := range a.shards {
		s := &a.shards[i]
		s.mu.Lock()
		stats.Live += s.live
		stats.LiveBytes += s.bytes
		stats.KeptBytes += s.kept
		s.mu.Unlock()
	}
	a.mu.Lock()
	defer a.mu.Unlock()

	for _, r := range a.regions {
		stats.ReservedBytes += int64(r.span)
	}
	return stats
}

// Trim gives all free memory that is kept for reuse back to the system, in whole slabs. It is safe
// for concurrent use.
func (a *Arena) Trim() {
	for i := range a.shards {
		a.shards[i].mu.Lock()
		a.shards[i].trim()
		a.shards[i].mu.Unlock()
	}
}

// live is what the ledger observes.
func (a *Arena) live() (objects, bytes int64) {
	for i := range a.shards {
		s := &a.shards[i]
		s.mu.Lock()
		objects += s.live
		bytes += s.bytes
		s.mu.Unlock()
	}
	return objects, bytes
}

// sumLive is live with every shard locked.
func (a *Arena) sumLive() (objects, bytes int64) {
	for i := range a.shards {
		objects += a.shards[i].live
		bytes += a.shards[i].bytes
	}
	return objects, bytes
}
