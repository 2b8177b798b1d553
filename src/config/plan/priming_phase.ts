import type { PhasePlan, RunPlan } from "./run_plan.ts";

type PrimedRun = Pick<RunPlan, "phases" | "dataset">;

/**
 * Returns the number of recorded sessions whose priming calls are sent before the profiling phase: those
 * that begin with it, if sessions are entered in their middle. Later sessions are primed when they begin.
 */
export function primedAhead({ phases, dataset }: PrimedRun): number {
  const load = phases.at(-1)?.load;
  const isEntered = dataset.source === "file" && dataset.agents?.startRatios !== undefined;
  return isEntered && load?.loop === "closed" ? load.concurrency : 0;
}

/**
 * Returns the phase in which the priming calls of these sessions are sent; undefined if there is none.
 * It is not among the phases of the plan: its calls are in no result.
 */
export function primingPhase(plan: PrimedRun): PhasePlan | undefined {
  const sessions = primedAhead(plan);
  const profiling = plan.phases.at(-1);
  if (sessions === 0 || profiling === undefined || plan.dataset.source !== "file") return undefined;
  const { primingGraceNs = Infinity } = plan.dataset.agents ?? {};
  return {
    kind: "profiling",
    isPriming: true,
    load: { loop: "closed", concurrency: sessions },
    requestCount: Infinity,
    sessionCount: Math.min(sessions, profiling.sessionCount ?? Infinity, profiling.requestCount),
    durationNs: primingGraceNs,
    graceNs: 0,
  };
}
