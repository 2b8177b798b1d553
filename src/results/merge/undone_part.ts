import { phaseOfShard } from "../../config/plan/phase_of_shard.ts";
import type { PhasePlan, RunPlan } from "../../config/plan/run_plan.ts";
import { shareOf } from "../../config/shard/shard.ts";

/** What a shard did of the profiling phase. */
export interface DonePart {
  readonly requests: number;
  /** Sessions that were begun. */
  readonly sessions: number;
  readonly durationNs: number;
}

/** How much of a run's plan one of its shards has to do: all of them together 1. */
export function weightOf(plan: RunPlan, index: number, count: number): number {
  const { requestCount = Infinity, sessionCount = Infinity } = profilingOf(plan) ?? {};
  const total = Number.isFinite(requestCount) ? requestCount : sessionCount;
  return Number.isFinite(total) && total > 0 ? shareOf(total, { index, count }) / total : 1 / count;
}

/**
 * What of its part of the plan a shard left undone, from 0 to 1: where several things end a run, by
 * that of which the most was done.
 */
export function undonePart(
  plan: RunPlan,
  index: number,
  count: number,
  done: DonePart,
): number {
  const whole = profilingOf(plan);
  if (whole === undefined) return 0;
  const { durationNs, requestCount, sessionCount = Infinity } = phaseOfShard(whole, {
    index,
    count,
  });
  const parts = [
    [done.requests, requestCount],
    [done.sessions, sessionCount],
    [done.durationNs, durationNs],
  ] as const;
  const shares = parts.flatMap(([is, wanted]) =>
    Number.isFinite(wanted) ? [wanted > 0 ? is / wanted : 1] : []
  );
  return Math.min(1, Math.max(0, 1 - Math.max(0, ...shares)));
}

function profilingOf({ phases }: RunPlan): PhasePlan | undefined {
  return phases.findLast(({ kind }) => kind === "profiling");
}
