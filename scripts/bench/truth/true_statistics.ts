import { summarize } from "../../../src/core/statistics/summarize.ts";
import type { ClientRecord } from "./client_records.ts";
import type { ServedTimes } from "./served_requests.ts";

/** The statistics of a metric that are compared. */
export const STATISTICS = ["avg", "p50", "p90", "p95", "p99"] as const;

/** See {@linkcode STATISTICS}. */
export type Statistic = typeof STATISTICS[number];

/** What the client would have reported had it seen every event when the server wrote it. */
export interface TrueStatistics {
  /** By the metric's tag, in its unit; of a metric of the whole run the value is `avg`. */
  readonly metrics: ReadonlyMap<string, Partial<Readonly<Record<Statistic, number>>>>;
  /** Valid requests that the target served as the client says. */
  readonly requests: number;
  /** Valid requests of which it says something else, or nothing; what is wrong with the first. */
  readonly unmatched: number;
  readonly problem: string | undefined;
  /**
   * Most milliseconds by which a client saw a first token before it was written. What is more than
   * some microseconds means that clocks disagree.
   */
  readonly earliestMs: number;
}

/** Truth of one request, in milliseconds from its start as the client recorded it. */
interface TrueTimes {
  readonly record: ClientRecord;
  readonly firstMs: number;
  /** NaN with one chunk. */
  readonly secondMs: number;
  readonly lastMs: number;
  /** Of each chunk. */
  readonly chunkMs: Float64Array;
}

const MS_PER_SECOND = 1000;
const NS_PER_MS = 1e6;

/** What each metric is for a request; NaN where it is not defined. */
const RECORD_METRICS: Readonly<Record<string, (times: TrueTimes) => number>> = {
  "time_to_first_token": ({ firstMs }) => firstMs,
  "time_to_second_token": ({ firstMs, secondMs }) => secondMs - firstMs,
  "request_latency": ({ lastMs }) => lastMs,
  "decode_duration": ({ firstMs, lastMs }) => lastMs - firstMs,
  "inter_token_latency": itlMs,
  "output_token_throughput_per_user": (times) => finite(MS_PER_SECOND / itlMs(times)),
  "e2e_output_token_throughput": ({ record, lastMs }) =>
    finite(record.outputTokens / (lastMs / MS_PER_SECOND)),
  "prefill_throughput_per_user": ({ record, firstMs }) =>
    finite(record.inputTokens / (firstMs / MS_PER_SECOND)),
};

/**
 * Computes the statistics from the target's times, by the product's definitions and over the
 * requests that it counts: truth is the server's write minus the start of the client's record.
 * @param eventsPerWrite events with content that the target puts into a write
 */
export function trueStatistics(
  records: readonly ClientRecord[],
  served: ReadonlyMap<string, ServedTimes>,
  eventsPerWrite: number,
): TrueStatistics {
  const times: TrueTimes[] = [];
  const problems: string[] = [];
  let earliestMs = 0;
  for (const record of records) {
    if (!record.isValid) continue;
    const found = timesOf(record, served.get(record.requestId), eventsPerWrite);
    if (typeof found === "string") {
      problems.push(`${record.requestId} ${found}`);
      continue;
    }
    times.push(found);
    earliestMs = Math.max(earliestMs, found.firstMs - record.ttftMs || 0);
  }
  const metrics = new Map<string, Partial<Record<Statistic, number>>>();
  const add = (tag: string, values: Iterable<number>): void => {
    const known = Float64Array.from(values).filter((value) => !Number.isNaN(value));
    if (known.length === 0) return;
    const { avg, p50, p90, p95, p99 } = summarize(known);
    metrics.set(tag, { avg, p50, p90, p95, p99 });
  };
  for (const [tag, value] of Object.entries(RECORD_METRICS)) add(tag, times.map(value));
  add("inter_chunk_latency", times.flatMap(({ chunkMs }) => gapsOf(chunkMs)));
  for (const [tag, avg] of runMetrics(records, times)) metrics.set(tag, { avg });
  return {
    metrics,
    requests: times.length,
    unmatched: problems.length,
    problem: problems[0],
    earliestMs,
  };
}

/** The times of a request; what is wrong if they cannot be told. */
function timesOf(
  record: ClientRecord,
  served: ServedTimes | undefined,
  eventsPerWrite: number,
): TrueTimes | string {
  if (served === undefined) return "is not known to the target";
  const { arrivalNs, writesNs } = served;
  const { chunks } = record;
  // Some targets tell the time of each event, however many they write at once.
  const chunksPerTime = writesNs.length === chunks ? 1 : eventsPerWrite;
  if (writesNs.length !== Math.ceil(chunks / chunksPerTime)) {
    return `has ${chunks} chunks, but the target wrote ${writesNs.length} times`;
  }
  const arrivalMs = Number(arrivalNs - record.startNs) / NS_PER_MS;
  const chunkMs = Float64Array.from(
    { length: chunks },
    (_, chunk) => arrivalMs + (writesNs[Math.floor(chunk / chunksPerTime)] as number) / NS_PER_MS,
  );
  return {
    record,
    firstMs: chunkMs[0] as number,
    secondMs: chunkMs[1] ?? NaN,
    lastMs: chunkMs[chunks - 1] as number,
    chunkMs,
  };
}

/** Counts and rates of the run, from the first start of any request to the last valid content. */
function runMetrics(
  records: readonly ClientRecord[],
  times: readonly TrueTimes[],
): [tag: string, value: number][] {
  const firstNs = records.reduce<bigint | undefined>(
    (first, { startNs }) => first === undefined || startNs < first ? startNs : first,
    undefined,
  );
  if (firstNs === undefined || times.length === 0) return [];
  const endsMs = times.map(({ record, lastMs }) =>
    Number(record.startNs - firstNs) / NS_PER_MS + lastMs
  );
  const seconds = endsMs.reduce((last, end) => Math.max(last, end), 0) / MS_PER_SECOND;
  const tokens = (count: (record: ClientRecord) => number): number =>
    times.reduce((sum, { record }) => sum + (count(record) || 0), 0);
  const output = tokens(({ outputTokens }) => outputTokens);
  const input = tokens(({ inputTokens }) => inputTokens);
  return [
    ["benchmark_duration", seconds],
    ["request_throughput", times.length / seconds],
    ["output_token_throughput", output / seconds],
    ["input_token_throughput", input / seconds],
    ["total_token_throughput", (input + output) / seconds],
    ...pooledRate(times),
  ];
}

/** Tokens per second and user: those after the first chunks by the time in which they came. */
function pooledRate(times: readonly TrueTimes[]): [tag: string, value: number][] {
  const timed = times.filter((one) => !Number.isNaN(itlMs(one)));
  const ms = timed.reduce((sum, { firstMs, lastMs }) => sum + lastMs - firstMs, 0);
  const tokens = timed.reduce((sum, { record }) => sum + record.tokensAfterFirst, 0);
  return ms > 0 ? [["interactivity", tokens / (ms / MS_PER_SECOND)]] : [];
}

/** The mean time between tokens after the first chunk. */
function itlMs({ record, firstMs, lastMs, chunkMs }: TrueTimes): number {
  return record.tokensAfterFirst >= 1 && chunkMs.length >= 2
    ? (lastMs - firstMs) / record.tokensAfterFirst
    : NaN;
}

function gapsOf(chunkMs: Float64Array): number[] {
  return Array.from(chunkMs.subarray(1), (ms, index) => ms - (chunkMs[index] as number));
}

/** NaN for what divides by nothing: such a value is in no statistic. */
function finite(value: number): number {
  return Number.isFinite(value) ? value : NaN;
}
