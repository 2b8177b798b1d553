import assert from "node:assert/strict";
import { primedAhead, primingPhase } from "../../../src/config/plan/priming_phase.ts";
import type { PhasePlan, RunPlan } from "../../../src/config/plan/run_plan.ts";
import { closedPhase, openPhase } from "../../support/load_phases.ts";

const RATIOS = { startRatios: { min: 0.25, max: 0.75 } };

function planOf(profiling: PhasePlan, agents: object | undefined): RunPlan {
  const warmup = { ...closedPhase(9), kind: "warmup" };
  return { phases: [warmup, profiling], dataset: { source: "file", agents } } as unknown as RunPlan;
}

Deno.test("primedAhead counts the users of a closed loop whose sessions are entered in their middle", () => {
  assert.equal(primedAhead(planOf(closedPhase(4), RATIOS)), 4);
  assert.equal(primedAhead(planOf(closedPhase(4), {})), 0, "from their beginning");
  assert.equal(primedAhead(planOf(closedPhase(4), undefined)), 0, "no recorded sessions");
  assert.equal(primedAhead(planOf(openPhase({ concurrency: 4 }), RATIOS)), 0, "an open loop");
});

Deno.test("primingPhase has as many sessions as begin with the profiling phase", () => {
  const counts = (profiling: PhasePlan, agents: object = RATIOS): unknown[] => {
    const { sessionCount, durationNs, isPriming } = primingPhase(planOf(profiling, agents)) ?? {};
    return [sessionCount, durationNs, isPriming];
  };
  assert.deepEqual(counts(closedPhase(4)), [4, Infinity, true]);
  assert.deepEqual(counts(closedPhase(4, { sessionCount: 3 })), [3, Infinity, true]);
  assert.deepEqual(counts(closedPhase(4, { sessionCount: 3, requestCount: 2 }))[0], 2);
  assert.deepEqual(counts(closedPhase(4), { ...RATIOS, primingGraceNs: 5e9 }), [4, 5e9, true]);
  assert.equal(primingPhase(planOf(closedPhase(4), {})), undefined);
});
