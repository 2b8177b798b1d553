/**
 * The frontier of a sweep: the points that no other point beats. Marks, tables and files of a sweep all
 * show this one.
 */

import { undominated } from "../../core/statistics/undominated.ts";
import { meanOf, type PointResults } from "./point_results.ts";

/** A statistic of the shown part of points, and in which direction it is better. */
export interface FrontAxis {
  /** `<metric>_<statistic>`. */
  readonly key: string;
  readonly direction: "maximize" | "minimize";
}

/** See the module's comment. */
export interface SweepFront {
  /** Throughput, and what it is weighed against; undefined if the points lack one of them. */
  readonly axes: { readonly gain: FrontAxis; readonly other: FrontAxis } | undefined;
  readonly points: ReadonlySet<PointResults>;
}

/** Throughputs, the one to prefer first: requests only where replies have no tokens. */
const GAINS = ["tokens_per_gpu_avg", "output_token_throughput_avg", "request_throughput_avg"];
/** Speed of a stream, or a latency, the one to prefer first. */
const OTHERS: readonly FrontAxis[] = [
  { key: "interactivity_avg", direction: "maximize" },
  { key: "time_to_first_token_p99", direction: "minimize" },
  { key: "request_latency_p99", direction: "minimize" },
];

/** Finds the frontier over statistics that all successful points have. */
export function sweepFront(results: readonly PointResults[]): SweepFront {
  const done = results.filter(({ successful }) => successful.length > 0);
  const gain = throughputKey(done);
  const other = OTHERS.find(({ key }) => haveAll(done, key));
  if (gain === undefined || other === undefined) return { axes: undefined, points: new Set() };
  const sign = other.direction === "maximize" ? 1 : -1;
  const places = done.map((point) => ({
    point,
    gain: meanOf(point, gain) as number,
    other: sign * (meanOf(point, other.key) as number),
  }));
  return {
    axes: { gain: { key: gain, direction: "maximize" }, other },
    points: new Set(undominated(places).map(({ point }) => point)),
  };
}

/** The throughput that all points have, per GPU if GPUs are stated; undefined if there is none. */
export function throughputKey(points: readonly PointResults[]): string | undefined {
  return GAINS.find((key) => haveAll(points, key));
}

function haveAll(points: readonly PointResults[], key: string): boolean {
  return points.length > 0 && points.every((point) => meanOf(point, key) !== undefined);
}
