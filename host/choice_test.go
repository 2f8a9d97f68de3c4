// SPDX-License-Identifier: Apache-2.0

package host_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/bridge/portable"
	"github.com/tombolo-arrow/tombolo/host"
	"github.com/tombolo-arrow/tombolo/ownership/buildtag"
)

// pretender is the portable library that claims to be native: the choice can be tested in every
// build. It opens only while a test wants it.
type pretender struct {
	bridge.Library
}

var pretend atomic.Bool

func init() {
	bridge.Register(bridge.Carrier{
		Name: "pretender", Native: true, Priority: 1000,
		Open: func(_ context.Context, config bridge.Config) (bridge.Library, error) {
			if !pretend.Load() {
				return nil, errors.New("no test wants it")
			}
			return pretender{portable.Open(config)}, nil
		},
	})
}

func (p pretender) Info() bridge.Info {
	info := p.Library.Info()
	info.Carrier, info.Native = "pretender", true
	return info
}

func (p pretender) Bind(
	ctx context.Context, kernel string, inputs []*arrow.Schema, options ...bridge.Option,
) (bridge.Bound, error) {
	switch kernel {
	case "month":
		return nil, bridge.NewError(bridge.CodeUnsupported, kernel, "")
	case "touch":
		return nil, bridge.NewError(bridge.CodeInternal, kernel, "")
	}
	return p.Library.Bind(ctx, kernel, inputs, options...)
}

func openPretender(t *testing.T, options ...host.Option) *host.Engine {
	t.Helper()
	pretend.Store(true)
	defer pretend.Store(false)

	return openEngine(t, options...)
}

func run(t *testing.T, kernel *host.Kernel, batch arrow.RecordBatch) {
	t.Helper()
	result, err := kernel.Run(t.Context(), batch)
	if err != nil {
		t.Fatal(err)
	}
	result.Release()
}

func kernelCounters(t *testing.T, engine *host.Engine, name string) host.KernelCounters {
	t.Helper()
	for _, kernel := range engine.Counters().Kernels {
		if kernel.Kernel == name {
			return kernel
		}
	}
	t.Fatalf("no counters for %s", name)
	return host.KernelCounters{}
}

func TestThresholdChooses(t *testing.T) {
	engine := openPretender(t, host.Threshold("abs", 3))
	kernel := bindInteger(t, engine, "abs")
	for _, values := range [][]int64{{}, {1, 2}, {1, 2, 3}, {1, 2, 3, 4}, {1}} {
		batch := integers(engine.Allocator(), values...)
		run(t, kernel, batch)
		batch.Release()
	}
	got := kernelCounters(t, engine, "abs")
	want := host.KernelCounters{Kernel: "abs", Threshold: 3, Native: 2, Portable: 3}
	if got != want {
		t.Errorf("counters %+v, want %+v", got, want)
	}
}

func TestPolicyTurnsThresholdsOff(t *testing.T) {
	for name, option := range map[string]host.Option{
		"require native": host.RequireNative(), "one carrier": host.WithCarrier("pretender"),
	} {
		t.Run(name, func(t *testing.T) {
			engine := openPretender(t, option)
			kernel := bindInteger(t, engine, "abs")
			batch := integers(engine.Allocator())
			defer batch.Release()

			run(t, kernel, batch)
			if got := kernelCounters(t, engine, "abs"); got.Native != 1 || got.Portable != 0 {
				t.Errorf("counters %+v", got)
			}
			_, err := engine.Bind(t.Context(), "month", []*arrow.Schema{dates})
			if !errors.Is(err, host.ErrUnsupported) {
				t.Errorf("what native code does not take gave %v", err)
			}
		})
	}
}

var dates = arrow.NewSchema([]arrow.Field{{Name: "d", Type: arrow.FixedWidthTypes.Date32}}, nil)

func TestReasonsTellOfBoth(t *testing.T) {
	reasons := map[string]bridge.Reason{}
	for _, reason := range openPretender(t).Reasons() {
		reasons[reason.Carrier] = reason
	}
	if !reasons["pretender"].Chosen {
		t.Errorf("reasons %v", reasons)
	}
	if beside := reasons["portable"]; beside.Chosen || !strings.HasPrefix(beside.Text, "beside pretender") {
		t.Errorf("the portable library: %+v", beside)
	}
}

func TestUnsupportedFallsBack(t *testing.T) {
	engine := openPretender(t)
	kernel, err := engine.Bind(t.Context(), "month", []*arrow.Schema{dates})
	if err != nil {
		t.Fatal(err)
	}
	kernel.Release()
	if got := engine.Counters(); got.Fallbacks != 1 {
		t.Errorf("counters %+v, want one fallback", got)
	}
}

func TestInternalErrorPoisons(t *testing.T) {
	if buildtag.Debug {
		t.Skip("debug builds panic")
	}
	engine := openPretender(t)
	schema := integerSchema()
	_, err := engine.Bind(t.Context(), "touch", []*arrow.Schema{schema})
	if !errors.Is(err, host.ErrInternal) || errors.Is(err, host.ErrPoisoned) {
		t.Fatalf("the first error is %v", err)
	}
	_, err = engine.Bind(t.Context(), "abs", []*arrow.Schema{schema})
	if !errors.Is(err, host.ErrPoisoned) || !errors.Is(err, host.ErrInternal) {
		t.Errorf("the second error is %v", err)
	}
	if engine.Doctor().Problem == "" {
		t.Error("doctor sees no problem")
	}
}

func TestThresholdsIsACopy(t *testing.T) {
	host.Thresholds()["abs"] = 1 << 40
	if host.Thresholds()["abs"] == 1<<40 {
		t.Error("a caller changed the defaults")
	}
}

func TestThresholdsNameKernels(t *testing.T) {
	library := portable.Open(bridge.Config{})
	defer library.Close()

	known := map[string]bool{}
	for _, kernel := range library.Kernels() {
		known[kernel.Name] = true
	}
	for kernel := range host.Thresholds() {
		if !known[kernel] {
			t.Errorf("a threshold names %s, which is no kernel", kernel)
		}
	}
}

func integerSchema() *arrow.Schema {
	batch := integers(memory.DefaultAllocator)
	defer batch.Release()

	return batch.Schema()
}

func bindInteger(t *testing.T, engine *host.Engine, name string) *host.Kernel {
	t.Helper()
	kernel, err := engine.Bind(t.Context(), name, []*arrow.Schema{integerSchema()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(kernel.Release)
	return kernel
}
