import fc from "fast-check";
/** Phases and workloads for tests of who sends what, when. */

import type { LoadPlan, PhasePlan } from "../../src/config/plan/run_plan.ts";
import type { WorkloadSource } from "../../src/load/workload/workload.ts";

type Open = Extract<LoadPlan, { loop: "open" }>;

/** Seven prompts, three more for warm-up, two targets, three models. */
export const SOURCE: WorkloadSource = {
  seed: 1,
  samplingStrategy: "sequential",
  targetCount: 2,
  modelCount: 3,
  profilingEntries: 7,
  warmupEntries: 3,
  conversations: undefined,
};

const PHASE = {
  kind: "profiling",
  requestCount: Infinity,
  durationNs: Infinity,
  graceNs: Infinity,
} as const;

/** A phase of so many users. */
export function closedPhase(concurrency: number, fields: Partial<PhasePlan> = {}): PhasePlan {
  return { ...PHASE, load: { loop: "closed", concurrency }, ...fields };
}

/** A phase with an arrival every 10 ms, without a cap. */
export function openPhase(load: Partial<Open> = {}, fields: Partial<PhasePlan> = {}): PhasePlan {
  return {
    ...PHASE,
    load: {
      loop: "open",
      ratePerSecond: 100,
      arrivalPattern: "constant",
      smoothness: 1,
      concurrency: Infinity,
      ...load,
    },
    ...fields,
  };
}

/** Any source of a workload. */
export function workloadSources(
  conversations: fc.Arbitrary<WorkloadSource["conversations"]>,
): fc.Arbitrary<WorkloadSource> {
  return fc.record({
    seed: fc.nat(),
    samplingStrategy: fc.constantFrom("sequential", "random", "shuffle"),
    targetCount: fc.integer({ min: 1, max: 5 }),
    modelCount: fc.integer({ min: 1, max: 4 }),
    profilingEntries: fc.integer({ min: 1, max: 20 }),
    warmupEntries: fc.integer({ min: 0, max: 5 }),
    conversations,
  });
}
