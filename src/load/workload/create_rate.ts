import type { LoadPlan } from "../../config/plan/run_plan.ts";
import { rampedRate } from "./ramped_rate.ts";
import { type RateCurve, steadyRate } from "./rate_curve.ts";
import { rateSeries } from "./rate_series.ts";

/** The rate of an open loop over the time of its phase. */
export function createRate(
  { ratePerSecond, rateRamp, rateSeries: points }: Pick<
    Extract<LoadPlan, { loop: "open" }>,
    "ratePerSecond" | "rateRamp" | "rateSeries"
  >,
): RateCurve {
  const rate = points === undefined ? steadyRate(ratePerSecond) : rateSeries(points);
  return rateRamp === undefined ? rate : rampedRate(rateRamp, rate);
}
