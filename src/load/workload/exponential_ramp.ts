import type { RampShape } from "./ramp_shape.ts";

/** The target is this many times the beginning. */
const GROWTH = 100;
const LOG = Math.log(GROWTH);

/** Grows by the same factor in equal times, from a hundredth of the target. */
export const EXPONENTIAL_RAMP: RampShape = {
  levelAt: (time) => Math.exp(LOG * (time - 1)),
  reachedAt: (level) => Math.max(0, 1 + Math.log(level) / LOG),
  areaAt: (time) => (Math.exp(LOG * time) - 1) / (GROWTH * LOG),
  timeOf: (area) => Math.log1p(area * GROWTH * LOG) / LOG,
};
