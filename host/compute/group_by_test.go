// SPDX-License-Identifier: Apache-2.0

package compute_test

import (
	"errors"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tombolo-arrow/tombolo/host"
	"github.com/tombolo-arrow/tombolo/host/compute"
)

var sales = arrow.NewSchema([]arrow.Field{
	{Name: "shop", Type: texts, Nullable: true},
	{Name: "month", Type: int64s, Nullable: true},
	{Name: "price", Type: float64s, Nullable: true},
	{Name: "paid", Type: bools, Nullable: true},
}, nil)

var byShop = compute.GroupBy{
	Keys: []string{"shop"},
	Aggregates: []compute.Aggregate{
		{Function: compute.Count},
		{Function: compute.Count, Column: "price"},
		{Function: compute.CountIf, Column: "paid", Name: "paid: yes"},
		{Function: compute.Sum, Column: "price"},
		{Function: compute.Mean, Column: "price"},
		{Function: compute.Min, Column: "month"},
		{Function: compute.Max, Column: "month"},
	},
}

const salesRows = `[
	{"shop": "b", "month": 3, "price": 1.5, "paid": true},
	{"shop": null, "month": 1, "price": null, "paid": null},
	{"shop": "a", "month": 2, "price": 4, "paid": false},
	{"shop": "b", "month": null, "price": 2.5, "paid": true}]`

const byShopRows = `[
	{"shop": "b", "count": 2, "count_price": 2, "paid: yes": 2, "sum_price": 4, "mean_price": 2,
	 "min_month": 3, "max_month": 3},
	{"shop": null, "count": 1, "count_price": 0, "paid: yes": 0, "min_month": 1, "max_month": 1},
	{"shop": "a", "count": 1, "count_price": 1, "paid: yes": 0, "sum_price": 4, "mean_price": 4,
	 "min_month": 2, "max_month": 2}]`

func TestGroupBy(t *testing.T) {
	rows := batch(t, sales, salesRows)
	onEveryCarrier(t, func(t *testing.T, engine *host.Engine) {
		ctx := t.Context()
		grouping, err := byShop.Bind(ctx, engine, sales)
		if err != nil {
			t.Fatal(err)
		}
		defer grouping.Release()

		want := batch(t, grouping.Output(), byShopRows)
		check := func(what string, got arrow.RecordBatch, err error) {
			t.Helper()
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			defer got.Release()

			if !array.RecordEqual(got, want) {
				t.Errorf("%s: got %v, want %v", what, got, want)
			}
		}
		for range 2 {
			got, err := byShop.Run(ctx, engine, rows)
			check("one shot", got, err)
		}
		first, err := grouping.Open(ctx)
		if err != nil {
			t.Fatal(err)
		}
		defer first.Close()

		second, err := grouping.Open(ctx)
		if err != nil {
			t.Fatal(err)
		}
		defer second.Close()

		head, tail := rows.NewSlice(0, 1), rows.NewSlice(1, 4)
		defer head.Release()
		defer tail.Release()

		if err := errors.Join(first.Consume(ctx, head), second.Consume(ctx, tail)); err != nil {
			t.Fatal(err)
		}
		if err := first.Merge(ctx, second); err != nil {
			t.Fatal(err)
		}
		got, err := first.Finish(ctx)
		check("merged", got, err)
	})
}

func TestGroupByRefuses(t *testing.T) {
	rows := batch(t, sales, salesRows)
	twice := arrow.NewSchema([]arrow.Field{{Name: "n", Type: int64s}, {Name: "n", Type: int64s}}, nil)
	onEveryCarrier(t, func(t *testing.T, engine *host.Engine) {
		ctx := t.Context()
		bind := func(g compute.GroupBy, schema *arrow.Schema) error {
			_, err := g.Bind(ctx, engine, schema)
			return err
		}
		aggregate := func(function compute.Function, column string) compute.GroupBy {
			return compute.GroupBy{
				Keys:       []string{"shop"},
				Aggregates: []compute.Aggregate{{Function: function, Column: column}},
			}
		}
		var noGroups *compute.Groups
		var noGrouping *compute.Grouping
		_, openNil := noGrouping.Open(ctx)
		_, runNil := byShop.Run(ctx, engine, nil)
		_, runMissing := aggregate(compute.Sum, "cost").Run(ctx, engine, rows)
		for name, c := range map[string]struct{ want, got error }{
			"nil schema":     {host.ErrInvalid, bind(byShop, nil)},
			"missing key":    {host.ErrInvalid, bind(compute.GroupBy{Keys: []string{"x"}}, sales)},
			"ambiguous key":  {host.ErrInvalid, bind(compute.GroupBy{Keys: []string{"n"}}, twice)},
			"no key":         {host.ErrInvalid, bind(compute.GroupBy{}, sales)},
			"float key":      {host.ErrType, bind(compute.GroupBy{Keys: []string{"price"}}, sales)},
			"missing column": {host.ErrInvalid, bind(aggregate(compute.Sum, "cost"), sales)},
			"sum of nothing": {host.ErrInvalid, bind(aggregate(compute.Sum, ""), sales)},
			"sum of text":    {host.ErrType, bind(aggregate(compute.Sum, "shop"), sales)},
			"column twice": {host.ErrInvalid, bind(compute.GroupBy{
				Keys: []string{"shop"}, Aggregates: []compute.Aggregate{
					{Function: compute.Sum, Column: "price"}, {Function: compute.Sum, Column: "price"},
				},
			}, sales)},
			"name of a key": {host.ErrInvalid, bind(compute.GroupBy{
				Keys: []string{"shop"}, Aggregates: []compute.Aggregate{{Function: compute.Count, Name: "shop"}},
			}, sales)},
			"zero byte": {host.ErrInvalid, bind(compute.GroupBy{
				Keys: []string{"shop"}, Aggregates: []compute.Aggregate{{Function: compute.Count, Name: "a\x00b"}},
			}, sales)},
			"unknown function": {host.ErrInvalid, bind(aggregate("median", "price"), sales)},
			"run on nil":       {host.ErrInvalid, runNil},
			"run, missing":     {host.ErrInvalid, runMissing},
			"nil groups":       {host.ErrInvalid, noGroups.Consume(ctx, rows)},
			"nil grouping":     {host.ErrInvalid, openNil},
		} {
			if !errors.Is(c.got, c.want) {
				t.Errorf("%s: got error %v, want %v", name, c.got, c.want)
			}
		}
	})
}
