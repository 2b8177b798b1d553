import type { RampPlan } from "../../config/plan/run_plan.ts";
import { globalIndexOf, type Shard, shareOf } from "../../config/shard/shard.ts";
import { rampShape } from "./ramps.ts";

/**
 * Maximum number of requests in flight at each time of a phase: a pure function of the plan, so
 * that every thread gets the same limit without communication.
 */
export interface LimitCurve {
  /** Limit after the end of the ramp. */
  readonly target: number;
  /** The limit at a phase time in nanoseconds; never descends. */
  at(phaseNs: number): number;
  /** Phase time in nanoseconds from which the limit is so high; Infinity if it never is. */
  reachedNs(limit: number): number;
}

/**
 * Returns a limit that grows from 1 to its target; without a ramp it starts at the target. A shard
 * has every n-th place of it, so that all of them together have the limit at every time.
 * @param target of the whole run
 */
export function limitCurve(
  target: number,
  ramp: RampPlan | undefined,
  shard?: Shard,
): LimitCurve {
  const whole = wholeCurve(target, ramp);
  if (shard === undefined) return whole;
  return {
    target: shareOf(target, shard),
    at: (phaseNs) => shareOf(whole.at(phaseNs), shard),
    reachedNs: (limit) => limit <= 0 ? 0 : whole.reachedNs(globalIndexOf(limit - 1, shard) + 1),
  };
}

function wholeCurve(target: number, ramp: RampPlan | undefined): LimitCurve {
  if (ramp === undefined || target === Infinity) {
    return { target, at: () => target, reachedNs: (limit) => limit <= target ? 0 : Infinity };
  }
  const shape = rampShape(ramp);
  const { durationNs } = ramp;
  const reachedNs = (limit: number): number => {
    if (limit <= 1) return 0;
    if (limit > target) return Infinity;
    return Math.round(durationNs * shape.reachedAt((limit - 1) / (target - 1)));
  };
  const at = (phaseNs: number): number => {
    if (phaseNs >= durationNs) return target;
    if (phaseNs <= 0) phaseNs = 0;
    let limit = 1 + Math.floor((target - 1) * shape.levelAt(phaseNs / durationNs));
    // The times at which it is reached are what counts: rounding leads to a neighbour at most.
    while (limit < target && reachedNs(limit + 1) <= phaseNs) limit++;
    while (limit > 1 && reachedNs(limit) > phaseNs) limit--;
    return limit;
  };
  return { target, at, reachedNs };
}
