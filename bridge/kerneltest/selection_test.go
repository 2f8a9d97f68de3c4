// SPDX-License-Identifier: Apache-2.0

package kerneltest_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tombolo-arrow/tombolo/bridge"
	_ "github.com/tombolo-arrow/tombolo/bridge/cgolink"
	"github.com/tombolo-arrow/tombolo/bridge/kerneltest"
	_ "github.com/tombolo-arrow/tombolo/bridge/portable"
)

// form is one shape of input.
type form struct {
	rows, offset int
	nulls        kerneltest.Nulls
}

// forms covers tails up to two vectors of every level, offsets inside bytes and words, and all null patterns.
func forms() []form {
	var all []form
	for _, rows := range []int{0, 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 127, 1000} {
		for _, nulls := range []kerneltest.Nulls{kerneltest.NoNulls, kerneltest.SomeNulls, kerneltest.AllNulls} {
			for _, offset := range []int{0, 1, 7, 8, 9, 63} {
				// A short column is not different at every offset.
				if rows > 8 || offset < 2 {
					all = append(all, form{rows, offset, nulls})
				}
			}
		}
	}
	return all
}

func (f form) column(random *rand.Rand, dataType arrow.DataType) arrow.Array {
	return kerneltest.Column(random, dataType, f.rows, f.nulls, f.offset)
}

// batchOf makes a batch that lives until the test ends.
func batchOf(t testing.TB, columns ...arrow.Array) arrow.RecordBatch {
	batch := kerneltest.Batch(columns...)
	t.Cleanup(batch.Release)
	return batch
}

// seeded gives every test its own numbers.
func seeded(t testing.TB) *rand.Rand {
	seed := uint64(0)
	for _, c := range []byte(t.Name()) {
		seed = seed*31 + uint64(c)
	}
	return rand.New(rand.NewPCG(seed, 1))
}

func TestFilterIsTheSameEverywhere(t *testing.T) {
	suite := kerneltest.Open(t)
	for _, dataType := range kerneltest.Selectables() {
		t.Run(dataType.String(), func(t *testing.T) {
			random := seeded(t)
			for i, f := range forms() {
				mask := kerneltest.Mask(random, f.rows, kerneltest.Nulls(i%2), f.offset/3)
				suite.Check(prefix(t, f), kerneltest.Case{
					Kernel:  "filter",
					Inputs:  []arrow.RecordBatch{batchOf(t, f.column(random, dataType)), batchOf(t, mask)},
					Options: []bridge.Option{{Name: "null_selection", Value: []string{"drop", "emit_null"}[i/2%2]}},
				})
			}
		})
	}
}

func TestTakeIsTheSameEverywhere(t *testing.T) {
	suite := kerneltest.Open(t)
	for _, dataType := range kerneltest.Selectables() {
		t.Run(dataType.String(), func(t *testing.T) {
			random := seeded(t)
			for i, f := range forms() {
				values := batchOf(t, form{100, f.offset, f.nulls}.column(random, dataType))
				index := kerneltest.Index(random, kerneltest.Integers()[i%8], f.rows, kerneltest.Nulls(i/2%3), 5, 100)
				c := kerneltest.Case{Kernel: "take", Inputs: []arrow.RecordBatch{values, batchOf(t, index)}}
				if i%3 == 0 {
					c.Inputs = c.Inputs[1:]
					c.Objects = map[string]arrow.RecordBatch{"values": values}
				}
				suite.Check(prefix(t, f), c)
			}
		})
	}
}

func TestTakeFromNothing(t *testing.T) {
	suite := kerneltest.Open(t)
	random := seeded(t)
	for _, dataType := range kerneltest.Selectables() {
		for _, nulls := range []kerneltest.Nulls{kerneltest.SomeNulls, kerneltest.AllNulls} {
			values := batchOf(t, form{0, 0, kerneltest.NoNulls}.column(random, dataType))
			index := batchOf(t, form{70, 3, nulls}.column(random, arrow.PrimitiveTypes.Int16))
			suite.Check(prefix(t, dataType), kerneltest.Case{
				Kernel: "take", Inputs: []arrow.RecordBatch{values, index},
			})
		}
	}
}

func TestTakeOfAnyIndexFailsAlike(t *testing.T) {
	suite := kerneltest.Open(t)
	random := seeded(t)
	for _, indexType := range kerneltest.Integers() {
		for _, rows := range []int{1, 100, 300, 40_000} {
			values := batchOf(t, form{rows, 1, kerneltest.NoNulls}.column(random, arrow.PrimitiveTypes.Int32))
			for range 20 {
				index := batchOf(t, form{3, 2, kerneltest.SomeNulls}.column(random, indexType))
				suite.Check(prefix(t, indexType), kerneltest.Case{
					Kernel: "take", Inputs: []arrow.RecordBatch{values, index},
				})
			}
		}
	}
}

// named adds what was run to a failure.
type named struct {
	testing.TB
	what string
}

func prefix(t testing.TB, what any) named { return named{t, fmt.Sprintf("%+v: ", what)} }

func (n named) Errorf(format string, args ...any) {
	n.Helper()
	n.TB.Errorf(n.what+format, args...)
}
