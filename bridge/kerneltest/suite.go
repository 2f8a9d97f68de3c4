// SPDX-License-Identifier: Apache-2.0

package kerneltest

import (
	"context"
	"errors"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/ownership/arena"
	"github.com/tombolo-arrow/tombolo/ownership/ledger"
)

// Suite holds the portable library, which is the reference, and every native carrier at every SIMD level of the
// machine. The test imports the carriers.
type Suite struct {
	reference bridge.Library
	others    []opened
}

type opened struct {
	name    string
	library bridge.Library
}

var levelNames = map[bridge.SIMDLevel]string{
	bridge.LevelBase: "base", bridge.LevelAVX2: "avx2", bridge.LevelAVX512: "avx512",
}

// Open opens a suite that lives until the test ends, when every ledger must be empty. It skips the test where no
// native carrier opens.
func Open(t testing.TB) *Suite {
	t.Helper()
	s := &Suite{}
	for _, carrier := range bridge.Carriers() {
		if carrier.Unavailable != "" {
			continue
		}
		if !carrier.Native {
			s.reference = openCarrier(t, carrier.Name, bridge.LevelBase)
			continue
		}
		highest := openCarrier(t, carrier.Name, bridge.LevelMax)
		for level := bridge.LevelBase; level <= highest.Info().SIMDLevel; level++ {
			library := openCarrier(t, carrier.Name, level)
			s.others = append(s.others, opened{carrier.Name + " " + levelNames[level], library})
		}
	}
	if s.reference == nil || len(s.others) == 0 {
		t.Skip("needs the portable and a native carrier")
	}
	return s
}

func openCarrier(t testing.TB, name string, level bridge.SIMDLevel) bridge.Library {
	t.Helper()
	books := ledger.New()
	memory, err := arena.New(arena.Config{Ledger: books})
	if err != nil {
		t.Fatal(err)
	}
	config := bridge.Config{Ledger: books, Arena: memory, SIMDLevel: level}
	library, _, err := bridge.Open(context.Background(), config, bridge.PreferNative, name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := library.Close(); err != nil {
			t.Error(err)
		}
		books.VerifyEmpty(t)
		if err := memory.Close(); err != nil {
			t.Error(err)
		}
	})
	return library
}

// Case is one run of a map kernel.
type Case struct {
	Kernel  string
	Inputs  []arrow.RecordBatch
	Options []bridge.Option
	// Objects are options whose value is a batch, prepared as kind "batch".
	Objects map[string]arrow.RecordBatch
}

// Check runs the case on every carrier and reports where one differs from the reference: in any bit of the result,
// in its schema, or in code, argument or column of the error.
func (s *Suite) Check(t Reporter, c Case) {
	t.Helper()
	want, wantErr := c.run(s.reference)
	if wantErr == nil {
		defer want.Release()
		CheckShape(t, want)
	}
	for _, other := range s.others {
		got, err := c.run(other.library)
		if err == nil {
			checkResult(t, other.name, got, want, wantErr)
			got.Release()
			continue
		}
		if wantErr == nil || errorOf(err) != errorOf(wantErr) {
			t.Errorf("%s: error %v, want %v", other.name, err, wantErr)
		}
	}
}

func checkResult(t Reporter, name string, got, want arrow.RecordBatch, wantErr error) {
	t.Helper()
	if wantErr != nil {
		t.Errorf("%s: a result, want error %v", name, wantErr)
		return
	}
	named := prefixed{t, name}
	CheckShape(named, got)
	CheckEqual(named, got, want)
	if !got.Schema().Equal(want.Schema()) {
		t.Errorf("%s: schema %s, want %s", name, got.Schema(), want.Schema())
	}
}

type prefixed struct {
	Reporter
	name string
}

func (p prefixed) Errorf(format string, args ...any) {
	p.Helper()
	p.Reporter.Errorf(p.name+": "+format, args...)
}

// failure is what two carriers must agree on in an error; the words are their own.
type failure struct {
	code             bridge.Code
	argument, column int
}

func errorOf(err error) failure {
	var typed *bridge.Error
	if !errors.As(err, &typed) {
		return failure{}
	}
	return failure{typed.Code, typed.Argument, typed.Column}
}

func (c Case) run(library bridge.Library) (arrow.RecordBatch, error) {
	ctx := context.Background()
	options := append([]bridge.Option(nil), c.Options...)
	for name, batch := range c.Objects {
		object, err := library.Prepare(ctx, "batch", batch)
		if err != nil {
			return nil, err
		}
		defer object.Release()

		options = append(options, bridge.Option{Name: name, Value: object})
	}
	schemas := make([]*arrow.Schema, len(c.Inputs))
	for i, input := range c.Inputs {
		schemas[i] = input.Schema()
	}
	kernel, err := library.Bind(ctx, c.Kernel, schemas, options...)
	if err != nil {
		return nil, err
	}
	defer kernel.Release()

	return kernel.Run(ctx, c.Inputs...)
}
