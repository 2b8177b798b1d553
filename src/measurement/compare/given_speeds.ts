import { type FrontierCurve, rateAt } from "./frontier_curve.ts";
import {
  type FrontierDifference,
  type FrontierStep,
  roundSpeeds,
  type SpeedRange,
} from "./frontier_difference.ts";

/** Throughput of both sides for users who get a speed, a round number. */
export interface GivenSpeed {
  readonly speed: number;
  readonly before: SpeedValue;
  readonly after: SpeedValue;
  /** Step of the comparison; undefined outside the range that both reach. */
  readonly step: FrontierStep | undefined;
}

/** Throughput of a side at a speed, or why there is none: its points are all slower, or all faster. */
export type SpeedValue = number | "out of reach" | "not measured";

/** Returns both frontiers at round speeds over the range that either side reaches. */
export function givenSpeeds({ curves, ranges, steps }: FrontierDifference): GivenSpeed[] {
  return roundSpeeds(ranges).map((speed) => ({
    speed,
    before: valueAt(curves.before, ranges.before, speed),
    after: valueAt(curves.after, ranges.after, speed),
    step: steps.find((step) => step.speed === speed),
  }));
}

function valueAt(curve: FrontierCurve, range: SpeedRange | undefined, speed: number): SpeedValue {
  if (range === undefined || speed > range[1]) return "out of reach";
  return speed < range[0] ? "not measured" : rateAt(curve, speed, 0);
}
