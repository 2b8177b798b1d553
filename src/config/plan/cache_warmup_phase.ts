import type { PhasePlan, RunPlan } from "./run_plan.ts";

/** Longest default time of the last calls, in nanoseconds, as AIPerf has it. */
const MAX_GRACE_NS = 300e9;

/**
 * Returns the phase before the measurement in which recorded sessions fill the servers' caches: their
 * calls follow each other without gaps and request one token. undefined if there is none. It is not
 * among the phases of the plan: its calls are in no result.
 */
export function cacheWarmupPhase(
  { phases, dataset }: Pick<RunPlan, "phases" | "dataset">,
): PhasePlan | undefined {
  const profiling = phases.at(-1);
  if (profiling === undefined || dataset.source !== "file") return undefined;
  const { cacheWarmupNs, primingGraceNs } = dataset.agents ?? {};
  if (cacheWarmupNs === undefined) return undefined;
  const { graceNs, load, prefill } = profiling;
  const usualNs = Math.min(cacheWarmupNs, MAX_GRACE_NS);
  return {
    kind: "warmup",
    ...{ isPriming: true, fillsCaches: true },
    load: { loop: "closed", concurrency: load.concurrency },
    requestCount: Infinity,
    durationNs: cacheWarmupNs,
    graceNs: primingGraceNs ?? (graceNs < Infinity ? Math.max(graceNs, usualNs) : usualNs),
    ...(prefill === undefined ? {} : { prefill }),
  };
}
