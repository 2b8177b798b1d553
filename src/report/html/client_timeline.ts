import type { RecordMetricTag } from "../../measurement/metrics/record_metrics.ts";
import { orderEqual, orderOf } from "../../core/statistics/order_of.ts";
import { sortNumbers } from "../../core/statistics/sort_numbers.ts";
import { MAX_BINS, type PercentilesOverTime, percentilesOverTime, TimeBins } from "./time_bins.ts";
import { type RequestTable, type RunView, wholeSpan, zeroNs } from "./run_view.ts";

/** Requests that a bin has on average, so that a rate is no comb. */
const REQUESTS_PER_BIN = 8;
const MIN_BINS = 30;

/** The client's measurements over time. Rates belong to the bins between the edges. */
export interface ClientTimeline {
  readonly edges: readonly number[];
  readonly completedPerSecond: readonly number[];
  readonly failedPerSecond: readonly number[];
  /** Mean of each bin. */
  readonly inFlight: readonly number[];
  /** Largest number of requests in flight at a moment of the profiling phase. */
  readonly maxInFlight: number;
  /** undefined if no reply has tokens. */
  readonly tokensPerSecond: readonly number[] | undefined;
  /** Bounds of the whole run in seconds of the charts' clock. */
  readonly start: number;
  readonly end: number;
}

/** The client's rates and levels over the whole run, warm-up included. */
export function clientTimeline(view: RunView): ClientTimeline {
  const zero = zeroNs(view);
  const { startNs, endNs } = wholeSpan(view);
  const seconds = (ns: number): number => (ns - zero) / 1e9;
  const [start, end] = [seconds(startNs), seconds(endNs)];
  const requests = view.warmup.length + view.profiling.length;
  const wanted = Math.min(MAX_BINS, Math.max(MIN_BINS, requests / REQUESTS_PER_BIN));
  const [completed, failed, inFlight, tokens] = Array.from(
    { length: 4 },
    () => new TimeBins(start, end, wanted),
  ) as [TimeBins, TimeBins, TimeBins, TimeBins];
  const flights = new Float64Array(2 * requests);
  let flightCount = 0;
  let hasTokens = false;
  for (const table of [view.warmup, view.profiling]) {
    const starts = table.allStartNs.values;
    const ends = table.allEndNs.values;
    const contentEnds = table.contentEndNs.values;
    const cancelled = table.counts("cancelled");
    const ttft = table.column("time_to_first_token");
    const outputs = table.column("output_sequence_length");
    // In the order of their times: sums then do not depend on the order in which records came.
    const rows = orderOf(starts);
    orderEqual(starts, rows, (a, b) => (ends[a] as number) - (ends[b] as number));
    for (const row of rows) {
      const from = seconds(starts[row] as number);
      const isValid = !Number.isNaN(contentEnds[row]);
      const to = seconds((isValid ? contentEnds[row] : ends[row]) as number);
      if (!(to >= from)) continue;
      inFlight.spread(from, to, to - from);
      flights[flightCount] = from;
      flights[requests + flightCount++] = to;
      if (isValid) completed.add(to, 1);
      else if (cancelled[row] !== 1) failed.add(to, 1);
      const output = outputs?.[row] ?? NaN;
      if (!isValid || !(output > 0)) continue;
      hasTokens = true;
      const first = Math.min(to, from + (ttft?.[row] ?? NaN) / 1e3);
      // The first token comes at once, the others evenly from there on; a whole reply at its end.
      if (Number.isNaN(first)) tokens.add(to, output);
      else {
        tokens.add(first, 1);
        tokens.spread(first, to, output - 1);
      }
    }
  }
  return {
    edges: completed.edges,
    completedPerSecond: completed.perSecond(end),
    failedPerSecond: failed.perSecond(end),
    inFlight: inFlight.perSecond(end),
    maxInFlight: maxInFlight(
      flights.subarray(0, flightCount),
      flights.subarray(requests, requests + flightCount),
    ),
    tokensPerSecond: hasTokens ? tokens.perSecond(end) : undefined,
    start,
    end,
  };
}

/** Largest number of intervals that overlap at or after zero; an interval excludes its end. */
function maxInFlight(starts: Float64Array<ArrayBuffer>, ends: Float64Array<ArrayBuffer>): number {
  sortNumbers(starts);
  sortNumbers(ends);
  let [most, ended] = [0, 0];
  for (let started = 0; started < starts.length; started++) {
    const next = starts[started + 1] ?? Infinity;
    // At the moment of this start, or at zero if that comes later and before the next start.
    const at = Math.max(0, starts[started] as number);
    if (next <= at) continue;
    while (ended < ends.length && (ends[ended] as number) <= at) ended++;
    most = Math.max(most, started + 1 - ended);
  }
  return most;
}

/** Metric of requests by their start times, in seconds of the charts' clock. */
export interface MetricOverTime {
  readonly times: Float64Array;
  readonly values: Float64Array;
}

/** The values of a metric of a phase's requests; undefined if none has any. */
export function metricOverTime(
  table: RequestTable,
  tag: RecordMetricTag,
  zero: number,
): MetricOverTime | undefined {
  const column = table.column(tag);
  if (column === undefined) return undefined;
  const starts = table.allStartNs.values;
  const times = new Float64Array(column.length);
  const values = new Float64Array(column.length);
  let length = 0;
  for (let row = 0; row < column.length; row++) {
    const value = column[row] as number;
    const start = starts[row] as number;
    // Without a branch: what has no value is written over by what comes next.
    times[length] = (start - zero) / 1e9;
    values[length] = value;
    length += Number.isNaN(value + start) ? 0 : 1;
  }
  if (length === 0) return undefined;
  return { times: times.subarray(0, length), values: values.subarray(0, length) };
}

/**
 * Percentiles of a metric over the whole run.
 * @param profiling its values in the profiling phase
 */
export function metricPercentiles(
  view: RunView,
  tag: RecordMetricTag,
  { start, end }: ClientTimeline,
  profiling: MetricOverTime,
): PercentilesOverTime {
  const warmup = metricOverTime(view.warmup, tag, zeroNs(view));
  if (warmup === undefined) {
    return percentilesOverTime(profiling.times, profiling.values, start, end);
  }
  return percentilesOverTime(
    joined(warmup.times, profiling.times),
    joined(warmup.values, profiling.values),
    start,
    end,
  );
}

function joined(first: Float64Array, second: Float64Array): Float64Array {
  const both = new Float64Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
