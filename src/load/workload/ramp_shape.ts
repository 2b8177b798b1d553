/**
 * How a load grows to its target: a curve over the share of the ramp's duration, from 0 to 1.
 *
 * A shape is four pure functions, and a line in {@linkcode rampShape}; `linear_ramp.ts` is the
 * shortest. Ramps of a number in flight go by `levelAt` and `reachedAt`, ramps of a rate by the area
 * under the curve: the arrivals of a phase are where the area has grown by one request each.
 */
export interface RampShape {
  /** Share of the target, 0 to 1, at a share of the duration; never descends, and is 1 at 1. */
  levelAt(time: number): number;
  /** Least share of the duration at which the level is this high or higher. */
  reachedAt(level: number): number;
  /** Area under the level from 0 to a share of the duration. */
  areaAt(time: number): number;
  /** Share of the duration at which the area is so large: the inverse of {@linkcode areaAt}. */
  timeOf(area: number): number;
}
