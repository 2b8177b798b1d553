import type { PhasePlan } from "../../config/plan/run_plan.ts";

/** Share of the profiling phase that one of both quiet passes takes at most. */
const PASS_SHARE = 0.05;

/**
 * Least length of a profiling phase, in milliseconds: its duration, or the time that its requests take
 * at their rate, or at its concurrency if the load slows no reply down. Infinity if nothing limits it.
 * @param replyMs mean time of a reply without load
 */
export function leastPhaseMs(
  { durationNs, load, requestCount, sessionCount = Infinity }: PhasePlan,
  replyMs: number,
): number {
  const requests = Math.min(requestCount, sessionCount);
  const perRequestMs = load.loop === "open" && load.ratePerSecond > 0
    ? 1000 / load.ratePerSecond
    : replyMs / load.concurrency;
  return Math.min(durationNs / 1e6, requests === Infinity ? Infinity : requests * perRequestMs);
}

/** Share of an estimated length over which the sample is spread: the load may be faster. */
const ESTIMATED_SHARE = 0.5;

/**
 * Time over which the sample is spread under load, in milliseconds; Infinity if nothing limits the phase.
 * @param replyMs shortest time of a reply without load
 */
export function loadSpreadMs(phase: PhasePlan, replyMs: number): number {
  const lengthMs = leastPhaseMs(phase, replyMs);
  const isEstimated = lengthMs < leastPhaseMs(phase, Infinity);
  return isEstimated ? lengthMs * ESTIMATED_SHARE : lengthMs;
}

/** Longest time of a quiet pass, in milliseconds. */
export function quietBudgetMs(phase: PhasePlan, replyMs: number): number {
  return leastPhaseMs(phase, replyMs) * PASS_SHARE;
}
