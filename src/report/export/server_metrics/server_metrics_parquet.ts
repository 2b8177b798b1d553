/**
 * `server_metrics_export.parquet`: a row for each sample in the window, histograms with a row for
 * each bucket, labels as columns.
 *
 * It is written row group by row group, so that memory stays the same however long the run was.
 */

import type { SchemaElement } from "npm:hyparquet@1.31.5";
import { ByteWriter, ParquetWriter } from "npm:hyparquet-writer@0.17.0";
import type { EndpointSeries } from "../../../telemetry/timeseries/endpoint_series.ts";
import {
  type MetricRows,
  metricRows,
  type NumberName,
} from "../../../telemetry/timeseries/metric_rows.ts";
import type { SeriesIdentity } from "../../../telemetry/timeseries/series.ts";
import type { TimeWindow } from "../../../telemetry/timeseries/time_window.ts";
import { type ColumnContent, writeParquetChunk } from "./parquet_chunk.ts";
import { NumberColumn, TextColumn } from "./parquet_columns.ts";

/** Most rows of a row group, and of those after the first hundred: the footer describes each. */
const GROUP_ROWS = 20_000;
const LARGE_GROUP_ROWS = 1 << 17;
const SMALL_GROUPS = 100;
/** Characters of help texts and labels that end a row group. */
const GROUP_CHARACTERS = 1 << 20;

/** An endpoint whose samples are written. */
export interface ParquetEndpoint {
  /** URL of the endpoint without secrets. */
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
  const group = new RowGroup(endpoints, options.baseEpochNs);
  const writer = new ByteWriter();
  let parquet: ParquetWriter | undefined;
  const write = (): Uint8Array => {
    parquet ??= new ParquetWriter({
      writer,
      schema: group.schema,
      createdBy: "inferometer",
      kvMetadata: [...footer(endpoints, group.labels, options)].map(([key, value]) => ({
        key,
        value,
      })),
    });
    writeGroup(parquet, writer, group);
    if (parquet.row_groups.length === SMALL_GROUPS) group.maxRows = LARGE_GROUP_ROWS;
    return drained(writer);
  };
  for (const { url, series } of endpoints) {
    for (const rows of metricRows(series, options.window)) {
      for (let row = 0; row < rows.timesNs.length;) {
        row += group.add(url, rows, row);
        if (group.isFull) yield write();
      }
    }
  }
  if (group.length > 0) yield write();
  if (parquet === undefined) return;
  parquet.finish();
  yield drained(writer);
}

/** Writes a row group, which is empty afterwards. */
function writeGroup(parquet: ParquetWriter, writer: ByteWriter, group: RowGroup): void {
  const start = writer.offset;
  const rows = BigInt(group.length);
  const columns = [];
  let size = 0n;
  for (const content of group.take()) {
    const chunk = writeParquetChunk(writer, content);
    size += chunk.meta_data?.total_uncompressed_size ?? 0n;
    columns.push(chunk);
  }
  parquet.num_rows += rows;
  parquet.row_groups.push({
    columns,
    num_rows: rows,
    total_byte_size: size,
    total_compressed_size: BigInt(writer.offset - start),
  });
}

/** Bytes written since the last call; offsets go on counting. */
function drained(writer: ByteWriter): Uint8Array {
  const bytes = writer.getBytes().slice();
  writer.index = 0;
  return bytes;
}

/** Rows on their way into the file, column by column. */
class RowGroup {
  readonly #url = new TextColumn("endpoint_url", "REQUIRED");
  readonly #name = new TextColumn("metric_name", "REQUIRED");
  readonly #type = new TextColumn("metric_type", "REQUIRED");
  readonly #unit = new TextColumn("unit", "OPTIONAL");
  readonly #description = new TextColumn("description", "OPTIONAL");
  readonly #time: NumberColumn;
  /** By the lower-case names: readers compare names without case. */
  readonly #labels = new Map<string, TextColumn>();
  readonly #numbers: Readonly<Record<NumberName, NumberColumn>> = {
    value: doubles("value"),
    sum: doubles("sum"),
    count: doubles("count"),
    bucketCount: doubles("bucket_count"),
  };
  readonly #bound = new TextColumn("bucket_le", "OPTIONAL");
  /** In the order of the file. */
  readonly #columns: readonly (TextColumn | NumberColumn)[];
  /** Rows after which it is full. */
  maxRows = GROUP_ROWS;
  length = 0;
  /** Characters of the help texts and labels, each series counted once. */
  #characters = 0;
  #last: SeriesIdentity | undefined;

  constructor(endpoints: readonly ParquetEndpoint[], baseEpochNs: bigint) {
    this.#time = new NumberColumn(
      { name: "timestamp_ns", type: "INT64", repetition_type: "REQUIRED" },
      (offsets) => BigInt64Array.from(offsets, (offset) => baseEpochNs + BigInt(offset)),
    );
    const { value, sum, count, bucketCount } = this.#numbers;
    const before = [this.#url, this.#name, this.#type, this.#unit, this.#description, this.#time];
    const after = [value, sum, count, this.#bound, bucketCount];
    const taken = new Set([...before, ...after].map(({ element }) => element.name));
    const names = new Set<string>();
    for (const { identity } of kept(endpoints)) {
      for (const [name] of identity.labels) names.add(name);
    }
    for (const name of [...names].sort()) {
      const key = name.toLowerCase();
      if (taken.has(key) || this.#labels.has(key)) continue;
      this.#labels.set(key, new TextColumn(name, "OPTIONAL"));
    }
    this.#columns = [...before, ...this.#labels.values(), ...after];
  }

  get schema(): SchemaElement[] {
    const leaves = this.#columns.map(({ element }) => element);
    return [{ name: "schema", num_children: leaves.length }, ...leaves];
  }

  /** Names of the label columns. */
  get labels(): string[] {
    return [...this.#labels.values()].map(({ element }) => element.name);
  }

  get isFull(): boolean {
    return this.length >= this.maxRows || this.#characters >= GROUP_CHARACTERS;
  }

  /** Adds rows starting at an index, as many as fit; returns how many. */
  add(url: string, rows: MetricRows, from: number): number {
    const { identity, timesNs, numbers, bounds } = rows;
    const start = this.length;
    const end = Math.min(start + timesNs.length - from, this.maxRows);
    const to = from + end - start;
    this.#url.set(start, end, url);
    this.#name.set(start, end, identity.name);
    this.#type.set(start, end, identity.type);
    if (identity.unit !== null) this.#unit.set(start, end, identity.unit);
    this.#description.set(start, end, identity.description);
    for (const [label, value] of identity.labels) {
      this.#labels.get(label.toLowerCase())?.set(start, end, value);
    }
    this.#time.set(start, timesNs.subarray(from, to));
    for (const [name, column] of Object.entries(this.#numbers)) {
      const values = numbers[name as NumberName];
      if (values !== undefined) column.set(start, values.subarray(from, to));
    }
    for (let row = start; bounds.length > 0 && row < end; row++) {
      const bound = bounds[(from + row - start) % bounds.length] as string;
      this.#bound.set(row, row + 1, bound);
    }
    if (identity !== this.#last) {
      this.#last = identity;
      this.#characters += identity.description.length;
      for (const [, value] of identity.labels) this.#characters += value.length;
    }
    this.length = end;
    return end - start;
  }

  /** The columns of the group, which is empty afterwards. */
  *take(): Generator<ColumnContent> {
    for (const column of this.#columns) yield column.take(this.length);
    this.length = 0;
    this.#characters = 0;
  }
}

function doubles(name: string): NumberColumn {
  return new NumberColumn(
    { name, type: "DOUBLE", repetition_type: "OPTIONAL" },
    (values) => values,
  );
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
  labels: readonly string[],
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
  yield ["aiperf.label_columns", JSON.stringify(labels)];
  yield ["aiperf.label_count", String(labels.length)];
  yield ["aiperf.metric_count", String(types.size)];
  yield ["aiperf.metric_type_counts", JSON.stringify(counts)];
}

/** With a fraction, as a floating-point number is written. */
function seconds(ns: number): string {
  return ns % 1e9 === 0 ? (ns / 1e9).toFixed(1) : String(ns / 1e9);
}
