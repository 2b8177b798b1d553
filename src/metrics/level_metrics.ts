/**
 * The metrics that stand at a level at every moment of a run, such as the number of requests in
 * flight: AIPerf's `effective_*`, weighted by time over the whole benchmark, and `active_*`, over the
 * time in which there was such work at all.
 *
 * A request reads its prompt from its start to its first token and generates from there to its last
 * one; its tokens are spread evenly over either. So the levels describe the server, not how the
 * client's reads happened to cut a stream.
 */

import { CountLevels } from "../statistics/count_levels.ts";
import { LevelPool } from "../statistics/level_pool.ts";
import { type LevelSummary, summarizeLevels } from "../statistics/level_summary.ts";
import { type Flights, flightsOf, type Moment } from "./flights.ts";
import type { Metric, MetricFlag } from "./metric.ts";
import type { RecordTable } from "./record_table.ts";

/** See the module's comment. */
export interface LevelMetric<Tag extends string = LevelMetricTag> extends Metric<Tag> {
  readonly level: (moment: Moment) => number;
  /** Requests that must be above zero for a moment to count; undefined if every moment counts. */
  readonly during: ((moment: Moment) => number) | undefined;
}

const FLIGHT: readonly MetricFlag[] = ["NO_CONSOLE"];
const DECODE: readonly MetricFlag[] = ["STREAMING_ONLY", "PRODUCES_TOKENS_ONLY", "NO_CONSOLE"];
const PREFILL: readonly MetricFlag[] = [...DECODE, "TOKENIZES_INPUT_ONLY"];

const prefilling = (moment: Moment): number => moment.prefilling;
const decoding = (moment: Moment): number => moment.decoding;
const inFlight = (moment: Moment): number => moment.inFlight;
const prefillRate = (moment: Moment): number => moment.prefillRate;
const decodeRate = (moment: Moment): number => moment.decodeRate;
const totalRate = (moment: Moment): number => moment.prefillRate + moment.decodeRate;
const perUser = (rate: number, users: number): number => users > 0 ? rate / users : 0;
const prefillRatePerUser = (moment: Moment): number =>
  perUser(moment.prefillRate, moment.prefilling);
const decodeRatePerUser = (moment: Moment): number => perUser(moment.decodeRate, moment.decoding);

/** All of them. */
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

/** The tag of a metric that stands at a level. */
export type LevelMetricTag = typeof LEVEL_METRICS[number]["tag"];

function concurrency<Tag extends string>(
  tag: Tag,
  header: string,
  flags: readonly MetricFlag[],
  level: (moment: Moment) => number,
): LevelMetric<Tag> {
  return { tag, header, unit: "requests", flags, level, during: undefined };
}

/** A rate over the whole benchmark, and over the time in which there was work that has it. */
function rates<Name extends string>(
  name: Name,
  header: string,
  unit: string,
  flags: readonly MetricFlag[],
  level: (moment: Moment) => number,
  during: (moment: Moment) => number,
): [LevelMetric<`effective_${Name}`>, LevelMetric<`active_${Name}`>] {
  const metric = { unit, flags: [...flags, "LARGER_IS_BETTER"] as const, level };
  return [
    { ...metric, tag: `effective_${name}`, header: `Effective ${header}`, during: undefined },
    { ...metric, tag: `active_${name}`, header: `Active ${header}`, during },
  ];
}

/** Moments whose levels are kept one by one: those of more are counted. */
const MAX_KEPT = 300_000;

/**
 * The levels of a run over a window, metric by metric; one whose work never went on is left out.
 * @param metrics those that are wanted
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
 * Levels of many requests, which memory does not hold: each is found again for each look at all of
 * them. Of a metric over the whole time and one over the time with work, the first has zeros besides.
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
  const ofCounts = [...counts].map(([level, levels]) => ({ level, levels }));
  const ofRates = [...pools.values()].map(({ of, pool }) => ({ ...of, pool }));
  let wholeTime = 0;
  flights.forEach(fromNs, toNs, (moment, durationNs) => {
    wholeTime += durationNs;
    for (const { level, levels } of ofCounts) levels.add(level(moment), durationNs);
    for (const { during, level, pool } of ofRates) {
      if (during === undefined || during(moment) !== 0) pool.add(level(moment), durationNs);
    }
  });
  for (const { pool } of ofRates) pool.beginSecond(wholeTime);
  flights.forEach(fromNs, toNs, (moment, durationNs) => {
    for (const { during, level, pool } of ofRates) {
      if (during === undefined || during(moment) !== 0) pool.addSecond(level(moment), durationNs);
    }
  });
  for (const { pool } of ofRates) pool.beginThird();
  flights.forEach(fromNs, toNs, (moment, durationNs) => {
    for (const { during, level, pool } of ofRates) {
      if (during === undefined || during(moment) !== 0) pool.addThird(level(moment), durationNs);
    }
  });
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
  const levels = new Float64Array(flights.length + 1);
  const durations = new Float64Array(flights.length + 1);
  for (const metric of metrics) {
    let count = 0;
    flights.forEach(fromNs, toNs, (moment, durationNs) => {
      if (metric.during !== undefined && metric.during(moment) === 0) return;
      levels[count] = metric.level(moment);
      durations[count++] = durationNs;
    });
    if (count === 0) continue;
    yield [metric, summarizeLevels(levels.subarray(0, count), durations.subarray(0, count))];
  }
}
