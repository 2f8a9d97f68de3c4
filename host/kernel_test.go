// SPDX-License-Identifier: Apache-2.0

package host_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/host"
	"github.com/tombolo-arrow/tombolo/host/telemetry"
	"github.com/tombolo-arrow/tombolo/ownership/ledger"
)

func TestKernelRefuses(t *testing.T) {
	engine := openEngine(t)
	other := openEngine(t)
	ctx := t.Context()
	batch := integers(engine.Allocator(), 1)
	defer batch.Release()

	schemas := []*arrow.Schema{batch.Schema()}
	kernel := bindInteger(t, engine, "abs")
	released := bindInteger(t, engine, "abs")
	released.Release()
	released.Release()
	object, err := other.Prepare(ctx, "batch", batch)
	if err != nil {
		t.Fatal(err)
	}
	object.Release()
	object.Release()
	own, err := engine.Prepare(ctx, "batch", batch)
	if err != nil {
		t.Fatal(err)
	}
	own.Release()
	two := integers(memory.DefaultAllocator, 1, 2)
	defer two.Release()

	right := func(value any) error {
		_, err := engine.Bind(ctx, "add", schemas, bridge.Option{Name: "right", Value: value})
		return err
	}
	columns := func(columns ...arrow.Array) error {
		_, err := kernel.RunColumns(ctx, columns...)
		return err
	}
	var none *host.Kernel
	var nilContext context.Context
	var noObject *host.Object
	run := func(k *host.Kernel, inputs ...arrow.RecordBatch) error {
		_, err := k.Run(ctx, inputs...)
		return err
	}
	cases := map[string]struct {
		want error
		got  error
	}{
		"nil batch":          {host.ErrInvalid, run(kernel, nil)},
		"no batch":           {host.ErrInvalid, run(kernel)},
		"too many batches":   {host.ErrInvalid, run(kernel, batch, batch)},
		"nil kernel":         {host.ErrInvalid, run(none, batch)},
		"released kernel":    {host.ErrReleased, run(released, batch)},
		"foreign object":     {host.ErrInvalid, right(object)},
		"released object":    {host.ErrReleased, right(own)},
		"nil object":         {host.ErrInvalid, right(noObject)},
		"nil column":         {host.ErrInvalid, columns(nil)},
		"too many columns":   {host.ErrInvalid, columns(batch.Column(0), two.Column(0))},
		"no columns":         {host.ErrInvalid, columns()},
		"nil context":        {host.ErrInvalid, failure(kernel.Run(nilContext, batch))},
		"unknown kernel":     {host.ErrUnknown, failure(engine.Bind(ctx, "x", schemas))},
		"state of a map":     {bridge.ErrKind, failure(kernel.NewState(ctx))},
		"emitter of a map":   {bridge.ErrKind, failure(kernel.NewEmitter(ctx))},
		"nil object's batch": {host.ErrInvalid, failure(engine.Prepare(ctx, "batch", nil))},
	}
	for name, c := range cases {
		if !errors.Is(c.got, c.want) {
			t.Errorf("%s: got error %v, want %v", name, c.got, c.want)
		}
	}
}

func failure[T any](_ T, err error) error { return err }

func TestStateMergesAndFinishes(t *testing.T) {
	engine := openEngine(t)
	ctx := t.Context()
	batch := integers(engine.Allocator(), 5)
	defer batch.Release()

	kernel := bindInteger(t, engine, "touch")
	first, err := kernel.NewState(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()

	second, err := kernel.NewState(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()

	// The kernel may go: states keep what they need.
	kernel.Release()
	for _, state := range []*host.State{first, second, second} {
		if err := state.Consume(ctx, batch); err != nil {
			t.Fatal(err)
		}
	}
	if err := first.Merge(ctx, second); err != nil {
		t.Fatal(err)
	}
	finish := func(state *host.State) int64 {
		result, err := state.Finish(ctx)
		if err != nil {
			t.Fatal(err)
		}
		defer result.Release()

		return result.Column(0).(*array.Int64).Value(0)
	}
	three, none := finish(first), finish(second)
	if err := first.Consume(ctx, batch); err != nil {
		t.Fatal(err)
	}
	if one := finish(first); three != 3*one || none != 0 {
		t.Errorf("sums: one batch %d, three batches %d, merged away %d", one, three, none)
	}
	var nilState *host.State
	second.Close()
	second.Close()
	for name, c := range map[string]struct{ want, got error }{
		"merge of nil":      {host.ErrInvalid, first.Merge(ctx, nil)},
		"merge of itself":   {host.ErrInvalid, first.Merge(ctx, first)},
		"merge of a closed": {host.ErrReleased, first.Merge(ctx, second)},
		"consume of nil":    {host.ErrInvalid, first.Consume(ctx, nil)},
		"closed state":      {host.ErrReleased, second.Consume(ctx, batch)},
		"nil state":         {host.ErrInvalid, nilState.Consume(ctx, batch)},
	} {
		if !errors.Is(c.got, c.want) {
			t.Errorf("%s: got error %v, want %v", name, c.got, c.want)
		}
	}
}

func TestResultsOnGoHeapNeedNoRelease(t *testing.T) {
	for name, open := range map[string]func(*testing.T, ...host.Option) *host.Engine{
		"portable": func(t *testing.T, options ...host.Option) *host.Engine {
			return openEngine(t, append(options, host.ForbidNative())...)
		},
		"pretender": openPretender,
		"auto":      openEngine,
	} {
		t.Run(name, func(t *testing.T) {
			engine := open(t, host.ResultsOnGoHeap(), host.Threshold("abs", 0))
			kernel := bindInteger(t, engine, "abs")
			batch := integers(memory.DefaultAllocator, -1, -2, 3)
			defer batch.Release()

			result, err := kernel.Run(t.Context(), batch)
			if err != nil {
				t.Fatal(err)
			}
			kernel.Release()
			snapshot := engine.Ledger().Snapshot()
			for _, kind := range []ledger.Kind{
				ledger.ArenaAllocations, ledger.NativeMemory, ledger.ImportedArrays,
			} {
				if snapshot.Of(kind).Objects != 0 {
					t.Errorf("%v are out:\n%v", kind, snapshot)
				}
			}
			got := result.Column(0).(*array.Int64).Int64Values()
			if !slices.Equal(got, []int64{1, 2, 3}) {
				t.Errorf("got %v", got)
			}
			copied := engine.Counters().CopiedBytes
			if (copied > 0) != engine.Info().Native {
				t.Errorf("copied %d bytes", copied)
			}
		})
	}
}

func TestOneShotCallsKeepFewKernels(t *testing.T) {
	engine := openEngine(t)
	ctx := t.Context()
	batch := integers(engine.Allocator(), 1, 2)
	defer batch.Release()

	binds := 0
	call := func(options string) {
		t.Helper()
		bind := func(ctx context.Context) (*host.Kernel, error) {
			binds++
			return engine.Bind(ctx, "abs", []*arrow.Schema{batch.Schema()})
		}
		result, err := engine.Call(ctx, host.Key{Kernel: "abs", Options: options}, bind, batch)
		if err != nil {
			t.Fatal(err)
		}
		result.Release()
	}
	for range 3 {
		call("same")
	}
	if binds != 1 {
		t.Errorf("bound %d times for one key", binds)
	}
	const more = 1000
	for i := range more {
		call(fmt.Sprint(i))
	}
	if binds != 1+more {
		t.Errorf("bound %d times, want %d", binds, 1+more)
	}
	if bound := engine.Ledger().Snapshot().Of(ledger.BoundKernels).Objects; bound > 100 {
		t.Errorf("%d kernels are kept bound", bound)
	}
	call(fmt.Sprint(more - 1))
	if binds != 1+more {
		t.Error("the last used kernel was not kept")
	}
}

func TestReleasedObjectIsForgotten(t *testing.T) {
	engine := openEngine(t)
	ctx := t.Context()
	batch := integers(engine.Allocator(), 1)
	object, err := engine.Prepare(ctx, "batch", batch)
	if err != nil {
		t.Fatal(err)
	}
	bind := func(ctx context.Context) (*host.Kernel, error) {
		return engine.Bind(ctx, "add", []*arrow.Schema{batch.Schema()},
			bridge.Option{Name: "right", Value: object})
	}
	key := host.Key{Kernel: "add", Object: object}
	result, err := engine.Call(ctx, key, bind, batch)
	if err != nil {
		t.Fatal(err)
	}
	result.Release()
	object.Release()
	batch.Release()
	if snapshot := engine.Ledger().Snapshot(); snapshot.Of(ledger.ArenaAllocations).Objects != 0 {
		t.Errorf("the object lives on in the cache:\n%v", snapshot)
	}
}

// listener writes down what it hears.
type listener struct {
	mu    sync.Mutex
	heard []string
}

type spanKey struct{}

func (l *listener) Before(ctx context.Context, call telemetry.Call) context.Context {
	l.write("before %s %s", call.Operation, call.Kernel)
	return context.WithValue(ctx, spanKey{}, call.Kernel)
}

func (l *listener) After(ctx context.Context, call telemetry.Call, result telemetry.Result) {
	l.write("after %s %v rows %d to %d",
		call.Operation, ctx.Value(spanKey{}), call.RowsIn, result.RowsOut)
}

func (l *listener) Error(
	ctx context.Context, call telemetry.Call, err error, duration time.Duration,
) {
	l.write("error %s %v %v", call.Operation, ctx.Value(spanKey{}), duration >= 0 && err != nil)
}

func (l *listener) write(format string, arguments ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()

	l.heard = append(l.heard, fmt.Sprintf(format, arguments...))
}

func TestTelemetry(t *testing.T) {
	heard := &listener{}
	engine := openEngine(t, host.WithTelemetry(heard))
	batch := integers(engine.Allocator(), -1, -2)
	defer batch.Release()

	kernel := bindInteger(t, engine, "abs")
	run(t, kernel, batch)
	if _, err := kernel.Run(t.Context()); err == nil {
		t.Fatal("no error without inputs")
	}
	want := []string{
		"before bind abs", "after bind abs rows 0 to 0",
		"before run abs", "after run abs rows 2 to 2",
		"before run abs", "error run abs true",
	}
	if !slices.Equal(heard.heard, want) {
		t.Errorf("heard %q\nwant %q", heard.heard, want)
	}
}

func TestNoTelemetryNoAllocation(t *testing.T) {
	engine := openEngine(t)
	batch := integers(engine.Allocator(), 1)
	defer batch.Release()

	kernel := bindInteger(t, engine, "touch")
	state, err := kernel.NewState(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer state.Close()

	ctx := t.Context()
	allocations := testing.AllocsPerRun(100, func() {
		if err := state.Consume(ctx, batch); err != nil {
			t.Fatal(err)
		}
	})
	if limit := 1.0; allocations > limit {
		t.Errorf("%v allocations for each batch, at most %v", allocations, limit)
	}
}

func TestConcurrentUseAndClose(t *testing.T) {
	engine, err := host.Open(t.Context(), host.Threshold("abs", 2))
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Ledger().VerifyEmpty(t)

	kernel, err := engine.Bind(t.Context(), "abs", []*arrow.Schema{integerSchema()})
	if err != nil {
		t.Fatal(err)
	}
	var workers sync.WaitGroup
	started := make(chan struct{}, 4)
	for range 4 {
		workers.Go(func() {
			for i := 0; ; i++ {
				batch := integers(memory.DefaultAllocator, make([]int64, i%4)...)
				result, err := kernel.Run(context.Background(), batch)
				batch.Release()
				if err != nil {
					if !errors.Is(err, host.ErrClosed) {
						t.Error(err)
					}
					return
				}
				result.Release()
				if i == 100 {
					started <- struct{}{}
				}
				runtime.Gosched()
			}
		})
	}
	for range 4 {
		<-started
	}
	_ = engine.Close() // names the kernel, which is still out
	workers.Wait()
	kernel.Release()
}

// TestForgottenIsFreed drops everything that an engine gives without a release: the net must free
// it and count it as leaked.
func TestForgottenIsFreed(t *testing.T) {
	for name, option := range map[string]host.Option{
		"portable": host.ForbidNative(), "auto": host.BytesMax(0),
	} {
		t.Run(name, func(t *testing.T) {
			engine := openEngine(t, option)
			engine.Ledger().OnLeak(func(ledger.Leak) {})
			forget(t, engine)
			want := map[ledger.Kind]int64{
				ledger.BoundKernels: 2, ledger.States: 1, ledger.Objects: 1, ledger.ArenaAllocations: 0,
			}
			deadline := time.Now().Add(10 * time.Second)
			for kind, leaked := range want {
				for {
					runtime.GC()
					entry := engine.Ledger().Snapshot().Of(kind)
					if entry.Objects == 0 && entry.Leaked == leaked {
						break
					}
					if time.Now().After(deadline) {
						t.Fatalf("%v: %d live, %d leaked, want %d", kind, entry.Objects, entry.Leaked, leaked)
					}
					time.Sleep(time.Millisecond)
				}
			}
			engine.Ledger().ForgetLeaks()
		})
	}
}

//go:noinline
func forget(t *testing.T, engine *host.Engine) {
	t.Helper()
	ctx := t.Context()
	batch := integers(engine.Allocator(), 1)
	defer batch.Release()

	schemas := []*arrow.Schema{batch.Schema()}
	object, err := engine.Prepare(ctx, "batch", batch)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Bind(ctx, "take", schemas, bridge.Option{Name: "values", Value: object}); err != nil {
		t.Fatal(err)
	}
	touch, err := engine.Bind(ctx, "touch", schemas)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := touch.NewState(ctx); err != nil {
		t.Fatal(err)
	}
}
