/** How a load grows to its target: shapes by the names that `--ramp-shape` and plans give them. */

import type { RampShapeName } from "../../config/options/ramp_shapes.ts";
import type { RampPlan } from "../../config/plan/run_plan.ts";

/**
 * A curve over the share of the ramp's duration, from 0 to 1. Ramps of a number in flight use
 * `levelAt` and `reachedAt`. Ramps of a rate use the area under the curve: the arrivals of a phase
 * are where the area has grown by one request each.
 */
export interface RampShape {
  /** Share of the target, 0 to 1, at a share of the duration; never descends, and is 1 at 1. */
  levelAt(time: number): number;
  /** Least share of the duration at which the level is this high or higher. */
  reachedAt(level: number): number;
  /** Area under the level from 0 to a share of the duration. */
  areaAt(time: number): number;
  /** Share of the duration at which the area is so large: the inverse of `areaAt`. */
  timeOf(area: number): number;
}

/** The target of an exponential ramp is this many times its beginning. */
const GROWTH = 100;
const LOG = Math.log(GROWTH);

/** Shapes by their names. */
export const RAMPS: Readonly<Record<RampShapeName, (plan: RampPlan) => RampShape>> = {
  /** Grows by the same amount in equal times, from nothing. */
  linear: () => ({
    levelAt: (time) => time,
    reachedAt: (level) => level,
    areaAt: (time) => time * time / 2,
    timeOf: (area) => Math.sqrt(2 * area),
  }),
  /** Grows by the same factor in equal times, from a hundredth of the target. */
  exponential: () => ({
    levelAt: (time) => Math.exp(LOG * (time - 1)),
    reachedAt: (level) => Math.max(0, 1 + Math.log(level) / LOG),
    areaAt: (time) => (Math.exp(LOG * time) - 1) / (GROWTH * LOG),
    timeOf: (area) => Math.log1p(area * GROWTH * LOG) / LOG,
  }),
  /** Grows at once at the beginning of each of `steps` equal times; the last one is at the target. */
  steps({ steps }) {
    /** Area under all steps before this one. */
    const areaBefore = (step: number): number => step * (step + 1) / (2 * steps * steps);
    const stepAt = (time: number): number => Math.min(steps - 1, Math.floor(time * steps));
    return {
      levelAt: (time) => (stepAt(time) + 1) / steps,
      reachedAt: (level) => Math.max(0, Math.ceil(level * steps) - 1) / steps,
      areaAt(time) {
        const step = stepAt(time);
        return areaBefore(step) + (time - step / steps) * (step + 1) / steps;
      },
      timeOf(area) {
        // The step whose area begins last before it: the root of s(s + 1) / 2n² = area.
        let step = Math.floor((Math.sqrt(1 + 8 * area * steps * steps) - 1) / 2);
        step = Math.max(0, Math.min(steps - 1, step));
        if (step > 0 && areaBefore(step) > area) step--;
        return step / steps + (area - areaBefore(step)) * steps / (step + 1);
      },
    };
  },
};

/** The shape of a ramp. */
export function rampShape(plan: RampPlan): RampShape {
  return RAMPS[plan.shape](plan);
}
