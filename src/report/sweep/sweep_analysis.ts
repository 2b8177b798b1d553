/**
 * The best points of a sweep by AIPerf's definitions, over the part of the runs that is shown, and its
 * frontier. A point is the best only if no other point's interval overlaps with its own.
 */

import type { PointResults } from "./point_results.ts";
import { overlap } from "./shown_statistics.ts";
import { type SweepFront, sweepFront } from "./sweep_front.ts";

/** A point that is the best in something. */
export interface BestPoint {
  readonly result: PointResults;
  readonly value: number;
  readonly unit: string;
  /** Other points whose intervals overlap with that of this one; if there are any, none is the best. */
  readonly tied: readonly PointResults[];
}

/** See the module's comment. */
export interface SweepAnalysis {
  readonly bestThroughput: BestPoint | undefined;
  readonly bestLatency: BestPoint | undefined;
  readonly front: SweepFront;
  /** Latency that points are ranked by, as `<metric>_<statistic>`; undefined if there is none. */
  readonly latencyKey: string | undefined;
}

const THROUGHPUT = "request_throughput_avg";
/** Time to first token where replies are streamed. */
const LATENCIES = ["time_to_first_token_p99", "request_latency_p99"];

/** Compares the points of a sweep. Points without a value are ignored. */
export function analyzeSweep(results: readonly PointResults[]): SweepAnalysis {
  const done = results.filter(({ successful }) => successful.length > 0);
  const latencyKey = LATENCIES.find((key) =>
    done.length > 0 && done.every(({ figures }) => figures.has(key))
  );
  return {
    bestThroughput: best(done, THROUGHPUT, (a, b) => a > b),
    bestLatency: latencyKey === undefined ? undefined : best(done, latencyKey, (a, b) => a < b),
    front: sweepFront(results),
    latencyKey,
  };
}

function best(
  results: readonly PointResults[],
  key: string,
  isBetter: (a: number, b: number) => boolean,
): BestPoint | undefined {
  let found: BestPoint | undefined;
  for (const result of results) {
    const figure = result.shown.get(key);
    if (figure === undefined) continue;
    if (found === undefined || isBetter(figure.mean, found.value)) {
      found = { result, value: figure.mean, unit: figure.unit, tied: [] };
    }
  }
  if (found === undefined) return undefined;
  const winner = found.result;
  const interval = winner.shown.get(key)?.interval;
  const tied = results.filter((result) =>
    result !== winner && overlap(interval, result.shown.get(key)?.interval)
  );
  return { ...found, tied };
}
