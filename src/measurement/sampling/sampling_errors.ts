import { sortedAt } from "../../core/statistics/large_summary.ts";
import type { Summary } from "../../core/statistics/summarize.ts";
import { exactScale } from "../../core/statistics/exact_scale.ts";
import { UNBOUNDED } from "../../core/statistics/unbounded.ts";
import { distributionOf, type MetricResults, valueOf } from "../metrics/metric_results.ts";
import type { MetricTag } from "../metrics/metric_tag.ts";
import type { RecordTable } from "../metrics/record_table.ts";
import {
  BOUNDED_STATISTICS,
  type BoundedStatistic,
  type Bounds,
  PERCENTILES,
} from "../own_error/bounded_statistics.ts";
import { MAX_PROVEN_SHARE, MIN_BEYOND } from "./proof_limits.ts";
import { rankHalfWidth, ratioInterval, type SamplingInterval } from "./sampling_interval.ts";
import { TimeBlocks } from "./time_blocks.ts";

/** Confidence interval of a statistic, and whether it proves the statistic. */
export interface StatisticSampling extends Bounds {
  readonly verdict: "proven" | "not_proven";
}

/** Sampling errors by metric and statistic. */
export type SamplingErrors = ReadonlyMap<
  MetricTag,
  Readonly<Partial<Record<BoundedStatistic, StatisticSampling>>>
>;

/** Distributions that reports show. */
const SAMPLED: ReadonlySet<MetricTag> = new Set([
  "time_to_first_token",
  "time_to_second_token",
  "time_to_first_output_token",
  "inter_token_latency",
  "request_latency",
  "decode_duration",
  "output_token_throughput_per_user",
  "e2e_output_token_throughput",
  "prefill_throughput_per_user",
  "input_sequence_length",
  "output_sequence_length",
]);

/** Requests whose sampling errors are wanted. */
export interface SampledRequests {
  readonly table: RecordTable;
  readonly results: MetricResults;
  /** Window of the results, in ns of the run's clock. */
  readonly startNs: number;
  readonly endNs: number;
  /** Rows of the results, in ascending order; undefined for all. */
  readonly rows?: readonly number[] | undefined;
  /** Metrics whose sampling errors are wanted besides those that reports show. */
  readonly also?: ReadonlySet<string> | undefined;
}

/** Rates over the blocks of a window: what is counted in each of them. */
export interface BlockRates {
  /** Counts of each block, by the tags of rates. */
  readonly counts: ReadonlyMap<MetricTag, Float64Array>;
  /** Length of each block, in seconds. */
  readonly seconds: number;
}

/**
 * Sampling errors of all distributions of requests, and of rates: 95 % confidence intervals, by order
 * statistics for percentiles and by blocks of time for means and rates. The same requests give the same
 * intervals.
 */
export function samplingErrors(
  sampled: SampledRequests,
  ratesOf: (blocks: TimeBlocks) => BlockRates,
): SamplingErrors {
  const { also, endNs, results, startNs, table } = sampled;
  const latencyMs = distributionOf(results, "request_latency")?.avg ?? NaN;
  const blocks = new TimeBlocks({ startNs, endNs }, latencyMs * 1e6);
  const errors = new Map<MetricTag, Partial<Record<BoundedStatistic, StatisticSampling>>>();
  const places = placesOf(sampled, blocks);
  const values = new Float64Array(places.rows?.length ?? table.length);
  for (const { tag } of table.metrics) {
    if (!SAMPLED.has(tag) && !also?.has(tag)) continue;
    const summary = distributionOf(results, tag);
    const column = table.storedColumn(tag);
    if (summary === undefined || column === undefined) continue;
    if (places.rows === undefined) column.copyInto(values);
    else {
      const all = column.values;
      places.rows.forEach((row, at) => values[at] = all[row] ?? NaN);
    }
    errors.set(tag, distributionErrors(summary, values, places.blockOf, blocks.count));
  }
  const pooled = pooledInterval(sampled, places, blocks.count);
  if (pooled !== undefined) errors.set("interactivity", { avg: pooled });
  const { counts, seconds } = ratesOf(blocks);
  const times = new Float64Array(blocks.count).fill(seconds);
  for (const [tag, parts] of counts) {
    const result = results.get(tag);
    if (result === undefined || !("value" in result)) continue;
    const value = Number(result.value);
    errors.set(tag, { avg: proven(value, ratioInterval(parts, times, true), Infinity) });
  }
  return errors;
}

interface Places {
  readonly rows: readonly number[] | undefined;
  /** Block of each row; -1 for none. */
  readonly blockOf: Int16Array;
}

function placesOf({ rows, table }: SampledRequests, blocks: TimeBlocks): Places {
  const starts = table.startNs.values;
  const blockOf = new Int16Array(rows?.length ?? starts.length);
  for (let at = 0; at < blockOf.length; at++) {
    blockOf[at] = blocks.indexOf(starts[rows === undefined ? at : rows[at] as number] as number);
  }
  return { rows, blockOf };
}

/** Sampling error of the pooled rate of tokens; undefined if the results have none. */
function pooledInterval(
  { results, table }: SampledRequests,
  { blockOf, rows }: Places,
  blocks: number,
): StatisticSampling | undefined {
  const value = valueOf(results, "interactivity");
  const times = table.column("inter_token_latency");
  if (value === undefined || times === undefined) return undefined;
  const divisors = table.divisors.tokens.values;
  const [tokens, seconds] = [new Float64Array(blocks), new Float64Array(blocks)];
  const { longestMs, most } = largestOf(times, divisors);
  const tokenScale = exactScale(most, divisors.length);
  const timeScale = exactScale(longestMs, divisors.length);
  blockOf.forEach((block, at) => {
    const row = rows?.[at] ?? at;
    const count = divisors[row] as number;
    const ms = (times[row] as number) * count;
    if (block < 0 || Number.isNaN(ms)) return;
    addTo(tokens, block, count * tokenScale);
    addTo(seconds, block, ms * timeScale);
  });
  tokens.forEach((sum, block) => tokens[block] = sum / tokenScale);
  seconds.forEach((sum, block) => seconds[block] = sum / timeScale / 1e3);
  return proven(value, ratioInterval(tokens, seconds), Infinity);
}

/**
 * Sampling errors of the statistics of a distribution.
 * @param values NaN for none; they are reordered
 * @param blockOf block of each value; -1 for none
 */
export function distributionErrors(
  summary: Summary,
  values: Float64Array,
  blockOf: Int16Array,
  blocks: number,
): Record<BoundedStatistic, StatisticSampling> {
  const { counts, sums, above, known } = blockTotals(summary, values, blockOf, blocks);
  const halves = PERCENTILES.map(([, p], index) =>
    rankHalfWidth(above[index] as Float64Array, counts, 1 - p / 100)
  );
  const last = known.length - 1;
  const ranks = PERCENTILES.map(([, p], index): [lower: number, upper: number] => {
    const [rank, half] = [last * p / 100, halves[index] as number];
    return [Math.floor(rank - half), Math.ceil(rank + half)];
  });
  const wanted = [...new Set(ranks.flat().filter((rank) => rank >= 0 && rank <= last))];
  const sorted = wanted.length > 0
    ? sortedAt(known, summary.min, summary.max, wanted)
    : { at: () => undefined };
  const intervals: Record<string, SamplingInterval> = { avg: ratioInterval(sums, counts) };
  PERCENTILES.forEach(([name], index) => {
    const [lower, upper] = ranks[index] as [number, number];
    intervals[name] = { lower: sorted.at(lower) ?? -Infinity, upper: sorted.at(upper) ?? Infinity };
  });
  return Object.fromEntries(BOUNDED_STATISTICS.map((name) => {
    const p = PERCENTILES.find(([percentile]) => percentile === name)?.[1];
    const beyond = p === undefined ? Infinity : known.length * (1 - p / 100);
    return [name, proven(summary[name], intervals[name] as SamplingInterval, beyond)];
  })) as Record<BoundedStatistic, StatisticSampling>;
}

/** Sums over the values of each block. */
interface BlockTotals {
  readonly counts: Float64Array;
  readonly sums: Float64Array;
  /** Numbers of values above each of the percentiles. */
  readonly above: readonly Float64Array[];
  /** Values that belong to a block, in any order. */
  readonly known: Float64Array;
}

function blockTotals(
  summary: Summary,
  values: Float64Array,
  blockOf: Int16Array,
  blocks: number,
): BlockTotals {
  const [counts, sums] = [new Float64Array(blocks), new Float64Array(blocks)];
  const limits = Float64Array.from(PERCENTILES, ([name]) => summary[name]);
  // Values above none, one, two, ... of the percentiles, block by block.
  const width = limits.length + 1;
  const classes = new Float64Array(blocks * width);
  const scale = exactScale(Math.max(Math.abs(summary.min), Math.abs(summary.max)), values.length);
  const p50 = limits[0] as number;
  let length = 0;
  for (let at = 0; at < values.length; at++) {
    const value = values[at] as number;
    const block = blockOf[at] as number;
    if (block < 0 || Number.isNaN(value)) continue;
    let higher = 0;
    // Half of the values are above none of the percentiles.
    if (value > p50) {
      higher = 1;
      while (higher < limits.length && value > (limits[higher] as number)) higher++;
    }
    (classes[block * width + higher] as number)++;
    sums[block] = (sums[block] as number) + Math.round(value * scale);
    values[length++] = value;
  }
  sums.forEach((sum, block) => sums[block] = sum / scale);
  const above = Array.from(limits, () => new Float64Array(blocks));
  for (let block = 0; block < blocks; block++) {
    let count = 0;
    for (let higher = limits.length; higher > 0; higher--) {
      count += classes[block * width + higher] as number;
      (above[higher - 1] as Float64Array)[block] = count;
    }
    counts[block] = count + (classes[block * width] as number);
  }
  return { counts, sums, above, known: values.subarray(0, length) };
}

/** Adds an integer, so that the sum does not depend on the order of what is added. */
function addTo(sums: Float64Array, block: number, scaled: number): void {
  sums[block] = (sums[block] as number) + Math.round(scaled);
}

/** Longest time between first and last tokens of a reply, and most tokens of one. */
function largestOf(
  times: Float64Array,
  divisors: Float64Array,
): { readonly longestMs: number; readonly most: number } {
  let [longestMs, most] = [0, 0];
  for (let row = 0; row < times.length; row++) {
    const count = divisors[row] as number;
    const ms = (times[row] as number) * count;
    if (count > most) most = count;
    if (ms > longestMs) longestMs = ms;
  }
  return { longestMs, most };
}

/**
 * Interval of a statistic as files have it, which know no infinity, and whether it proves the statistic.
 * @param beyond samples beyond a percentile; Infinity for other statistics
 */
export function proven(
  value: number,
  interval: SamplingInterval,
  beyond: number,
): StatisticSampling {
  const lower = Math.min(value, Math.max(interval.lower, Math.min(0, value)));
  const upper = Math.max(value, Math.min(UNBOUNDED, interval.upper));
  const isWide = !(Math.max(value - lower, upper - value) <= MAX_PROVEN_SHARE * Math.abs(value));
  return { lower, upper, verdict: isWide || beyond < MIN_BEYOND ? "not_proven" : "proven" };
}
