import { selectPercentiles } from "../statistics/select_percentiles.ts";
import type { WorkerDelays } from "./canary_delays.ts";

/** The median of the numbers that are none of NaN; 0 without any. */
export function medianOfKnown(values: Float64Array | undefined): number {
  const known = values?.filter((value) => !Number.isNaN(value)) ?? new Float64Array(0);
  return selectPercentiles(known, [50])[0] || 0;
}

/** The median delay of the canaries of that thread whose canaries are latest, in nanoseconds. */
export function latestMedianNs(canaries: ReadonlyMap<number, WorkerDelays>): number {
  return Math.max(...[...canaries.values()].map(({ delayNs }) => medianOfKnown(delayNs)));
}
