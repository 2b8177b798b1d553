import type { RampPlan } from "../../config/plan/run_plan.ts";
import { rampShape } from "./ramps.ts";
import type { RateCurve } from "./rate_curve.ts";

/** A rate that grows to the beginning of another one, which then takes its course. */
export function rampedRate(ramp: RampPlan, after: RateCurve): RateCurve {
  const shape = rampShape(ramp);
  const duration = ramp.durationNs / 1e9;
  const target = after.rateAt(0);
  const unit = target * duration;
  const rampCount = unit * shape.areaAt(1);
  return {
    rateAt: (seconds) =>
      seconds < duration
        ? target * shape.levelAt(seconds / duration)
        : after.rateAt(seconds - duration),
    countAt: (seconds) =>
      seconds < duration
        ? unit * shape.areaAt(seconds / duration)
        : rampCount + after.countAt(seconds - duration),
    secondsOf: (count) =>
      count < rampCount
        ? duration * shape.timeOf(count / unit)
        : duration + after.secondsOf(count - rampCount),
  };
}
