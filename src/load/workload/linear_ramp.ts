import type { RampShape } from "./ramp_shape.ts";

/** Grows by the same amount in equal times, from nothing. */
export const LINEAR_RAMP: RampShape = {
  levelAt: (time) => time,
  reachedAt: (level) => level,
  areaAt: (time) => time * time / 2,
  timeOf: (area) => Math.sqrt(2 * area),
};
