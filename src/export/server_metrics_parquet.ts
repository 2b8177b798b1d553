/**
 * `server_metrics_export.parquet`: a row for each sample in the window, histograms with a row for
 * each bucket, labels as columns.
 *
 * It is written row group by row group, so that memory stays the same however long the run was.
 */

import type { SchemaElement } from "npm:hyparquet@1.31.5";
import { ByteWriter, ParquetWriter } from "npm:hyparquet-writer@0.17.0";
import type { EndpointSeries } from "../timeseries/endpoint_series.ts";
import { type MetricRow, metricRows } from "../timeseries/metric_rows.ts";
import type { SeriesIdentity } from "../timeseries/series.ts";
import type { TimeWindow } from "../timeseries/time_window.ts";

/** Most rows of a row group. */
const GROUP_ROWS = 20_000;
/** Characters of help texts and labels that end a row group. */
const GROUP_CHARACTERS = 1 << 20;

/** Columns before the labels; the ones that are never null first. */
const REQUIRED = ["endpoint_url", "metric_name", "metric_type"] as const;
const DESCRIBING = ["unit", "description"] as const;
const TIME = "timestamp_ns";
const VALUES = ["value", "sum", "count", "bucket_le", "bucket_count"] as const;
const RESERVED = new Set<string>([...REQUIRED, ...DESCRIBING, TIME, ...VALUES]);

/** An endpoint whose samples are written. */
export interface ParquetEndpoint {
  /** Its URL without secrets. */
  readonly url: string;
  readonly series: EndpointSeries;
}

/** Contents of the file besides the samples. */
export interface ParquetOptions {
  readonly window: TimeWindow;
  readonly baseEpochNs: bigint;
  /** Key-value pairs of the file's footer, to which those about its content are added. */
  readonly metadata: ReadonlyMap<string, string>;
}

/** See the module's comment. Gives nothing if there is no sample in the window. */
export function* serverMetricsParquet(
  endpoints: readonly ParquetEndpoint[],
  options: ParquetOptions,
): Generator<Uint8Array> {
  const columns = new Columns(endpoints);
  const writer = new ByteWriter();
  let parquet: ParquetWriter | undefined;
  const group = new RowGroup(columns, options.baseEpochNs);
  const open = (): ParquetWriter =>
    parquet ??= new ParquetWriter({
      writer,
      schema: columns.schema,
      createdBy: "inferometer",
      kvMetadata: [...footer(endpoints, columns, options)].map(([key, value]) => ({ key, value })),
    });
  for (const { url, series } of endpoints) {
    for (const row of metricRows(series, options.window)) {
      group.add(url, row);
      if (group.length < GROUP_ROWS && group.characters < GROUP_CHARACTERS) continue;
      open().write({ columnData: group.take(), rowGroupSize: GROUP_ROWS });
      yield drained(writer);
    }
  }
  if (group.length > 0) open().write({ columnData: group.take(), rowGroupSize: GROUP_ROWS });
  if (parquet === undefined) return;
  parquet.finish();
  yield drained(writer);
}

/** Bytes written since the last call; offsets go on counting. */
function drained(writer: ByteWriter): Uint8Array {
  const bytes = writer.getBytes().slice();
  writer.index = 0;
  return bytes;
}

/** The columns of the file. */
class Columns {
  /** Names of label columns. */
  readonly labels: readonly string[];
  /** Label column by the lower-case name of a label: readers compare names without case. */
  readonly labelIndex = new Map<string, number>();

  constructor(endpoints: readonly ParquetEndpoint[]) {
    const names = new Set<string>();
    for (const { identity } of kept(endpoints)) {
      for (const [name] of identity.labels) names.add(name);
    }
    const labels: string[] = [];
    for (const name of [...names].sort()) {
      const key = name.toLowerCase();
      if (RESERVED.has(key) || this.labelIndex.has(key)) continue;
      this.labelIndex.set(key, labels.length);
      labels.push(name);
    }
    this.labels = labels;
  }

  get schema(): SchemaElement[] {
    const text = (name: string, repetition: "REQUIRED" | "OPTIONAL"): SchemaElement => ({
      name,
      type: "BYTE_ARRAY",
      converted_type: "UTF8",
      logical_type: { type: "STRING" },
      repetition_type: repetition,
    });
    const number = (name: string): SchemaElement => ({
      name,
      type: "DOUBLE",
      repetition_type: "OPTIONAL",
    });
    const leaves = [
      ...REQUIRED.map((name) => text(name, "REQUIRED")),
      ...DESCRIBING.map((name) => text(name, "OPTIONAL")),
      { name: TIME, type: "INT64", repetition_type: "REQUIRED" } satisfies SchemaElement,
      ...this.labels.map((name) => text(name, "OPTIONAL")),
      ...VALUES.map((name) => name === "bucket_le" ? text(name, "OPTIONAL") : number(name)),
    ];
    return [{ name: "schema", num_children: leaves.length }, ...leaves];
  }
}

/** Rows on their way into the file, column by column. */
class RowGroup {
  readonly #columns: Columns;
  readonly #baseEpochNs: bigint;
  #data!: Map<string, unknown[]>;
  #labels!: (string | null)[][];
  length = 0;
  /** Characters of the help texts and labels, each series counted once. */
  characters = 0;
  #last: SeriesIdentity | undefined;

  constructor(columns: Columns, baseEpochNs: bigint) {
    this.#columns = columns;
    this.#baseEpochNs = baseEpochNs;
    this.#clear();
  }

  add(url: string, row: MetricRow): void {
    const { name, type, unit, description, labels } = row.identity;
    if (row.identity !== this.#last) {
      this.#last = row.identity;
      this.characters += description.length;
      for (const [, value] of labels) this.characters += value.length;
    }
    this.#push("endpoint_url", url);
    this.#push("metric_name", name);
    this.#push("metric_type", type);
    this.#push("unit", unit);
    this.#push("description", description);
    this.#push(TIME, this.#baseEpochNs + BigInt(row.timeNs));
    this.#push("value", row.value);
    this.#push("sum", row.sum);
    this.#push("count", row.count);
    this.#push("bucket_le", row.bound);
    this.#push("bucket_count", row.bucketCount);
    for (const column of this.#labels) column.push(null);
    for (const [label, value] of labels) {
      const index = this.#columns.labelIndex.get(label.toLowerCase());
      const column = index === undefined ? undefined : this.#labels[index];
      if (column !== undefined) column[this.length] ??= value;
    }
    this.length++;
  }

  /** The rows as the writer wants them; there are none afterwards. */
  take(): { name: string; data: unknown[] }[] {
    const fixed = (name: string) => ({ name, data: this.#data.get(name) ?? [] });
    const data = [
      ...[...REQUIRED, ...DESCRIBING, TIME].map(fixed),
      ...this.#columns.labels.map((name, index) => ({ name, data: this.#labels[index] ?? [] })),
      ...VALUES.map(fixed),
    ];
    this.#clear();
    return data;
  }

  #push(name: string, value: unknown): void {
    this.#data.get(name)?.push(value);
  }

  #clear(): void {
    this.#data = new Map([...RESERVED].map((name) => [name, []]));
    this.#labels = this.#columns.labels.map(() => []);
    this.length = 0;
    this.characters = 0;
  }
}

function* kept(
  endpoints: readonly ParquetEndpoint[],
): Generator<{ readonly identity: SeriesIdentity }> {
  for (const { series } of endpoints) {
    for (const one of series.series) if (one.identity.type !== "summary") yield one;
  }
}

/** Keys that AIPerf's readers know. */
function* footer(
  endpoints: readonly ParquetEndpoint[],
  columns: Columns,
  { metadata, window, baseEpochNs }: ParquetOptions,
): Generator<[string, string]> {
  const types = new Map<string, string>();
  for (const { identity } of kept(endpoints)) types.set(identity.name, identity.type);
  const counts: Record<string, number> = { "gauge": 0, "counter": 0, "histogram": 0, "unknown": 0 };
  for (const type of types.values()) counts[type] = (counts[type] ?? 0) + 1;
  const durationNs = window.endNs - window.startNs;
  const urls = endpoints.map(({ url }) => url);
  yield* metadata;
  yield ["aiperf.time_filter_start_ns", String(baseEpochNs + BigInt(window.startNs))];
  yield ["aiperf.time_filter_end_ns", String(baseEpochNs + BigInt(window.endNs))];
  yield ["aiperf.profiling_duration_ns", String(durationNs)];
  yield ["aiperf.profiling_duration_seconds", seconds(durationNs)];
  yield ["aiperf.endpoint_urls", JSON.stringify(urls)];
  yield ["aiperf.endpoint_count", String(urls.length)];
  yield ["aiperf.label_columns", JSON.stringify(columns.labels)];
  yield ["aiperf.label_count", String(columns.labels.length)];
  yield ["aiperf.metric_count", String(types.size)];
  yield ["aiperf.metric_type_counts", JSON.stringify(counts)];
}

/** With a fraction, as a floating-point number is written. */
function seconds(ns: number): string {
  return ns % 1e9 === 0 ? (ns / 1e9).toFixed(1) : String(ns / 1e9);
}
