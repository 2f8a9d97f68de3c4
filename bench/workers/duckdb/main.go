// SPDX-License-Identifier: Apache-2.0

// Command duckdb is the benchmark's worker for DuckDB: the main job's joins, distances, reprojection and aggregates in
// SQL, on the same files, threads and memory.
package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strconv"

	_ "github.com/duckdb/duckdb-go/v2"

	"github.com/tombolo-arrow/tombolo/bench/jobdata"
	"github.com/tombolo-arrow/tombolo/bench/protocol"
)

// The queries do what the job does: two left joins, miles and error, both ends to Web Mercator, the grid cell, and
// three aggregates, all kept as tables in memory.
const (
	readEvents = `CREATE OR REPLACE TABLE events AS SELECT * FROM read_parquet('%s')`

	readAirports = `CREATE OR REPLACE TABLE airports AS SELECT * FROM read_csv('%s', header = true, nullstr = '',
		types = {'iata': 'VARCHAR', 'state': 'VARCHAR', 'latitude': 'DOUBLE', 'longitude': 'DOUBLE'})`

	join = `CREATE OR REPLACE TABLE joined AS
	WITH located AS (
		SELECT e.date, e.delay, e.distance, e.origin, e.destination,
			o.state AS origin_state, o.latitude AS lat0, o.longitude AS lon0,
			d.state AS destination_state, d.latitude AS lat1, d.longitude AS lon1
		FROM %s e
		LEFT JOIN airports o ON e.origin = o.iata
		LEFT JOIN airports d ON e.destination = d.iata),
	placed AS (
		SELECT *, month(date) AS month,
			2 * 3958.7613 * asin(sqrt(pow(sin(radians(lat1 - lat0) / 2), 2)
				+ cos(radians(lat0)) * cos(radians(lat1)) * pow(sin(radians(lon1 - lon0) / 2), 2))) AS miles,
			6378137.0 * radians(lon0) AS x0, 6378137.0 * ln(tan(pi() / 4 + radians(lat0) / 2)) AS y0,
			6378137.0 * radians(lon1) AS x1, 6378137.0 * ln(tan(pi() / 4 + radians(lat1) / 2)) AS y1
		FROM located)
	SELECT date, delay, distance, origin, destination, origin_state, destination_state, month, miles,
		abs(miles - distance) AS error, x0, y0, x1, y1,
		CAST(floor(x0 / 100000) AS BIGINT) * 4294967296 + (CAST(floor(y0 / 100000) AS BIGINT) & 4294967295) AS cell
	FROM placed`

	byStateMonth = `CREATE OR REPLACE TABLE by_state_month AS
	SELECT origin_state, month, count(*) AS n, avg(delay) AS mean_delay, min(delay) AS min_delay,
		max(delay) AS max_delay, count(*) FILTER (delay > 15) AS late, sum(miles) AS miles
	FROM joined GROUP BY origin_state, month`

	byCell = `CREATE OR REPLACE TABLE by_cell AS
	SELECT cell, count(*) AS n, avg(delay) AS mean_delay, avg(x0) AS x, avg(y0) AS y FROM joined GROUP BY cell`

	byRoute = `CREATE OR REPLACE TABLE by_route AS
	SELECT origin, destination, count(*) AS n, avg(delay) AS mean_delay FROM joined GROUP BY origin, destination`

	totals = `SELECT
		(SELECT count(*) FROM joined), (SELECT sum(delay) FROM joined), (SELECT sum(distance) FROM joined),
		(SELECT count(*) FROM joined WHERE error <= 0.015 * distance),
		(SELECT count(*) FROM by_state_month), (SELECT sum(late) FROM by_state_month),
		(SELECT count(*) FROM by_cell), (SELECT count(*) FROM by_route),
		(SELECT sum(miles) FROM by_state_month), (SELECT sum(x * n) FROM by_cell), (SELECT sum(y * n) FROM by_cell),
		(SELECT sum(mean_delay) FROM by_route)`
)

type worker struct{}

func (worker) Hello() protocol.Answer { return protocol.Answer{Variant: "duckdb", Version: "1.5.6"} }

func (worker) Prepare(c protocol.Case) (*protocol.Prepared, error) {
	if c.Family != "job" || c.What == "write" {
		return nil, protocol.ErrUnsupported
	}
	files, err := jobdata.Find(c.Int("rows", 50_000))
	if err != nil {
		return nil, err
	}
	database, err := sql.Open("duckdb", "")
	if err != nil {
		return nil, err
	}
	database.SetMaxOpenConns(1)
	prepared, err := prepare(database, c, files)
	if err != nil {
		return nil, errors.Join(err, database.Close())
	}
	return prepared, nil
}

func prepare(database *sql.DB, c protocol.Case, files jobdata.Files) (*protocol.Prepared, error) {
	limit, err := strconv.ParseInt(os.Getenv("TOMBOLO_BENCH_MEM_LIMIT"), 10, 64)
	if err != nil {
		limit = 4 << 30
	}
	read := fmt.Sprintf(readEvents, files.Events)
	island := []string{fmt.Sprintf(join, "events"), byStateMonth, byCell, byRoute}
	total := []string{fmt.Sprintf(join, "read_parquet('"+files.Events+"')"), byStateMonth, byCell, byRoute}
	setup := []string{
		fmt.Sprintf("SET threads = %d", c.Int("threads", 1)),
		fmt.Sprintf("SET memory_limit = '%dMB'", limit>>20),
		fmt.Sprintf(readAirports, files.Airports), read,
	}
	statements := map[string][]string{"read": {read}, "island": island, "total": total}[c.What]
	if statements == nil {
		return nil, protocol.ErrUnsupported
	}
	for _, statement := range append(setup, island...) {
		if _, err := database.ExecContext(context.Background(), statement); err != nil {
			return nil, err
		}
	}
	digest, err := digestOf(database)
	if err != nil {
		return nil, err
	}
	return &protocol.Prepared{
		Rows: int64(c.Int("rows", 50_000)), Columns: 5, Digest: digest,
		Run: func() error {
			for _, statement := range statements {
				if _, err := database.ExecContext(context.Background(), statement); err != nil {
					return err
				}
			}
			return nil
		},
		Close: func() { _ = database.Close() },
	}, nil
}

func digestOf(database *sql.DB) (string, error) {
	var t jobdata.Totals
	err := database.QueryRow(totals).Scan(&t.Rows, &t.Delay, &t.Distance, &t.Agree, &t.StateMonths, &t.Late, &t.Cells,
		&t.Routes, &t.Miles, &t.X, &t.Y, &t.RouteDelay)
	return t.Digest(), err
}

func main() {
	if err := protocol.Serve(worker{}); err != nil {
		fmt.Fprintln(os.Stderr, "duckdb worker:", err)
		os.Exit(1)
	}
}
