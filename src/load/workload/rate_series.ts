import type { RatePoint } from "../../config/plan/run_plan.ts";
import type { RateCurve } from "./rate_curve.ts";

interface Segment {
  readonly start: number;
  /** Requests that were asked for before it. */
  readonly count: number;
  readonly rate: number;
  /** Change of the rate per second. */
  readonly slope: number;
}

/**
 * Returns a rate that is given at some points, changes linearly between them, and stays constant
 * after the last one. Before the first point it has the first point's value.
 *
 * @param points at least one, their times ascend
 */
export function rateSeries(points: readonly RatePoint[]): RateCurve {
  const segments: Segment[] = [];
  let count = 0;
  const add = (start: number, end: number, rate: number, endRate: number): void => {
    segments.push({
      start,
      count,
      rate,
      slope: end > start ? (endRate - rate) / (end - start) : 0,
    });
    count += (end - start) * (rate + endRate) / 2;
  };
  const [first] = points as readonly [RatePoint];
  if (first.seconds > 0) add(0, first.seconds, first.ratePerSecond, first.ratePerSecond);
  points.forEach(({ seconds, ratePerSecond }, index) => {
    const next = points[index + 1];
    if (next !== undefined) add(seconds, next.seconds, ratePerSecond, next.ratePerSecond);
    else segments.push({ start: seconds, count, rate: ratePerSecond, slope: 0 });
  });
  const find = (field: "start" | "count", value: number): Segment =>
    segments[lastAtMost(segments, (segment) => segment[field] <= value)] as Segment;
  return {
    rateAt(seconds) {
      const { start, rate, slope } = find("start", seconds);
      return rate + slope * (seconds - start);
    },
    countAt(seconds) {
      const { start, count, rate, slope } = find("start", seconds);
      const into = seconds - start;
      return count + into * (rate + slope * into / 2);
    },
    secondsOf(wanted) {
      const { start, count, rate, slope } = find("count", wanted);
      const left = wanted - count;
      // The root of slope/2 t² + rate t = left, in the form that loses no digits on a small slope.
      return start + 2 * left / (rate + Math.sqrt(rate * rate + 2 * slope * left));
    },
  };
}

/** The last place at which it holds; it holds up to some place, and at the first one. */
function lastAtMost<T>(values: readonly T[], holds: (value: T) => boolean): number {
  let low = 0;
  let high = values.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (holds(values[middle] as T)) low = middle;
    else high = middle - 1;
  }
  return low;
}
