// SPDX-License-Identifier: Apache-2.0

package abi

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/ownership/arena"
	"github.com/tombolo-arrow/tombolo/ownership/ledger"
	"github.com/tombolo-arrow/tombolo/ownership/pin"
)

// poolBytesDefault is kept for reuse by a library's allocator unless the config says otherwise.
const poolBytesDefault = 64 << 20

// Entry is how a carrier reached a library.
type Entry struct {
	Carrier string
	Caller  Caller
	// Library is the address of tombolo_library_open of the library.
	Library uintptr
	// Host is the address of tombolo_host_open of tombolo's own library, which supplies the allocator and the
	// release callbacks, whoever made the kernels.
	Host uintptr
	// Foreign says that the library is not tombolo's own: its results are validated in full.
	Foreign bool
	// Remedy is what to do when the ABI numbers differ.
	Remedy string
}

// library drives one library table. Calls hold it open: what Close gives back goes with the last of them.
type library struct {
	entry    Entry
	caller   Caller
	table    *Library
	host     *Host
	info     bridge.Info
	kernels  []bridge.KernelInfo
	releases Releases

	arena     *arena.Arena
	ledger    *ledger.Ledger
	memory    *memory
	pins      *pin.Table
	importer  *Importer
	faults    faults
	allocator uintptr
	ticket    ledger.Ticket
	stops     []func()

	closed atomic.Bool
	refs   atomic.Int64

	mu        sync.Mutex
	exporters map[*Exporter]struct{}
	frames    map[*frame]int // with the number of inputs of a call
	past      bridge.Counters
	statsAt   uintptr
}

// Open opens the table of a library. The result is the caller's to close. It fails with an error that names both
// numbers when the library was built for another ABI.
func Open(entry Entry, config bridge.Config) (bridge.Library, error) {
	table, err := openTable(entry)
	if err != nil {
		return nil, err
	}
	host, err := openHost(entry)
	if err != nil {
		return nil, err
	}
	l := &library{
		entry: entry, caller: entry.Caller, table: table, host: host, arena: config.Arena, ledger: config.Ledger,
		releases: host.releases(),
		memory:   &memory{}, pins: pin.NewTable(config.Ledger),
		exporters: map[*Exporter]struct{}{}, frames: map[*frame]int{},
	}
	l.importer = &Importer{caller: l.caller, ledger: l.ledger, memory: l.memory, faults: &l.faults}
	if err := l.describe(config); err != nil {
		return nil, err
	}
	pool := config.PoolBytesMax
	if pool == 0 {
		pool = poolBytesDefault
	}
	l.allocator = l.caller.Call(host.AllocatorOpen, uintptr(config.BytesMax), uintptr(pool), 0, 0, 0, 0)
	if l.allocator == 0 {
		return nil, bridge.NewError(bridge.CodeMemory, "", "no allocator")
	}
	l.refs.Store(1)
	l.statsAt = l.memory.allocate(AllocatorStatsBytes)
	l.ticket = l.ledger.Add(ledger.Libraries, 0)
	l.stops = append(l.stops, l.ledger.OnDrain(l.drain), l.ledger.Observe(ledger.NativeMemory, l.nativeMemory))
	return l, nil
}

// openHost asks tombolo's own library for what it gives to the host.
func openHost(entry Entry) (*Host, error) {
	address := entry.Caller.Call(entry.Host, Version, 0, 0, 0, 0, 0)
	if address == 0 {
		return nil, fmt.Errorf("tombolo's own library has another ABI than %d; %s", Version, entry.Remedy)
	}
	return at[Host](address), nil
}

func (h *Host) releases() Releases {
	return Releases{h.ReleaseRoot, h.ReleaseChild, h.ReleaseSchema, h.ReleaseSchemaChild}
}

// HostReleases returns the release callbacks of tombolo's own library, for an [Exporter] without a kernel library.
// It fails when that library has another ABI.
func HostReleases(entry Entry) (Releases, error) {
	host, err := openHost(entry)
	if err != nil {
		return Releases{}, err
	}
	return host.releases(), nil
}

// abiMax is how far the search for a library's own ABI number goes, to name it in an error.
const abiMax = 256

// openTable asks the library for its table and holds it to the ABI number of this build.
func openTable(entry Entry) (*Library, error) {
	if address := entry.Caller.Call(entry.Library, Version, 0, 0, 0, 0, 0); address != 0 {
		table := at[Library](address)
		if table.ABI == Version {
			return table, nil
		}
		return nil, mismatch(entry, table.ABI)
	}
	for number := uintptr(0); number < abiMax; number++ {
		if address := entry.Caller.Call(entry.Library, number, 0, 0, 0, 0, 0); address != 0 {
			return nil, mismatch(entry, at[Library](address).ABI)
		}
	}
	return nil, fmt.Errorf("the library serves no known ABI, this program needs %d; %s", Version, entry.Remedy)
}

func mismatch(entry Entry, found int32) error {
	return fmt.Errorf("the library has ABI %d, this program needs %d; %s", found, Version, entry.Remedy)
}

// describe reads the texts and kernels of the table.
func (l *library) describe(config bridge.Config) error {
	t := l.table
	name, _ := readText(t.Name, textMax)
	version, _ := readText(t.Version, textMax)
	digest, _ := readText(t.SourceDigest, textMax)
	level := bridge.SIMDLevel(t.SIMDLevel)
	if config.SIMDLevel >= 0 {
		level = min(level, config.SIMDLevel)
	}
	l.info = bridge.Info{
		Carrier: l.entry.Carrier, Name: name, Version: version, ABI: t.ABI, SourceDigest: digest, SIMDLevel: level,
		Native: true,
	}
	if t.KernelCount < 0 || t.KernelCount > 1<<16 || t.KernelCount > 0 && t.Kernels == 0 {
		return bridge.NewError(bridge.CodeInvalid, "", "library has a kernel count out of range")
	}
	for i := range int(t.KernelCount) {
		kernel := l.kernelAt(i)
		name, ok := readText(kernel.Name, textMax)
		if !ok || name == "" {
			return bridge.NewError(bridge.CodeInvalid, "", "library has a kernel without a name")
		}
		if lack := kernel.lack(); lack != "" {
			return bridge.NewError(bridge.CodeInvalid, name, "the kernel "+lack)
		}
		l.kernels = append(l.kernels, bridge.KernelInfo{
			Name: name, Kind: bridge.Kind(kernel.Kind), Inputs: int(kernel.InputCount),
		})
	}
	return nil
}

// lack says what a kernel of its kind must have and this one has not; "" when all is there.
func (k *Kernel) lack() string {
	required := map[string]uintptr{"bind": k.Bind, "unbind": k.Unbind}
	switch bridge.Kind(k.Kind) {
	case bridge.Map:
		required["run"] = k.Run
	case bridge.Accumulate:
		required["open"], required["close"] = k.Open, k.Close
		required["consume"], required["merge"], required["finish"] = k.Consume, k.Merge, k.Finish
	case bridge.Emit:
		required["open"], required["close"], required["push"], required["next"] = k.Open, k.Close, k.Push, k.Next
	default:
		return "is of no known kind"
	}
	for _, name := range slices.Sorted(maps.Keys(required)) {
		if required[name] == 0 {
			return "has no function " + name
		}
	}
	if k.InputCount == 0 || k.InputCount < -1 {
		return "takes no inputs"
	}
	return ""
}

func (l *library) kernelAt(i int) *Kernel {
	return at[Kernel](l.table.Kernels + uintptr(i*KernelBytes))
}

// Info is part of bridge.Library.
func (l *library) Info() bridge.Info { return l.info }

// Kernels is part of bridge.Library.
func (l *library) Kernels() []bridge.KernelInfo { return slices.Clone(l.kernels) }

// Counters is part of bridge.Library.
func (l *library) Counters() bridge.Counters {
	l.mu.Lock()
	defer l.mu.Unlock()

	counters := l.past
	for f, inputs := range l.frames {
		f.count(&counters, inputs)
	}
	counters.Imports = l.importer.Imports()
	return counters
}

// count adds what has gone through a frame.
func (f *frame) count(counters *bridge.Counters, inputs int) {
	calls := f.calls.Load()
	counters.Crossings += calls
	counters.Exports += calls * int64(inputs)
	counters.PinnedBuffers += f.pinned.Load()
}

// enter makes a frame counted; inputs is how many batches each of its calls exports.
func (l *library) enter(f *frame, inputs int) {
	l.mu.Lock()
	defer l.mu.Unlock()

	l.frames[f] = inputs
}

// retire keeps the counts of a frame that goes.
func (l *library) retire(f *frame) {
	l.mu.Lock()
	defer l.mu.Unlock()

	f.count(&l.past, l.frames[f])
	delete(l.frames, f)
}

// newExporter makes an exporter of the library for the inputs of a call.
func (l *library) newExporter(layout *layout) *Exporter {
	e := newExporter(layout, l.releases, l.arena, l.ledger, l.memory, l.pins)
	e.rewrite, e.faults = l.entry.Foreign, &l.faults
	l.mu.Lock()
	defer l.mu.Unlock()

	l.exporters[e] = struct{}{}
	return e
}

func (l *library) closeExporters(exporters []*Exporter) {
	for _, e := range exporters {
		e.Close()
	}
	l.forgetFreed()
}

// forgetFreed drops closed exporters that have nothing out.
func (l *library) forgetFreed() {
	l.mu.Lock()
	defer l.mu.Unlock()

	for e := range l.exporters {
		if e.closed.Load() && e.Outstanding() == 0 {
			delete(l.exporters, e)
		}
	}
}

// drain is the ledger's hook.
func (l *library) drain() {
	l.mu.Lock()
	exporters := make([]*Exporter, 0, len(l.exporters))
	for e := range l.exporters {
		exporters = append(exporters, e)
	}
	l.mu.Unlock()

	for _, e := range exporters {
		e.Drain()
	}
}

// nativeMemory reads the allocator for the ledger.
func (l *library) nativeMemory() (objects, bytes int64) {
	l.mu.Lock()
	defer l.mu.Unlock()

	if l.statsAt == 0 {
		return 0, 0
	}
	stats := at[AllocatorStats](l.statsAt)
	l.caller.Call(l.host.AllocatorStats, l.allocator, l.statsAt, 0, 0, 0, 0)
	return stats.LiveCount, stats.LiveBytes
}

// hold keeps the library open for a call or a bound kernel; it fails once the library is closed.
func (l *library) hold() error {
	if l.closed.Load() {
		return bridge.ErrClosed
	}
	l.refs.Add(1)
	if l.closed.Load() {
		l.drop()
		return bridge.ErrClosed
	}
	return nil
}

// drop gives up a hold.
func (l *library) drop() {
	if l.refs.Add(-1) != 0 {
		return
	}
	for _, stop := range l.stops {
		stop()
	}
	l.mu.Lock()
	stats := l.statsAt
	l.statsAt = 0
	l.mu.Unlock()
	l.memory.release(stats, AllocatorStatsBytes)
	l.caller.Call(l.host.AllocatorClose, l.allocator, 0, 0, 0, 0, 0)
	l.memory.close()
	l.ledger.Remove(ledger.Libraries, 0, l.ticket)
}

// Close is part of bridge.Library.
func (l *library) Close() error {
	if l.closed.CompareAndSwap(false, true) {
		l.drain() // what has come back is not left; a block that came back twice shows only now
		l.drop()
		return l.faults.err()
	}
	return nil
}

// find returns the kernel of a name.
func (l *library) find(name string) (*Kernel, bridge.KernelInfo, error) {
	for i, info := range l.kernels {
		if info.Name == name {
			return l.kernelAt(i), info, nil
		}
	}
	return nil, bridge.KernelInfo{}, fmt.Errorf("%w: %s", bridge.ErrUnknown, name)
}

// check returns what looks at the values of results, or nil for the library's own, which is trusted.
func (l *library) check(ctx context.Context, f *frame, schema uintptr) Check {
	if !l.entry.Foreign {
		return nil
	}
	return func(a *ArrowArray) error {
		status := l.caller.Call(
			l.host.Validate, f.contextAddress(), schema, addressOf(a), ValidateFull, 0, 0)
		return f.failure(ctx, status)
	}
}
