import type { TurnDelayPlan } from "../../../config/plan/run_plan.ts";

/** Nanoseconds between a reply and the next turn, with the limit that the plan sets. */
export function turnDelayNs(delayMs: number, plan: TurnDelayPlan | undefined): number {
  if (plan?.ignored) return 0;
  return Math.round(Math.min(Math.max(0, delayMs), plan?.maxMs ?? Infinity) * 1e6);
}
