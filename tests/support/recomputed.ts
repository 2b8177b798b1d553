/** Statistics computed from the lines of a run, by code that shares nothing with the product's. */

import type { RecordLine } from "./artifacts.ts";

/** Percentiles that a metric object carries. */
const PERCENTILES = [1, 5, 10, 25, 50, 75, 90, 95, 99];

/** The statistics of some values, by the names of a metric object. */
export function statisticsOf(values: readonly number[]): Record<string, number> {
  const sorted = [...values].sort((a, b) => a - b);
  const count = sorted.length;
  const sum = sorted.reduce((total, value) => total + value, 0);
  const avg = sum / count;
  const squares = sorted.reduce((total, value) => total + (value - avg) ** 2, 0);
  const percentiles = PERCENTILES.map((percent) => {
    const position = percent / 100 * (count - 1);
    const below = sorted[Math.floor(position)] as number;
    const above = sorted[Math.ceil(position)] as number;
    return [`p${percent}`, below * (1 - position % 1) + above * (position % 1)];
  });
  return {
    count,
    sum,
    avg,
    min: sorted[0] as number,
    max: sorted[count - 1] as number,
    std: Math.sqrt(squares / count),
    ...Object.fromEntries(percentiles),
  };
}

/** The values of each metric over some records; lists are pooled. */
export function valuesByTag(records: readonly RecordLine[]): Map<string, number[]> {
  const values = new Map<string, number[]>();
  for (const { metrics } of records) {
    for (const [tag, { value }] of Object.entries(metrics)) {
      const known = values.get(tag) ?? [];
      known.push(...(Array.isArray(value) ? value : [value]));
      values.set(tag, known);
    }
  }
  return values;
}

/** Whether two numbers are the same but for rounding in their last digits. */
export function isClose(a: number, b: number): boolean {
  return a === b || Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b), 1);
}

/** The value of a metric that is one number. */
export function valueOf(record: RecordLine, tag: string): number {
  const value = record.metrics[tag]?.value;
  return typeof value === "number" ? value : NaN;
}

/** The times of a record's content chunks, milliseconds since 1970. */
export function chunkTimesMs(record: RecordLine): number[] {
  const gaps = record.metrics["inter_chunk_latency"]?.value ?? [];
  let at = Number(record.metadata.request_start_ns) / 1e6 + valueOf(record, "time_to_first_token");
  return [at, ...(gaps as number[]).map((gap) => at += gap)];
}

/** Records of the profiling phase that did not fail. */
export function validRecords(records: readonly RecordLine[]): RecordLine[] {
  return records.filter(({ metadata, error }) =>
    metadata.benchmark_phase === "profiling" && error === undefined
  );
}

/** A file whose times are kept to the nanosecond, as numbers that count from `baseNs`. */
export interface RelativeTimes<T> {
  readonly baseNs: bigint;
  readonly value: T;
}

/**
 * Reads JSON, or JSON lines, with nanoseconds since 1970: too large for a double, so they are read
 * as digits and counted from a base.
 * @param baseNs undefined for the first time in the text
 */
export async function readRelativeTimes<T>(
  path: string,
  baseNs?: bigint,
): Promise<RelativeTimes<T>> {
  const text = await Deno.readTextFile(path);
  const epochNs = /(?<=[:\s])\d{19}(?=[,\s}])/g;
  const base = baseNs ?? BigInt(text.match(epochNs)?.[0] ?? 0);
  const relative = text.replace(epochNs, (digits) => String(BigInt(digits) - base));
  const value = path.endsWith(".jsonl")
    ? relative.trimEnd().split("\n").map((line) => JSON.parse(line))
    : JSON.parse(relative);
  return { baseNs: base, value };
}
