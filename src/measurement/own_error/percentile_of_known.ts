import { selectPercentiles } from "../../core/statistics/select_percentiles.ts";
import type { WorkerDelays } from "./canary_delays.ts";

/** A percentile of the numbers that are none of NaN; 0 without any. */
export function percentileOfKnown(values: Float64Array | undefined, p: number): number {
  const known = values?.filter((value) => !Number.isNaN(value)) ?? new Float64Array(0);
  return selectPercentiles(known, [p])[0] || 0;
}

/** The median delay of the canaries of that thread whose canaries are latest, in nanoseconds. */
export function latestMedianNs(canaries: ReadonlyMap<number, WorkerDelays>): number {
  return Math.max(...[...canaries.values()].map(({ delayNs }) => percentileOfKnown(delayNs, 50)));
}
