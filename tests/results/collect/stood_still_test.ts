import assert from "node:assert/strict";
import type { PhasePlan } from "../../../src/config/plan/run_plan.ts";
import type { RunSummary } from "../../../src/results/collect/run_manifest.ts";
import { missedWhileStill } from "../../../src/results/collect/client_stalled.ts";
import { closedPhase, openPhase } from "../../support/load_phases.ts";

/** A run from 10 s on, in which the process stood still from 12 s to 17 s. */
const SUMMARY: RunSummary = {
  ...{ wasCancelled: false, isComplete: true, startNs: 10e9, endNs: 17e9, sent: 25 },
  ...{ unsentArrivals: 0, loopLagMs: [], cpuCores: 1, notes: [] },
  stalls: [{ startNs: 12e9, endNs: 17e9 }],
};

function missed(phase: PhasePlan, summary: Partial<RunSummary> = {}): number {
  const shard = { index: 1, count: 2 };
  return missedWhileStill({ ...SUMMARY, ...summary }, { phases: [phase], shard });
}

Deno.test("missedWhileStill is the part of the arrivals, or of the users' time, that a stop took", () => {
  const rate = openPhase({}, { durationNs: 5e9 });
  assert.equal(missed(rate, { unsentArrivals: 75 }), 0.75);
  assert.equal(missed(rate), 0, "they were sent later");
  assert.equal(missed(rate, { unsentArrivals: 75, stalls: [] }), 0, "there was no room");
  const users = closedPhase(4, { durationNs: 5e9 });
  assert.equal(missed(users), 0.6, "only until the time was over");
  assert.equal(missed(users, { stalls: [{ startNs: 12e9, endNs: 12.5e9 }] }), 0);
  assert.equal(missed({ ...users, requestCount: 50 }), 0, "its 25 were sent");
  assert.equal(missed(closedPhase(4, { requestCount: 100 })), 0, "the others are sent later");
});
