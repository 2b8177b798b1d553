import type { RampShape } from "./ramp_shape.ts";

/** Grows at once at the beginning of each of `steps` equal times; the last one is at the target. */
export function stepsRamp(steps: number): RampShape {
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
}
