// SPDX-License-Identifier: Apache-2.0

package host_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"go.uber.org/goleak"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/host"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// openEngine opens an engine that must be empty when the test ends.
func openEngine(t *testing.T, options ...host.Option) *host.Engine {
	t.Helper()
	engine, err := host.Open(t.Context(), options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
		engine.Ledger().VerifyEmpty(t)
	})
	return engine
}

func integers(mem memory.Allocator, values ...int64) arrow.RecordBatch {
	builder := array.NewInt64Builder(mem)
	defer builder.Release()

	builder.AppendValues(values, nil)
	column := builder.NewInt64Array()
	defer column.Release()

	schema := arrow.NewSchema([]arrow.Field{{Name: "n", Type: column.DataType()}}, nil)
	return array.NewRecordBatch(schema, []arrow.Array{column}, int64(len(values)))
}

func TestOpenRefuses(t *testing.T) {
	cases := []struct {
		name    string
		level   string
		options []host.Option
		want    error
	}{
		{"nil option", "", []host.Option{nil}, host.ErrInvalid},
		{"junk level", "", []host.Option{host.SIMDLevel("mmx")}, host.ErrInvalid},
		{"junk level in the environment", "mmx", nil, host.ErrInvalid},
		{"negative bytes", "", []host.Option{host.BytesMax(-1)}, host.ErrInvalid},
		{"negative pool", "", []host.Option{host.PoolBytesMax(-1)}, host.ErrInvalid},
		{"nil collector", "", []host.Option{host.WithTelemetry(nil)}, host.ErrInvalid},
		{"threshold without kernel", "", []host.Option{host.Threshold("", 1)}, host.ErrInvalid},
		{"negative threshold", "", []host.Option{host.Threshold("take", -1)}, host.ErrInvalid},
		{"threshold of no kernel", "", []host.Option{host.Threshold("smoke", 1)}, host.ErrInvalid},
		{"both policies", "", []host.Option{host.RequireNative(), host.ForbidNative()},
			host.ErrInvalid},
		{"empty carrier", "", []host.Option{host.WithCarrier("")}, host.ErrInvalid},
		{"unknown carrier", "", []host.Option{host.WithCarrier("smoke")}, host.ErrUnavailable},
		{"forbidden carrier", "", []host.Option{host.RequireNative(), host.WithCarrier("portable")},
			host.ErrUnavailable},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv(host.SIMDLevelVariable, c.level)
			engine, err := host.Open(t.Context(), c.options...)
			if !errors.Is(err, c.want) {
				t.Errorf("got error %v, want %v", err, c.want)
			}
			if engine != nil {
				t.Error("an engine came with the error")
			}
		})
	}
}

func TestLevelOptionWinsOverEnvironment(t *testing.T) {
	t.Setenv(host.SIMDLevelVariable, "mmx")
	openEngine(t, host.SIMDLevel("base"))
}

func TestLevelFromEnvironment(t *testing.T) {
	t.Setenv(host.SIMDLevelVariable, "base")
	if level := openEngine(t).Info().SIMDLevel; level != bridge.LevelBase {
		t.Errorf("level %v", level)
	}
}

func TestForbidNative(t *testing.T) {
	engine := openEngine(t, host.ForbidNative())
	if info := engine.Info(); info.Native || info.Carrier != "portable" {
		t.Errorf("carrier %q, native %v", info.Carrier, info.Native)
	}
	chosen := slices.IndexFunc(engine.Reasons(), func(r bridge.Reason) bool { return r.Chosen })
	if chosen < 0 || engine.Reasons()[chosen].Carrier != "portable" {
		t.Errorf("reasons: %v", engine.Reasons())
	}
}

func TestRequireNative(t *testing.T) {
	engine, err := host.Open(t.Context(), host.RequireNative())
	if err != nil {
		if !errors.Is(err, host.ErrUnavailable) {
			t.Errorf("got error %v, want %v", err, host.ErrUnavailable)
		}
		t.Skip("no native carrier here:", err)
	}
	defer engine.Ledger().VerifyEmpty(t)
	defer engine.Close()

	if !engine.Info().Native {
		t.Error("the library is not native")
	}
}

func TestCloseNamesWhatIsOut(t *testing.T) {
	engine, err := host.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Ledger().VerifyEmpty(t)

	batch := integers(engine.Allocator(), 1, 2, 3)
	defer batch.Release()

	var outstanding *host.OutstandingError
	if err := engine.Close(); !errors.As(err, &outstanding) {
		t.Fatalf("close gave %v", err)
	}
	if !strings.Contains(outstanding.Error(), "arena allocations") {
		t.Errorf("the error does not name the kind: %v", outstanding)
	}
	if err := engine.Close(); err != nil {
		t.Errorf("the second close gave %v", err)
	}
	if got := batch.Column(0).(*array.Int64).Value(2); got != 3 {
		t.Errorf("after close the batch holds %d", got)
	}
}

func TestClosedAndNilEngineRefuse(t *testing.T) {
	closed, err := host.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	batch := integers(memory.DefaultAllocator, 1)
	defer batch.Release()

	for _, c := range []struct {
		name   string
		engine *host.Engine
		want   error
	}{{"closed", closed, host.ErrClosed}, {"nil", nil, host.ErrInvalid}} {
		t.Run(c.name, func(t *testing.T) {
			e := c.engine
			schemas := []*arrow.Schema{batch.Schema()}
			if _, err := e.Bind(t.Context(), "touch", schemas); !errors.Is(err, c.want) {
				t.Errorf("bind gave %v, want %v", err, c.want)
			}
			if _, err := e.Prepare(t.Context(), "batch", batch); !errors.Is(err, c.want) {
				t.Errorf("prepare gave %v, want %v", err, c.want)
			}
			if _, err := e.Call(t.Context(), host.Key{}, nil, batch); !errors.Is(err, c.want) {
				t.Errorf("call gave %v, want %v", err, c.want)
			}
			// None of these may panic.
			e.Counters()
			e.Ledger().VerifyEmpty(t)
			e.Reasons()
			e.Info()
			e.Allocator()
			if e.Doctor().Problem == "" {
				t.Error("doctor sees no problem")
			}
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestDoctorNamesCarriersAndMemory(t *testing.T) {
	engine := openEngine(t)
	batch := integers(engine.Allocator(), 1)
	defer batch.Release()

	text := engine.Doctor().String()
	for _, want := range []string{
		"build", "carrier portable", "library portable", "ABI 1", "SIMD level", "arena allocations",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("doctor does not say %q:\n%s", want, text)
		}
	}
	if !engine.Info().Native && !strings.Contains(text, "to enable:") {
		t.Errorf("doctor has no remedy for the missing native carrier:\n%s", text)
	}
	if problem := engine.Doctor().Problem; problem != "" {
		t.Errorf("doctor sees a problem: %s", problem)
	}
}

func TestBytesMax(t *testing.T) {
	for name, option := range map[string]host.Option{
		"portable": host.ForbidNative(), "auto": host.Threshold("abs", 0),
	} {
		t.Run(name, func(t *testing.T) {
			engine := openEngine(t, option, host.BytesMax(1<<20))
			large := integers(memory.DefaultAllocator, make([]int64, 1<<18)...)
			defer large.Release()

			small := integers(memory.DefaultAllocator, -1)
			defer small.Release()

			kernel := bindInteger(t, engine, "abs")
			// Again and again: a call that fails leaves nothing behind that counts.
			for range 3 {
				if _, err := kernel.Run(t.Context(), large); !errors.Is(err, host.ErrBudget) {
					t.Fatalf("got error %v, want %v", err, host.ErrBudget)
				}
				run(t, kernel, small)
			}
		})
	}
}

func TestCancelledContext(t *testing.T) {
	engine := openEngine(t)
	batch := integers(engine.Allocator(), 1, -2)
	defer batch.Release()

	kernel, err := engine.Bind(t.Context(), "abs", []*arrow.Schema{batch.Schema()})
	if err != nil {
		t.Fatal(err)
	}
	defer kernel.Release()

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = kernel.Run(ctx, batch)
	if !errors.Is(err, host.ErrCancelled) || !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v", err)
	}
}

func TestNilAndZeroReceivers(t *testing.T) {
	ctx := t.Context()
	var none *host.Kernel
	none.Release()
	if none.Name() != "" || none.Inputs() != nil || none.Output() != nil {
		t.Error("a nil kernel describes itself")
	}
	empty, kernel := &host.Engine{}, &host.Kernel{}
	kernel.Release()
	(&host.Object{}).Release()
	(&host.State{}).Close()
	(&host.Emitter{}).Close()
	if empty.Allocator() == nil || empty.Ledger() == nil || empty.Reasons() != nil {
		t.Error("an empty engine has no allocator or ledger, or has reasons")
	}
	if empty.Info() != (bridge.Info{}) || len(empty.Counters().Kernels) != 0 {
		t.Error("an empty engine describes itself")
	}
	if empty.Doctor().Problem == "" {
		t.Error("the doctor finds nothing wrong with an empty engine")
	}
	if err := empty.Close(); err != nil {
		t.Error(err)
	}
	batch := integers(memory.DefaultAllocator, 1)
	defer batch.Release()

	second := func(_ any, err error) error { return err }
	for name, c := range map[string]struct{ want, got error }{
		"bind":    {host.ErrInvalid, second(empty.Bind(ctx, "abs", nil))},
		"prepare": {host.ErrInvalid, second(empty.Prepare(ctx, "batch", batch))},
		"call":    {host.ErrInvalid, second(empty.Call(ctx, host.Key{}, nil, batch))},
		"run":     {host.ErrInvalid, second(none.Run(ctx, batch))},
		"columns": {host.ErrInvalid, second(none.RunColumns(ctx, batch.Column(0)))},
		"with":    {host.ErrInvalid, second(none.RunWith(ctx, batch, batch.Column(0)))},
		"state":   {host.ErrInvalid, second(none.NewState(ctx))},
		"emitter": {host.ErrInvalid, second(none.NewEmitter(ctx))},
		"zero":    {host.ErrInvalid, second(kernel.Run(ctx, batch))},
		"consume": {host.ErrReleased, (&host.State{}).Consume(ctx, batch)},
		"push":    {host.ErrReleased, (&host.Emitter{}).Push(ctx, batch)},
	} {
		if !errors.Is(c.got, c.want) {
			t.Errorf("%s: got error %v, want %v", name, c.got, c.want)
		}
	}
}
