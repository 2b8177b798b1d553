/** Sentences that describe the findings of a chart. */

import type { ChartSeries } from "../../core/chart/chart.ts";
import { figureText, millisecondsText, quantityText } from "../../core/chart/figure_text.ts";
import { selectPercentiles } from "../../core/statistics/select_percentiles.ts";
import type { MetricOverTime } from "./client_timeline.ts";
import type { PercentilesOverTime } from "./time_bins.ts";

/** A median that moves by less than this between the run's thirds stays where it is. */
const STEADY_SHARE = 0.15;
/** Ratio to its usual value at which a p99 is reported as a peak. */
const PEAK_RATIO = 1.8;
/** Fewer bins have no usual value. */
const MIN_BINS = 5;
/** Fewer values do not make a trend. */
const MIN_VALUES = 30;

/** Whether a metric's median rises, falls or stays over the profiling phase. */
export function trendFinding(name: string, metric: MetricOverTime): string {
  const { times, values } = metric;
  const overall = median(values.slice());
  const steady = `${name} has a median of ${millisecondsText(overall)}`;
  if (values.length < MIN_VALUES) return steady;
  let [start, end] = [Infinity, -Infinity];
  for (let i = 0; i < times.length; i++) {
    const time = times[i] as number;
    start = Math.min(start, time);
    end = Math.max(end, time);
  }
  const third = (end - start) / 3;
  const [early, late] = outerMedians(metric, start + third, end - third) as [number, number];
  const change = late / early - 1;
  if (!Number.isFinite(change)) return steady;
  if (Math.abs(change) < STEADY_SHARE) {
    return `${name} is stable at a median of ${millisecondsText(overall)}`;
  }
  const [low, high] = [millisecondsText(early), millisecondsText(late)];
  return `${name} ${
    change > 0 ? "rises" : "falls"
  }: median ${low} in the first third, ${high} in ` +
    `the last third`;
}

/** Where p99 stands out, and whether requests waited on the server then; empty if it does not. */
export function peakFinding(
  { x, p99 }: Pick<PercentilesOverTime, "x" | "p99">,
  waiting: readonly Pick<ChartSeries, "x" | "y">[],
): string {
  const inside = [...x.keys()].filter((index) => (x[index] as number) >= 0);
  if (inside.length < MIN_BINS) return "";
  const usual = median(Float64Array.from(inside, (index) => p99[index] as number));
  const peak = inside.reduce((best, index) =>
    (p99[index] as number) > (p99[best] as number) ? index : best
  );
  const [at, value] = [x[peak] as number, p99[peak] as number];
  if (!(value > usual * PEAK_RATIO)) return "";
  const reach = inside.length > 1 ? ((x.at(-1) as number) - (x[0] as number)) / x.length : 0;
  const queued = waiting.flatMap((line) =>
    line.y.filter((_, index) => Math.abs((line.x[index] as number) - at) <= reach)
  ).reduce<number>((most, value) => Math.max(most, value ?? 0), 0);
  return `; p99 reaches ${millisecondsText(value)} at ${figureText(at)} s` +
    (queued > 0 ? `, with up to ${figureText(queued)} requests queued on the server` : "");
}

/**
 * Mean and maximum of a level.
 * @param most maximum, if the values are means of bins
 */
export function levelFinding(
  name: string,
  values: readonly number[],
  unit = "",
  most: number = values.reduce((most, value) => Math.max(most, value), 0),
): string {
  if (most === 0) return `${name}: none at any time`;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return `${name}: ${figureText(mean)} on average, ${quantityText(most, unit)} at most`;
}

/**
 * Returns the percentage of requests, with enough digits to distinguish it from none and from all.
 */
export function shareText(share: number): string {
  const percent = share * 100;
  if (share > 0 && percent < 0.1) return "under 0.1 %";
  if (share < 1 && percent > 99.9) return "over 99.9 %";
  return `${Number(percent.toFixed(1))} %`;
}

/** Returns the medians of the values up to a time, and of those after another time. */
function outerMedians({ times, values }: MetricOverTime, until: number, from: number): number[] {
  const early = new Float64Array(values.length);
  const late = new Float64Array(values.length);
  let earlyCount = 0;
  let lateCount = 0;
  for (let i = 0; i < values.length; i++) {
    const time = times[i] as number;
    const value = values[i] as number;
    early[earlyCount] = value;
    late[lateCount] = value;
    earlyCount += time <= until ? 1 : 0;
    lateCount += time >= from ? 1 : 0;
  }
  return [median(early.subarray(0, earlyCount)), median(late.subarray(0, lateCount))];
}

/** @param values may be reordered */
function median(values: Float64Array): number {
  return selectPercentiles(values, [50])[0] as number;
}
