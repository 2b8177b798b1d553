import type { RampPlan } from "../../config/plan/run_plan.ts";
import { EXPONENTIAL_RAMP } from "./exponential_ramp.ts";
import { LINEAR_RAMP } from "./linear_ramp.ts";
import type { RampShape } from "./ramp_shape.ts";
import { stepsRamp } from "./steps_ramp.ts";

/** The shape that a plan names. */
export function createRamp({ shape, steps }: RampPlan): RampShape {
  switch (shape) {
    case "linear":
      return LINEAR_RAMP;
    case "exponential":
      return EXPONENTIAL_RAMP;
    case "steps":
      return stepsRamp(steps);
  }
}
