import type { SortedValues } from "./sorted_values.ts";

/**
 * The p-th percentile of sorted values by linear interpolation between the two nearest ranks:
 * numpy's default method ("linear"), equal to it bit for bit.
 *
 * `h = (n - 1) * (p / 100)`, `i = floor(h)`, `t = h - i`; the result is `a + (b - a) * t` between
 * neighbours `a` and `b`, and `b - (b - a) * (1 - t)` for `t >= 0.5`, which keeps it monotone.
 * An array of no values has no percentile and gives NaN, as does one with a NaN, which is its last.
 *
 * @example
 * ```ts
 * import { percentile } from "@inferometer/inferometer";
 * import assert from "node:assert/strict";
 * assert.equal(percentile(Float64Array.of(1, 2, 3, 4), 50), 2.5);
 * ```
 *
 * @param sorted values in ascending order; the caller sorts, so that many percentiles share one
 * sort
 * @param p from 0 to 100
 * @throws {RangeError} if `p` is not within 0 and 100
 */
export function percentile(sorted: SortedValues, p: number): number {
  if (!(p >= 0 && p <= 100)) {
    throw new RangeError(`Percentile must be between 0 and 100: got ${p}`);
  }
  const count = sorted.length;
  if (count === 0 || Number.isNaN(sorted.at(count - 1))) return NaN;
  const rank = (count - 1) * (p / 100);
  const lowerIndex = Math.floor(rank);
  const lower = sorted.at(lowerIndex) as number;
  // Of negative zeros, numpy's sum of the two terms makes a zero without a sign.
  if (lowerIndex >= count - 1) return lower + 0;
  const upper = sorted.at(lowerIndex + 1) as number;
  const fraction = rank - lowerIndex;
  const difference = upper - lower;
  // numpy only calls the two ends equal when they are: with infinite ends the lerp would give NaN.
  if (difference === 0 || lower === upper) return lower + 0;
  return fraction >= 0.5 ? upper - difference * (1 - fraction) : lower + difference * fraction;
}
