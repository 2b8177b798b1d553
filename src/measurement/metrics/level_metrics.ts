/**
 * Metrics that have a level at every moment of a run, such as the number of requests in flight.
 * They are AIPerf's `effective_*`, weighted by time over the whole benchmark, and `active_*`, over
 * the time with such work.
 *
 * Prefill of a request lasts from its start to its first token, decode from there to its last one;
 * tokens are spread evenly over either phase. The levels thus describe the server, not how the
 * client's reads happened to split a stream.
 */

import { CountLevels } from "../../core/statistics/count_levels.ts";
import { LevelPool } from "../../core/statistics/level_pool.ts";
import { type LevelSummary, summarizeLevels } from "../../core/statistics/level_summary.ts";
import type { Metric, MetricFlag } from "./metric.ts";
import { type Flights, flightsOf, type Moments } from "./flights.ts";
import type { RecordTable } from "./record_table.ts";

type LevelsOf = (moments: Moments) => Float64Array;

/** See the module's comment. */
export interface LevelMetric<Tag extends string = LevelMetricTag> extends Metric<Tag> {
  /** Levels of consecutive moments; valid until the next call. */
  readonly level: LevelsOf;
  /** Requests that must be above zero for a moment to count; undefined if every moment counts. */
  readonly during: LevelsOf | undefined;
}

const FLIGHT: readonly MetricFlag[] = ["NO_CONSOLE"];
const DECODE: readonly MetricFlag[] = ["STREAMING_ONLY", "PRODUCES_TOKENS_ONLY", "NO_CONSOLE"];
const PREFILL: readonly MetricFlag[] = [...DECODE, "TOKENIZES_INPUT_ONLY"];

const prefilling: LevelsOf = (moments) => moments.prefilling;
const decoding: LevelsOf = (moments) => moments.decoding;
const inFlight: LevelsOf = (moments) => moments.inFlight;
const prefillRate: LevelsOf = (moments) => moments.prefillRate;
const decodeRate: LevelsOf = (moments) => moments.decodeRate;
const totalRate = derived(({ decodeRate, prefillRate, count }, levels) => {
  for (let at = 0; at < count; at++) {
    levels[at] = (prefillRate[at] as number) + (decodeRate[at] as number);
  }
});
const prefillRatePerUser = derived(({ prefillRate, prefilling, count }, levels) => {
  for (let at = 0; at < count; at++) {
    const users = prefilling[at] as number;
    levels[at] = users > 0 ? (prefillRate[at] as number) / users : 0;
  }
});
const decodeRatePerUser = derived(({ decodeRate, decoding, count }, levels) => {
  for (let at = 0; at < count; at++) {
    const users = decoding[at] as number;
    levels[at] = users > 0 ? (decodeRate[at] as number) / users : 0;
  }
});

/** @param fill puts the levels of moments into an array: a loop of each one's own is quick */
function derived(fill: (moments: Moments, levels: Float64Array) => void): LevelsOf {
  let levels = new Float64Array(0);
  return (moments) => {
    if (levels.length < moments.count) levels = new Float64Array(moments.durationNs.length);
    fill(moments, levels);
    return levels;
  };
}

/** The metrics of levels, all of them. */
export const LEVEL_METRICS = [
  concurrency("effective_concurrency", "Effective Concurrency", FLIGHT, inFlight),
  ...rates("decode_throughput", "Decode Throughput", "tokens/sec", DECODE, decodeRate, decoding),
  ...rates(
    "prefill_throughput",
    "Prefill Throughput",
    "tokens/sec",
    PREFILL,
    prefillRate,
    prefilling,
  ),
  concurrency("effective_decode_concurrency", "Effective Decode Concurrency", DECODE, decoding),
  concurrency(
    "effective_prefill_concurrency",
    "Effective Prefill Concurrency",
    PREFILL,
    prefilling,
  ),
  ...rates("total_throughput", "Total Throughput", "tokens/sec", PREFILL, totalRate, inFlight),
  ...rates(
    "decode_throughput_per_user",
    "Decode Throughput Per User",
    "tokens/sec/user",
    DECODE,
    decodeRatePerUser,
    decoding,
  ),
  ...rates(
    "prefill_throughput_per_user",
    "Prefill Throughput Per User",
    "tokens/sec/user",
    PREFILL,
    prefillRatePerUser,
    prefilling,
  ),
];

/** Tag of a metric with a level at every moment. */
export type LevelMetricTag = typeof LEVEL_METRICS[number]["tag"];

function concurrency<Tag extends string>(
  tag: Tag,
  header: string,
  flags: readonly MetricFlag[],
  level: LevelsOf,
): LevelMetric<Tag> {
  return { tag, header, unit: "requests", flags, level, during: undefined };
}

/** A rate over the whole benchmark, and over the time in which there was work that has it. */
function rates<Name extends string>(
  name: Name,
  header: string,
  unit: string,
  flags: readonly MetricFlag[],
  level: LevelsOf,
  during: LevelsOf,
): [LevelMetric<`effective_${Name}`>, LevelMetric<`active_${Name}`>] {
  const metric = { unit, flags: [...flags, "LARGER_IS_BETTER"] as const, level };
  return [
    { ...metric, tag: `effective_${name}`, header: `Effective ${header}`, during: undefined },
    { ...metric, tag: `active_${name}`, header: `Active ${header}`, during },
  ];
}

/** Moments of which everything is kept: those of more are gone through for each metric. */
const MAX_AT_ONCE = 60_000;
/** Moments whose levels are kept one by one: those of more are counted. */
const MAX_KEPT = 300_000;

/**
 * Yields the levels of a run over a window, metric by metric; a metric without work is skipped.
 * @param metrics wanted metrics
 */
export function* levelResults(
  table: RecordTable,
  metrics: readonly LevelMetric[],
  fromNs: number,
  toNs: number,
): Generator<[metric: LevelMetric, level: LevelSummary]> {
  const flights = flightsOf(table);
  if (flights.length <= MAX_KEPT) {
    yield* keptLevels(flights, metrics, fromNs, toNs);
    return;
  }
  yield* countedLevels(flights, metrics, fromNs, toNs);
}

/**
 * Yields levels of many requests that do not fit into memory: each pass computes them again. If a
 * metric is over the whole time and another over the time with work, the former also has zeros.
 */
function* countedLevels(
  flights: Flights,
  metrics: readonly LevelMetric[],
  fromNs: number,
  toNs: number,
): Generator<[metric: LevelMetric, level: LevelSummary]> {
  const isCount = ({ unit }: LevelMetric): boolean => unit === "requests";
  const counts = new Map(
    metrics.filter(isCount).map(({ level }) => [level, new CountLevels()]),
  );
  const pools = new Map<LevelMetric["level"], { of: LevelMetric; pool: LevelPool }>();
  for (const metric of metrics) {
    if (isCount(metric) || (metric.during === undefined && pools.has(metric.level))) continue;
    pools.set(metric.level, { of: metric, pool: new LevelPool() });
  }
  const ofRates = [...pools.values()].map(({ of, pool }) => ({ ...of, pool }));
  let wholeTime = 0;
  flights.forEach(fromNs, toNs, (moments) => {
    const { count, durationNs } = moments;
    for (let at = 0; at < count; at++) wholeTime += durationNs[at] as number;
    for (const [level, levels] of counts) levels.addAll(level(moments), durationNs, count);
    for (const { during, level, pool } of ofRates) {
      pool.add(level(moments), durationNs, count, during?.(moments));
    }
  });
  for (const { pool } of ofRates) pool.beginSecond(wholeTime);
  flights.forEach(fromNs, toNs, (moments) => {
    for (const { during, level, pool } of ofRates) {
      pool.addSecond(level(moments), moments.durationNs, moments.count, during?.(moments));
    }
  });
  const unsure = ofRates.filter(({ pool }) => pool.needsThird);
  for (const { pool } of ofRates) pool.beginThird();
  if (unsure.length > 0) {
    flights.forEach(fromNs, toNs, (moments) => {
      for (const { during, level, pool } of unsure) {
        pool.addThird(level(moments), moments.durationNs, moments.count, during?.(moments));
      }
    });
  }
  for (const metric of metrics) {
    const pool = pools.get(metric.level)?.pool;
    const summary = pool === undefined
      ? counts.get(metric.level)?.summarize()
      : !pool.hasAny
      ? undefined
      : metric.during === undefined
      ? pool.summarizeWithZero()
      : pool.summarize();
    if (summary !== undefined) yield [metric, summary];
  }
}

/** Levels of few requests, which memory holds all at once. */
function* keptLevels(
  flights: Flights,
  metrics: readonly LevelMetric[],
  fromNs: number,
  toNs: number,
): Generator<[metric: LevelMetric, level: LevelSummary]> {
  const kept: KeptLevels = {
    levels: new Float64Array(flights.length + 1),
    durations: new Float64Array(flights.length + 1),
    count: 0,
  };
  let metric: LevelMetric | undefined;
  // The same function for all metrics: compiled for one, it holds for the next.
  const keep = (moments: Moments): void => {
    if (metric !== undefined) {
      keepLevels(kept, moments, metric.level(moments), metric.during?.(moments));
    }
  };
  let all: Moments | undefined;
  if (flights.length <= MAX_AT_ONCE) {
    flights.forEach(fromNs, toNs, (moments) => all = moments, flights.length + 2);
  }
  for (metric of metrics) {
    kept.count = 0;
    if (all === undefined) flights.forEach(fromNs, toNs, keep);
    else keep(all);
    const { count, durations, levels } = kept;
    if (count === 0) continue;
    yield [metric, summarizeLevels(levels.subarray(0, count), durations.subarray(0, count))];
  }
}

interface KeptLevels {
  readonly levels: Float64Array;
  readonly durations: Float64Array;
  count: number;
}

function keepLevels(
  kept: KeptLevels,
  { count, durationNs }: Moments,
  own: Float64Array,
  during: Float64Array | undefined,
): void {
  const { durations, levels } = kept;
  let end = kept.count;
  for (let at = 0; at < count; at++) {
    if (during !== undefined && during[at] === 0) continue;
    levels[end] = own[at] as number;
    durations[end++] = durationNs[at] as number;
  }
  kept.count = end;
}
