import { parquetMetadata } from "hyparquet";
import assert from "node:assert/strict";
import { USER_AGENT } from "../../../../src/config/plan/version.ts";
import { serverMetricsParquet } from "../../../../src/report/export/server_metrics/server_metrics_parquet.ts";
import { EndpointSeries } from "../../../../src/telemetry/timeseries/endpoint_series.ts";
import { withFolder } from "../../../support/artifacts.ts";
import {
  BASE_EPOCH_NS,
  ENDPOINT_URL,
  endpointOf,
  type TimedPage,
} from "../../../support/metrics_pages.ts";
import { readParquetBytes } from "../../../support/parquet_rows.ts";
import { pythonTest, readByPython } from "../../../support/python.ts";
import { replayedFiles, type ReplayedPages } from "../../../support/replayed_files.ts";

const FIXED = ["endpoint_url", "metric_name", "metric_type", "unit", "description", "timestamp_ns"];
const VALUES = ["value", "sum", "count", "bucket_le", "bucket_count"];

/** The bytes of a file of one endpoint. */
function fileOf(endpoint: EndpointSeries, endNs = 1e18): Uint8Array<ArrayBuffer> {
  const pieces = [...serverMetricsParquet([{ url: ENDPOINT_URL, series: endpoint }], {
    window: { startNs: 0, endNs },
    baseEpochNs: BASE_EPOCH_NS,
    metadata: new Map([["aiperf.schema_version", "1.0"]]),
  })];
  return new Uint8Array(pieces.flatMap((piece) => [...piece]));
}

async function labelsOf(text: string): Promise<{
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}> {
  const { columns, rows } = await readParquetBytes(fileOf(endpointOf([[0, text]])).buffer);
  const labels = columns.slice(FIXED.length, -VALUES.length);
  assert.deepEqual(columns, [...FIXED, ...labels, ...VALUES]);
  return {
    columns: labels,
    rows: rows.map((row) => Object.fromEntries(labels.map((label) => [label, row[label] ?? null]))),
  };
}

Deno.test("serverMetricsParquet has the labels as columns in alphabetical order", async () => {
  const { columns, rows } = await labelsOf('a{zeta="1",alpha="2"} 1\nb{mid="3"} 1\nc 1\n');
  assert.deepEqual(columns, ["alpha", "mid", "zeta"]);
  assert.deepEqual(rows, [
    { alpha: "2", mid: null, zeta: "1" },
    { alpha: null, mid: "3", zeta: null },
    { alpha: null, mid: null, zeta: null },
  ]);
});

Deno.test("serverMetricsParquet ends a row group when its texts get large", async () => {
  const page = Array.from({ length: 300 }, (_, index) => `a{id="${"x".repeat(1e4)}${index}"} 1\n`);
  const bytes = fileOf(endpointOf([[0, page.join("")], [1, page.join("")]]));
  const groups = parquetMetadata(bytes.buffer).row_groups.map(({ num_rows: rows }) => Number(rows));
  assert.ok(groups.length >= 3, `${groups}`);
  const { rows } = await readParquetBytes(bytes.buffer);
  assert.equal(rows.length, 600);
  assert.equal(new Set(rows.map((row) => row["id"])).size, 300);
});

Deno.test("serverMetricsParquet leaves out labels that are called like a column, in any case", async () => {
  const reserved = [...FIXED, ...VALUES];
  const labels = [...reserved, ...reserved.map((name) => name.toUpperCase()), "Value", "kept"];
  const text = labels.map((label) => `${label}="x"`).join(",");
  const { columns, rows } = await labelsOf(`a{${text}} 1\n`);
  assert.deepEqual(columns, ["kept"]);
  assert.deepEqual(rows, [{ kept: "x" }]);
});

Deno.test("serverMetricsParquet has one column for labels that differ in case alone", async () => {
  const { columns, rows } = await labelsOf(
    'a{Model="1"} 1\nb{model="2"} 1\nc{MODEL="3"} 1\nd{Model="4",model="5"} 1\n',
  );
  assert.deepEqual(columns, ["MODEL"]);
  assert.deepEqual(rows, [{ MODEL: "1" }, { MODEL: "2" }, { MODEL: "3" }, { MODEL: "4" }]);
});

Deno.test("serverMetricsParquet keeps any text of labels and help", async () => {
  const values = ["", "ü€🚀", "two\nlines", 'a"b', "\0", "x".repeat(10_000), "__proto__", "null"];
  const escaped = (value: string) =>
    value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');
  const text = `# HELP a ünï\n` +
    values.map((value, index) => `a{v="${escaped(value)}",i="${index}"} 1\n`).join("");
  const { rows } = await labelsOf(text);
  assert.deepEqual(rows.map((row) => row["v"]), values);
  const odd = await labelsOf('{"a",__proto__="1",constructor="2","with blank"="3"} 1\n');
  assert.deepEqual(odd.columns, ["__proto__", "constructor", "with blank"]);
});

Deno.test("serverMetricsParquet writes nothing where there is no row", async () => {
  assert.equal(fileOf(endpointOf([])).length, 0);
  assert.equal(fileOf(endpointOf([[5, "a 1\n"]]), 4e9).length, 0);
  const { names } = await replayedFiles([[5, "a 1\n"], [6, "a 2\n"]], { start: 7, end: 9 });
  assert.deepEqual(names, ["server_metrics_export.jsonl"]);
});

/** Sixty thousand nanosecond times that no double holds, in random distances. */
function randomTimes(): number[] {
  let state = 11;
  let time = 0;
  return Array.from({ length: 10_000 }, () => {
    state = state * 48_271 % 2_147_483_647;
    return time += 1 + state % 333_333_333;
  });
}

Deno.test("serverMetricsParquet keeps every nanosecond", async () => {
  const times = randomTimes();
  const endpoint = new EndpointSeries();
  times.forEach((firstByteNs, row) =>
    endpoint.add({
      ...{ sentNs: firstByteNs, firstByteNs, latencyNs: 0, duplicate: false, isWhole: true },
      newSeries: row === 0 ? [{ id: 0, name: "a", labels: [] }] : [],
      metadata: row === 0 ? [] : undefined,
      ...{ ids: Int32Array.of(0), values: Float64Array.of(row), problemCount: 0 },
    })
  );
  const { rows } = await readParquetBytes(fileOf(endpoint).buffer);
  assert.deepEqual(
    rows.map((row) => row["timestamp_ns"]),
    times.map((time) => BASE_EPOCH_NS + BigInt(time)),
  );
});

/** An endpoint with a hundred gauges, each of which changes at every scrape. */
function manyRows(rows: number): EndpointSeries {
  const series = 100;
  const endpoint = new EndpointSeries();
  const ids = Int32Array.from({ length: series }, (_, id) => id);
  for (let row = 0; row < rows / series; row++) {
    endpoint.add({
      ...{ sentNs: row * 1e9, firstByteNs: row * 1e9, latencyNs: 0, duplicate: false },
      isWhole: true,
      newSeries: row > 0
        ? []
        : [...ids].map((id) => ({ id, name: "a", labels: [["id", String(id)]] as const })),
      metadata: row === 0 ? [] : undefined,
      ids,
      values: Float64Array.from(ids, (id) => id + row / 7),
      problemCount: 0,
    });
  }
  return endpoint;
}

Deno.test("serverMetricsParquet cuts rows into groups and keeps their order", async () => {
  const { rows, rowGroups } = await readParquetBytes(fileOf(manyRows(45_000)).buffer);
  assert.deepEqual(rowGroups, [20_000, 20_000, 5_000]);
  rows.forEach((row, index) => {
    const [id, scrape] = [Math.floor(index / 450), index % 450];
    assert.equal(row["id"], String(id));
    assert.equal(row["value"], id + scrape / 7);
    assert.equal(row["timestamp_ns"], BASE_EPOCH_NS + BigInt(scrape) * 1_000_000_000n);
  });
});

Deno.test("serverMetricsParquet makes larger groups of a file that has a hundred", () => {
  let footer = new Uint8Array();
  for (
    const piece of serverMetricsParquet([{ url: ENDPOINT_URL, series: manyRows(2_200_000) }], {
      window: { startNs: 0, endNs: 1e18 },
      baseEpochNs: BASE_EPOCH_NS,
      metadata: new Map(),
    })
  ) footer = piece.slice();
  const { row_groups: groups } = parquetMetadata(footer.buffer);
  const rows = groups.map(({ num_rows: rows }) => Number(rows));
  assert.deepEqual(rows, [...Array(100).fill(20_000), 131_072, 68_928]);
});

Deno.test("serverMetricsParquet writes a million rows in the memory of some row groups", () => {
  const endpoint = manyRows(1_000_000);
  const before = heldMb();
  let bytes = 0;
  let mostMb = 0;
  const pieces = serverMetricsParquet([{ url: ENDPOINT_URL, series: endpoint }], {
    window: { startNs: 0, endNs: 1e18 },
    baseEpochNs: BASE_EPOCH_NS,
    metadata: new Map(),
  });
  let groups = 0;
  for (const piece of pieces) {
    bytes += piece.length;
    groups++;
    mostMb = Math.max(mostMb, heldMb() - before);
  }
  assert.equal(groups, 51, "fifty groups and the footer");
  assert.ok(bytes > 1_000_000);
  // As a whole it is more than 500 MB before it is compressed.
  assert.ok(mostMb < 300, `${mostMb} MB`);
});

function heldMb(): number {
  const { heapUsed, external } = Deno.memoryUsage();
  return (heapUsed + external) / 1e6;
}

Deno.test("serverMetricsParquet compresses by Snappy, with statistics of each column", () => {
  const metadata = parquetMetadata(fileOf(manyRows(300)).buffer);
  for (const { columns } of metadata.row_groups) {
    for (const { meta_data: column } of columns) {
      assert.equal(column?.codec, "SNAPPY");
      const { null_count: nulls = 0 } = column?.statistics ?? {};
      // A column that is all null has neither a least nor a greatest value.
      assert.equal(column?.statistics?.min_value !== undefined, Number(nulls) < 300);
    }
  }
});

Deno.test("serverMetricsParquet's footer has the keys of the schema reference", async () => {
  const { parquet } = await replayedFiles({
    "http://a/metrics": [[0, 'g{m="1"} 1\n'], [1, 'g{m="1"} 2\n'], [2.5, 'g{m="1"} 3\n']],
    "http://b/metrics": [[0, "# TYPE c counter\nc 1\n"], [2, "# TYPE c counter\nc 2\n"]],
  }, { start: 0.5, end: 2 });
  const { metadata } = await parquet();
  const { "aiperf.export_timestamp_utc": time, "aiperf.python_version": python, ...rest } = Object
    .fromEntries(metadata);
  assert.match(time as string, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.match(python as string, /^none \(Deno \d/);
  assert.deepEqual(rest, {
    "aiperf.schema_version": "1.0",
    "aiperf.version": USER_AGENT,
    "aiperf.benchmark_id": "00000000-0000-4000-8000-000000000001",
    "aiperf.exporter": "ServerMetricsParquetExporter",
    "aiperf.hostname": "host",
    "aiperf.pyarrow_version": "none (hyparquet-writer)",
    "aiperf.time_filter_start_ns": String(BASE_EPOCH_NS + 500_000_000n),
    "aiperf.time_filter_end_ns": String(BASE_EPOCH_NS + 2_000_000_000n),
    "aiperf.profiling_duration_ns": "1500000000",
    "aiperf.profiling_duration_seconds": "1.5",
    "aiperf.endpoint_urls": '["http://a/metrics","http://b/metrics"]',
    "aiperf.endpoint_count": "2",
    "aiperf.label_columns": '["m"]',
    "aiperf.label_count": "1",
    "aiperf.metric_count": "2",
    "aiperf.metric_type_counts": '{"gauge":0,"counter":1,"histogram":0,"unknown":1}',
    "aiperf.model_names": "[]",
    "aiperf.concurrency": "None",
    "aiperf.input_config": "{}",
    "aiperf.schema_note":
      "Label columns vary by endpoint/model. Use union_by_name=true for cross-file queries.",
    "inferometer.was_cancelled": "false",
  });
});

Deno.test("serverMetricsParquet tells of gauges what the JSON does, and of counters up to its total", async () => {
  const gauge = [9, 4, 3, 5, 60, 70];
  const count = [10, 11, 15, 18, 25, 25];
  const pages = gauge.map((value, second): TimedPage => [
    second,
    `# TYPE g gauge\ng ${value}\n# TYPE c counter\nc ${count[second]}\n` +
    `# TYPE h histogram\nh_bucket{le="+Inf"} ${count[second]}\nh_sum 1\nh_count ${
      count[second]
    }\n` +
    `busy ${second}\n`,
  ]);
  const { parquet, json } = await replayedFiles(pages, { start: 0.5, end: 3.5 });
  const { rows } = await parquet();
  const valuesOf = (name: string, column: string) =>
    rows.filter((row) => row["metric_name"] === name).map((row) => row[column]);
  assert.deepEqual(valuesOf("g", "value"), [4, 3, 5]);
  assert.deepEqual(valuesOf("c", "value"), [1, 5, 8, 15, 15]);
  assert.deepEqual(valuesOf("h", "bucket_count"), [1, 5, 8, 15, 15]);
  assert.equal(json.metrics.g.series[0].stats.avg, 4);
  assert.deepEqual(json.metrics.c.series[0].stats, { total: 15, rate: 5 });
  assert.equal(json.metrics.h.series[0].stats.count_rate, 5);
});

/** A server as vLLM's, scraped each second. */
function vllmPages(scale: number): TimedPage[] {
  return Array.from({ length: 5 }, (_, second): TimedPage => {
    const count = second * 4 * scale;
    return [
      second,
      `# HELP vllm:kv_cache_usage_perc KV-cache usage. 1 means 100 percent usage.
# TYPE vllm:kv_cache_usage_perc gauge
vllm:kv_cache_usage_perc{engine="0",model_name="Qwen/Qwen3-0.6B"} ${second / 8}
# TYPE vllm:request_success_total counter
vllm:request_success_total{finished_reason="stop",model_name="Qwen/Qwen3-0.6B"} ${count}
# HELP vllm:e2e_request_latency_seconds Histogram of e2e request latency in seconds.
# TYPE vllm:e2e_request_latency_seconds histogram
vllm:e2e_request_latency_seconds_bucket{le="0.3",model_name="Qwen/Qwen3-0.6B"} ${count / 4}
vllm:e2e_request_latency_seconds_bucket{le="1.0",model_name="Qwen/Qwen3-0.6B"} ${count / 2}
vllm:e2e_request_latency_seconds_bucket{le="10.0",model_name="Qwen/Qwen3-0.6B"} ${count}
vllm:e2e_request_latency_seconds_bucket{le="+Inf",model_name="Qwen/Qwen3-0.6B"} ${count}
vllm:e2e_request_latency_seconds_sum{model_name="Qwen/Qwen3-0.6B"} ${count * 1.25}
vllm:e2e_request_latency_seconds_count{model_name="Qwen/Qwen3-0.6B"} ${count}
`,
    ];
  });
}

const TWO_ENDPOINTS: ReplayedPages = {
  "http://a/metrics": vllmPages(1),
  "http://b/metrics": [[0.25, 'odd{Model="ü",region="eu"} 1\n'], [2.25, 'odd{Model="ü"} 5\n']],
};
const WINDOW = { start: 1, end: 4 };

await pythonTest(
  "pyarrow, pandas, DuckDB, and Polars read the same cells",
  () =>
    withFolder(async (folder) => {
      const files = await replayedFiles(TWO_ENDPOINTS, WINDOW);
      const other = await replayedFiles(vllmPages(2), WINDOW);
      const [path, otherPath] = [`${folder}/a.parquet`, `${folder}/b.parquet`];
      await Deno.writeFile(path, files.parquetBytes);
      await Deno.writeFile(otherPath, other.parquetBytes);
      const found = await readByPython("parquet", path, otherPath);
      const { columns, rows, metadata } = await files.parquet();
      const expected = {
        columns,
        rows: rows.map((row) =>
          columns.map((column) => {
            const cell = row[column] ?? null;
            return typeof cell === "bigint" ? String(cell) : cell;
          })
        ),
      };
      assert.equal(rows.length, 1 * 4 + 1 * 4 + 4 * 4 + 1);
      for (const reader of ["pyarrow", "duckdb", "polars", "pandas"]) {
        assert.deepEqual(found[reader], expected, reader);
      }
      assert.deepEqual(found.metadata, Object.fromEntries(metadata));
      const types = Object.fromEntries(columns.map((column, i) => [column, found.arrowTypes[i]]));
      assert.deepEqual(
        [types["timestamp_ns"], types["value"], types["bucket_le"], types["region"]],
        [
          ...["int64", "double", "string", "string"],
        ],
      );
      assert.deepEqual(columns.filter((_, index) => !found.nullable[index]), [
        ...["endpoint_url", "metric_name", "metric_type", "timestamp_ns"],
      ]);
      assertQueries(found);
    }),
);

/** The results of the schema reference's queries. */
// deno-lint-ignore no-explicit-any -- what the script prints
function assertQueries({ queries, polarsQuery, lazyRows, pivot }: any): void {
  const at = (second: number) => String(BASE_EPOCH_NS + BigInt(second) * 1_000_000_000n);
  assert.deepEqual(queries.series, [1, 2, 3, 4].map((second) => [at(second), second / 8]));
  assert.deepEqual(queries.label, [1, 2, 3, 4].map((second) => [at(second), second * 4]));
  assert.deepEqual(queries.buckets, [["0.3", 4], ["1.0", 8], ["10.0", 16], ["+Inf", 16]]);
  assert.deepEqual(queries.runs, [["vllm:kv_cache_usage_perc", 2.5 / 8]]);
  assert.deepEqual(queries.endpoints, [
    ["http://a/metrics", "vllm:kv_cache_usage_perc", 2.5 / 8],
  ]);
  assert.deepEqual(polarsQuery, [["vllm:kv_cache_usage_perc", 2.5 / 8, 0.5]]);
  assert.equal(lazyRows, 4);
  assert.deepEqual(pivot, [16, 4, 8, 16], "columns in the order of their text");
}

/** Cells of all kinds: idle, changing, negative zeros; rows with and without each of the labels. */
function variedPages(): TimedPage[] {
  return Array.from({ length: 120 }, (_, second): TimedPage => {
    const series = Array.from({ length: 12 }, (_, id) => {
      const value = id % 3 === 0 ? "-0" : id % 3 === 1 ? Math.sin(second * 12 + id) : id;
      return `g{id="${id}"${id % 4 === 0 ? ',also="ü"' : ""}} ${value}\n`;
    });
    const counts = `h_bucket{le="1"} ${second}\nh_bucket{le="+Inf"} ${second * second}\n`;
    return [second, `# TYPE g gauge\n${series.join("")}# TYPE h histogram\n${counts}`];
  });
}

await pythonTest(
  "pyarrow, pandas, DuckDB, and Polars read the same cells of all kinds",
  () =>
    withFolder(async (folder) => {
      const [path, other] = [`${folder}/a.parquet`, `${folder}/b.parquet`];
      const last = vllmPages(1).slice(2).map(([second, text]): TimedPage => [200 + second, text]);
      const files = await replayedFiles(
        { "http://a/metrics": variedPages(), "http://b/metrics": last },
        { start: 0, end: 300 },
      );
      await Deno.writeFile(path, files.parquetBytes);
      await Deno.writeFile(other, files.parquetBytes);
      const found = await readByPython("parquet", path, other);
      const { columns, rows } = await files.parquet();
      assert.ok(rows.length > 120 * 14);
      const expected = rows.map((row) =>
        columns.map((column) => {
          const cell = row[column] ?? null;
          return typeof cell === "bigint" ? String(cell) : cell;
        })
      );
      for (const reader of ["pyarrow", "duckdb", "polars", "pandas"]) {
        assert.deepEqual(found[reader], { columns, rows: expected }, reader);
      }
    }),
);

await pythonTest(
  "DuckDB and the others read labels that collide but for their case",
  () =>
    withFolder(async (folder) => {
      const pages: TimedPage[] = [0, 1].map((second) => [
        second,
        `a{Model="1",VALUE="x",Timestamp_NS="y"} ${second}\nb{model="2"} ${second}\n`,
      ]);
      const path = `${folder}/a.parquet`;
      const files = await replayedFiles([...pages, ...vllmPages(1).slice(2)], { start: 0, end: 4 });
      await Deno.writeFile(path, files.parquetBytes);
      const { columns } = await files.parquet();
      const found = await readByPython("parquet", path, path);
      for (const reader of ["pyarrow", "duckdb", "polars", "pandas"]) {
        assert.deepEqual(found[reader].columns, columns, reader);
      }
    }),
);
