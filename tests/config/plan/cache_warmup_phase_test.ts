import assert from "node:assert/strict";
import type { AgentsPlan } from "../../../src/config/plan/agents_plan.ts";
import { cacheWarmupPhase } from "../../../src/config/plan/cache_warmup_phase.ts";
import type { PhasePlan, RunPlan } from "../../../src/config/plan/run_plan.ts";

function planOf(
  agents: Pick<AgentsPlan, "cacheWarmupNs" | "primingGraceNs">,
  profiling: Partial<PhasePlan> = {},
): Pick<RunPlan, "phases" | "dataset"> {
  return {
    phases: [{
      kind: "profiling",
      load: { loop: "closed", concurrency: 5 },
      ...{ requestCount: 10, sessionCount: 3, durationNs: Infinity, graceNs: Infinity },
      ...profiling,
    }],
    dataset: { source: "file", agents } as unknown as RunPlan["dataset"],
  };
}

Deno.test("cacheWarmupPhase has the users of the measurement, and ends after its own time", () => {
  assert.equal(cacheWarmupPhase(planOf({})), undefined);
  assert.deepEqual(cacheWarmupPhase(planOf({ cacheWarmupNs: 20e9 })), {
    ...{ kind: "warmup", isPriming: true, fillsCaches: true },
    load: { loop: "closed", concurrency: 5 },
    ...{ requestCount: Infinity, durationNs: 20e9, graceNs: 20e9 },
  });
});

Deno.test("cacheWarmupPhase limits the time of its last calls as AIPerf does", () => {
  const graceOf = (...plan: Parameters<typeof planOf>): number | undefined =>
    cacheWarmupPhase(planOf(...plan))?.graceNs;
  assert.equal(graceOf({ cacheWarmupNs: 900e9 }), 300e9);
  assert.equal(graceOf({ cacheWarmupNs: 20e9 }, { graceNs: 30e9 }), 30e9);
  assert.equal(graceOf({ cacheWarmupNs: 60e9 }, { graceNs: 30e9 }), 60e9);
  assert.equal(graceOf({ cacheWarmupNs: 60e9, primingGraceNs: 1e9 }, { graceNs: 30e9 }), 1e9);
});
