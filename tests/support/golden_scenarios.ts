/**
 * What AIPerf 0.13.0 made of recorded pages, and where this program means to differ from it. The
 * numbers of the defects are those of the table in `tests/results/collect/repaired_defects_test.ts`.
 *
 * The window is another one by decision. AIPerf ends everything at the last update after the phase,
 * so that whatever changes on a page pulls idle time into its figures:
 *
 * | figure                              | AIPerf                              | here                   |
 * | ----------------------------------- | ----------------------------------- | ---------------------- |
 * | totals, counts, sums, buckets       | all that was told since the start   | the same               |
 * | percentiles of histograms           | of all these observations           | the same               |
 * | gauges, their rows in Parquet       | to the endpoint's last update       | to the end of phase    |
 * | slices                              | to the endpoint's last update       | to the end of phase    |
 * | `rate`, `count_rate`, `sum_rate`    | by time from a series' reference to | by the phase's length  |
 * |                                     | its last sample                     |                        |
 * | window in the footer of Parquet     | to the last update of any endpoint  | the phase              |
 *
 * So the recordings are replayed with a phase that ends where AIPerf's window does, and compared
 * number by number; its rates are what its own totals make over that phase. That nothing after the
 * phase reaches gauges, slices and rates is tested on the same recordings beside it.
 */

import { parse } from "csv-parse/sync";
import { type JsonDifference, jsonDifferences, parseExactJson } from "./json_difference.ts";
import { readParquet } from "./parquet_rows.ts";

const FOLDER = new URL("../../fixtures/server_metrics/", import.meta.url);

/** A file that both programs write. */
export type GoldenFormat = "json" | "jsonl" | "csv" | "parquet";

/** Differences that are meant. */
interface Exception {
  readonly formats: readonly GoldenFormat[];
  /** Where. */
  readonly path: RegExp;
  /** The defect of AIPerf that is repaired, or the decision that is followed. */
  readonly defect: string;
}

/** Differences in every scenario. */
const EVERYWHERE: readonly Exception[] = [
  {
    formats: ["json"],
    path: /^\/summary\/phase_time_ranges$|^\/(metrics_phase|schema_version|warmup_metrics)$/,
    defect: "D2",
  },
  {
    formats: ["json"],
    path: /^\/(aiperf_version|input_config.*|was_cancelled|histogram_estimator|notes|roles)$/,
    defect: "written by another program, which adds keys of its own",
  },
  {
    formats: ["json"],
    path:
      /^\/summary\/endpoint_info\/.*\/(failed_fetches|skipped_fetches|parse_errors|dropped_series|max_fetch_latency_ms|rate_error_percent)$|^\/metrics\/[^/]+\/series\/\d+\/stats\/p\d+_bounds$/,
    defect: "keys of its own",
  },
  {
    formats: ["json"],
    path: /^\/summary\/end_time$/,
    defect: "the phase is replayed to the end of AIPerf's window",
  },
  {
    formats: ["parquet"],
    path: /^\/metadata\/aiperf\.(version|export_timestamp_utc|hostname|python_version)$/,
    defect: "written by another program",
  },
  {
    formats: ["parquet"],
    path: /^\/metadata\/aiperf\.(pyarrow_version|input_config|model_names|concurrency)$/,
    defect: "written by another program, from pages alone",
  },
  {
    formats: ["parquet"],
    path: /^\/metadata\/inferometer\.was_cancelled$/,
    defect: "a key of its own",
  },
];

const COUNTED_SERIES: Exception = {
  formats: ["parquet"],
  path: /^\/metadata\/aiperf\.metric_(count|type_counts)$/,
  defect: "D16",
};
const BORN_LATER: readonly Exception[] = [
  {
    formats: ["json", "csv"],
    path: /^\/metrics\/(late|once)\/series\/\d\/(stats|timeslices\/\d)\/(total|rate\w*)$/,
    defect: "BUG 8",
  },
  {
    formats: ["csv"],
    path: /^\/counter\/rows\/(late|once)\/\w+\/(total|rate\w*)$/,
    defect: "BUG 8",
  },
  { formats: ["parquet"], path: /^\/(late|once)\/\d+\/value$/, defect: "BUG 8" },
];
const BORN_LATER_SLICES: readonly Exception[] = [
  { formats: ["json"], path: /^\/metrics\/once\/series\/0\/timeslices\/\d$/, defect: "BUG 8" },
  { formats: ["json"], path: /^\/statistics\/once\/0\/\d$/, defect: "BUG 8" },
];
const RESET_IS_TOLD: Exception = {
  formats: ["json"],
  path: /^\/metrics\/reset_\w+\/series\/0\/counter_reset$/,
  defect: "D20: a key of its own says so",
};

/** The scenarios by their folders, and where they differ. */
export const GOLDEN_SCENARIOS: Readonly<Record<string, readonly Exception[]>> = {
  "counters": [COUNTED_SERIES, ...BORN_LATER, RESET_IS_TOLD],
  "counters_timeslices": [COUNTED_SERIES, ...BORN_LATER, ...BORN_LATER_SLICES, RESET_IS_TOLD],
  "gauges_timeslices": [COUNTED_SERIES],
  "gauges_varied": [],
  "histogram_empty": [
    {
      formats: ["json"],
      path: /^\/(metrics\/gone_seconds|statistics\/gone_seconds|order\/metrics\/\d)$/,
      defect: "BUG 9",
    },
    { formats: ["csv"], path: /^\/histogram\/(rows\/gone_seconds|order\/.*)$/, defect: "BUG 9" },
  ],
  "histogram_inf_heavy": [],
  "histograms_basic": [COUNTED_SERIES],
  "histograms_timeslices": [COUNTED_SERIES],
  "info_metrics": [
    { formats: ["jsonl"], path: /^\/\d+\/metrics\/\w+(:\w+)?_info$/, defect: "D9" },
  ],
  "multi_endpoint": [
    COUNTED_SERIES,
    {
      formats: ["json"],
      path: /^\/metrics\/shared_type\/series\/[12]\/(stats\/\w+|timeslices\/\d\/\w+|type)$/,
      defect: "BUG 20",
    },
    { formats: ["json"], path: /^\/statistics\/shared_type\/[12]\/\d$/, defect: "BUG 20" },
    {
      formats: ["json"],
      path: /^\/metrics\/\w+\/series\/\d\/timeslices\/3(\/(end_ns|rate))?$/,
      defect:
        "one window for all endpoints; AIPerf ends each one's last slice with its last update",
    },
  ],
  "ns_precision": [
    {
      formats: ["json"],
      path: /^\/summary\/(start|end)_time$/,
      defect: "microseconds are cut, AIPerf rounds them up",
    },
    {
      formats: ["json"],
      path: /^\/metrics\/lat_seconds\/series\/0\/stats\/p\d+_estimate$/,
      defect: "BUG 6, 7, 10",
    },
    {
      formats: ["csv"],
      path: /^\/histogram\/rows\/lat_seconds\/0\/p\d+_estimate$/,
      defect: "BUG 6, 7, 10",
    },
    {
      formats: ["json"],
      path: /^\/metrics\/c\/series\/0\/stats\/rate_std$/,
      defect: "equal rates have no deviation, AIPerf's is 5e-16",
    },
  ],
  "summary_and_dropped": [],
  "untyped_unknown": [
    COUNTED_SERIES,
    { formats: ["json"], path: /^\/metrics\/bare_metric\/series\/\d(\/.*)?$/, defect: "BUG 4" },
    { formats: ["json"], path: /^\/statistics\/bare_metric\/[12]$/, defect: "BUG 4" },
    { formats: ["jsonl"], path: /^\/\d+\/metrics\/bare_metric\/\d(\/.*)?$/, defect: "BUG 4" },
    { formats: ["csv"], path: /^\/unknown\/(rows\/bare_metric|order)\/.*$/, defect: "BUG 4" },
    { formats: ["parquet"], path: /^\/bare_metric\/.*$/, defect: "BUG 4" },
  ],
  "warmup": [
    {
      formats: ["json"],
      path: /^\/metrics\/late\/series\/0\/(stats|timeslices\/\d)\/(total|rate\w*)$/,
      defect: "BUG 8",
    },
    { formats: ["csv"], path: /^\/counter\/rows\/late\/0\/(total|rate\w*)$/, defect: "BUG 8" },
    { formats: ["parquet"], path: /^\/late\/\d+\/value$/, defect: "BUG 8" },
  ],
};

/** Path of the recorded pages of a scenario. */
export function goldenInput(scenario: string): string {
  return new URL(`${scenario}/input.json`, FOLDER).pathname;
}

/** Where AIPerf's window of a scenario ends, nanoseconds since 1970. */
export async function peerWindow(
  scenario: string,
): Promise<{ readonly endNs: bigint; readonly seconds: number }> {
  const text = await Deno.readTextFile(new URL(`${scenario}/peer_parquet.json`, FOLDER));
  const { metadata } = goldenParquet(text);
  return {
    endNs: BigInt(metadata["aiperf.time_filter_end_ns"] as string),
    seconds: Number(metadata["aiperf.profiling_duration_ns"]) / 1e9,
  };
}

/** How a folder of files differs from what AIPerf wrote. */
export interface GoldenComparison {
  /** Differences that nothing explains. */
  readonly unexplained: readonly string[];
  /** Exceptions that did not come up: they are out of date. */
  readonly unused: readonly string[];
}

/** Compares every file of a folder with AIPerf's of a scenario. */
export async function compareWithGolden(
  scenario: string,
  folder: string,
): Promise<GoldenComparison> {
  const exceptions = [...EVERYWHERE, ...GOLDEN_SCENARIOS[scenario] ?? []];
  const used = new Set<Exception>();
  const unexplained: string[] = [];
  for (const format of ["json", "jsonl", "csv", "parquet"] as const) {
    for (const { path, expected, actual } of await differences(scenario, folder, format)) {
      const exception = exceptions.find((one) =>
        one.formats.includes(format) && one.path.test(path)
      );
      if (exception === undefined) {
        unexplained.push(`${format}${path}: AIPerf ${text(expected)}, here ${text(actual)}`);
      } else used.add(exception);
    }
  }
  const unused = exceptions.filter((exception) => !used.has(exception))
    .map(({ path, defect }) => `${path} (${defect})`);
  return { unexplained, unused };
}

function text(value: unknown): string {
  const write = (_key: string, part: unknown) => typeof part === "bigint" ? String(part) : part;
  return typeof value === "object" ? JSON.stringify(value, write) : String(value);
}

async function differences(
  scenario: string,
  folder: string,
  format: GoldenFormat,
): Promise<JsonDifference[]> {
  const golden = (name: string) => Deno.readTextFile(new URL(`${scenario}/${name}`, FOLDER));
  const path = `${folder}/server_metrics_export.${format}`;
  const { seconds } = await peerWindow(scenario);
  switch (format) {
    case "json":
      return [
        ...jsonDifferences(
          withPhaseRates(jsonContent(await golden("peer.json")), seconds),
          jsonContent(await Deno.readTextFile(path)),
        ),
      ];
    case "jsonl":
      return [
        ...jsonDifferences(
          lines(await golden("peer.jsonl")),
          lines(await Deno.readTextFile(path)),
        ),
      ];
    case "csv":
      return [
        ...csvDifferences(
          withCsvPhaseRates(
            csvContent((await golden("peer.csv")).replace(/^(#.*\r?\n)+/, "")),
            seconds,
          ),
          csvContent(await Deno.readTextFile(path)),
        ),
      ];
    case "parquet":
      return [
        ...jsonDifferences(
          goldenParquet(await golden("peer_parquet.json")),
          await ownParquet(path),
        ),
      ];
  }
}

// deno-lint-ignore no-explicit-any -- what a reader of the file sees
type Json = any;

/** The document, with times in the same notation, and the order of its metrics and statistics. */
function jsonContent(text: string): Json {
  const json = parseExactJson(text) as Json;
  for (const key of ["start_time", "end_time"]) {
    const time: string = json.summary[key].replace(/Z$/, "");
    json.summary[key] = time.includes(".") ? time : `${time}.000000`;
  }
  const orderOf = (metric: Json) =>
    metric.series.map(({ stats }: Json) =>
      Object.keys(stats).filter((name) => !name.endsWith("_bounds"))
    );
  const metrics = Object.entries(json.metrics);
  return {
    ...json,
    order: { metrics: Object.keys(json.metrics) },
    statistics: Object.fromEntries(metrics.map(([name, metric]) => [name, orderOf(metric)])),
  };
}

/** Rates and the totals that they are made of. */
const PHASE_RATES = { "rate": "total", "count_rate": "count", "sum_rate": "sum" };

/** AIPerf's document with rates that its totals make over the phase. */
function withPhaseRates(json: Json, seconds: number): Json {
  for (const { series } of Object.values<Json>(json.metrics)) {
    for (const { stats } of series) {
      for (const [rate, total] of Object.entries(PHASE_RATES)) {
        if (rate in stats) stats[rate] = stats[total] / seconds;
      }
    }
  }
  return json;
}

/** The same for the rows of its CSV. */
function withCsvPhaseRates(
  sections: Record<string, CsvSection>,
  seconds: number,
): Record<string, CsvSection> {
  for (const { rows } of Object.values(sections)) {
    for (const row of Object.values(rows).flat() as Record<string, string>[]) {
      for (const [rate, total] of Object.entries(PHASE_RATES)) {
        if (row[rate]) row[rate] = String(Number(row[total]) / seconds);
      }
    }
  }
  return sections;
}

function lines(text: string): unknown[] {
  return text.trimEnd().split("\n").map(parseExactJson);
}

/** A section of a CSV file. */
interface CsvSection {
  readonly columns: readonly string[];
  /** Metrics of the rows, in their order. */
  readonly order: readonly (string | undefined)[];
  /** Rows by their metric. */
  readonly rows: Readonly<Record<string, readonly Readonly<Record<string, string>>[]>>;
}

/** Sections by the type of their rows. */
function csvContent(text: string): Record<string, CsvSection> {
  const sections: Record<string, CsvSection> = {};
  for (const section of text.trim().split(/\r?\n\r?\n/)) {
    const [columns = []]: string[][] = parse(section, { to: 1 });
    const rows: Record<string, string>[] = parse(section, { columns: true });
    const byMetric = Object.groupBy(rows, (row) => row["Metric"] as string);
    sections[rows[0]?.["Type"] ?? "info"] = {
      columns,
      order: rows.map((row) => row["Metric"]),
      rows: byMetric as CsvSection["rows"],
    };
  }
  return sections;
}

/** AIPerf writes four decimals, whatever the size of a number. */
const CSV_TOLERANCE = 5.1e-5;
const CSV_RELATIVE_TOLERANCE = 1e-9;

function* csvDifferences(
  expected: Record<string, CsvSection>,
  actual: Record<string, CsvSection>,
): Generator<JsonDifference> {
  for (const difference of jsonDifferences(expected, actual)) {
    if (!isRounded(difference.expected, difference.actual)) yield difference;
  }
}

function isRounded(expected: unknown, actual: unknown): boolean {
  if (typeof expected !== "string" || typeof actual !== "string") return false;
  if (expected === "" || actual === "") return false;
  const size = Math.abs(Number(expected));
  const tolerance = Math.max(CSV_TOLERANCE, CSV_RELATIVE_TOLERANCE * size);
  return Math.abs(Number(expected) - Number(actual)) <= tolerance;
}

interface ParquetContent {
  readonly metadata: Readonly<Record<string, string>>;
  readonly columns: readonly string[];
  /** Rows by their metric, in their order. */
  readonly [metric: string]: unknown;
}

function parquetContent(
  columns: readonly string[],
  rows: readonly Readonly<Record<string, unknown>>[],
  metadata: Readonly<Record<string, unknown>>,
): ParquetContent {
  const metrics: Record<string, unknown[]> = Object.create(null);
  for (const row of rows) {
    const cells = Object.fromEntries(columns.map((column) => [column, row[column] ?? null]));
    (metrics[row["metric_name"] as string] ??= []).push(cells);
  }
  return { ...metrics, columns, metadata } as ParquetContent;
}

function goldenParquet(text: string): ParquetContent {
  const { columns, rows, key_value_metadata: metadata } = parseExactJson(text) as Json;
  const objects = rows.map((row: unknown[]) =>
    Object.fromEntries(row.map((cell, index) => [columns[index], cell]))
  );
  return parquetContent(columns, objects, metadata);
}

async function ownParquet(path: string): Promise<ParquetContent> {
  const { columns, rows, metadata } = await readParquet(path);
  return parquetContent(columns, rows, Object.fromEntries(metadata));
}
