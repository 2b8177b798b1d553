import { percentile } from "../statistics/percentile.ts";
import { boundsBy, PERCENTILES, type StatisticBounds } from "./bounded_statistics.ts";
import { meanOf } from "./mean_of.ts";
import type { SampledValues } from "./sampled_values.ts";
import type { ShiftedMetric } from "./shifted_metric.ts";

/** Bounds if every value is as low, or as high, as its own chunks allow for; no ends where they say nothing. */
export function ownBounds(
  { summary, earlier, mirrored = false }: ShiftedMetric,
  { sorted, divisors, downMs, upMs }: SampledValues,
): StatisticBounds {
  /** Changes of the statistics, the average first. */
  const changes = (sign: 1 | -1, mostMs: Float64Array): number[] => {
    const shifted = sorted.slice();
    for (let i = 0; i < shifted.length; i++) {
      const most = sign * (mostMs[i] as number) / (divisors?.[i] ?? 1);
      shifted[i] = (shifted[i] as number) + most;
    }
    shifted.sort();
    return [
      meanOf(shifted) - meanOf(sorted),
      ...PERCENTILES.map(([, p]) => {
        const at = mirrored ? 100 - p : p;
        return percentile(shifted, at) - percentile(sorted, at);
      }),
    ];
  };
  const downs = downMs && changes(-1, downMs);
  const ups = upMs && changes(1, upMs);
  return boundsBy((name, index) => ({
    lower: summary[name] + orEndless(downs?.[index] ?? -Infinity, -Infinity),
    // Without an earlier chunk, nothing makes a value too short.
    upper: summary[name] +
      (earlier === undefined ? 0 : orEndless(ups?.[index] ?? Infinity, Infinity)),
  }));
}

/** What is interpolated between a value and one without an end is not known. */
function orEndless(change: number, end: number): number {
  return Number.isNaN(change) ? end : change;
}
