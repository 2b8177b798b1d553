import assert from "node:assert/strict";
import fc from "fast-check";
import { resolvePlan } from "../../../src/config/plan/resolve/resolve_plan.ts";
import type { RunPlan } from "../../../src/config/plan/run_plan.ts";
import { shareOf } from "../../../src/config/shard/shard.ts";
import { undonePart, weightOf } from "../../../src/results/merge/undone_part.ts";

async function planWith(options: Parameters<typeof resolvePlan>[0]): Promise<RunPlan> {
  return await resolvePlan({
    ...{ url: ["http://127.0.0.1:1"], model: "m", streaming: true, noServerMetrics: true },
    ...options,
  }, { cores: 2, cliCommand: "test", findModel: () => Promise.reject(new Error("not asked")) });
}

const NOTHING = { requests: 0, sessions: 0, durationNs: 0 };

Deno.test("the parts of shards are the plan, and what each left undone is of its own", async () => {
  const plan = await planWith({ requestCount: 100 });
  fc.assert(fc.property(fc.integer({ min: 1, max: 120 }), (count) => {
    const shards = Array.from({ length: count }, (_, index) => index);
    const whole = shards.reduce((sum, index) => sum + weightOf(plan, index, count), 0);
    assert.ok(Math.abs(whole - 1) < 1e-9);
    for (const index of shards) {
      const requests = shareOf(100, { index, count });
      assert.equal(undonePart(plan, index, count, { ...NOTHING, requests }), 0);
      if (requests === 0) continue;
      assert.equal(undonePart(plan, index, count, NOTHING), 1);
    }
  }));
  // 34 and 33 requests.
  assert.equal(undonePart(plan, 0, 3, { ...NOTHING, requests: 17 }), 0.5);
  assert.equal(weightOf(plan, 1, 3), 0.33);
});

Deno.test("undonePart goes by time and sessions where these end a run, by the nearest of several", async () => {
  const timed = await planWith({ benchmarkDuration: 10, concurrency: 2 });
  assert.equal(undonePart(timed, 0, 4, { ...NOTHING, durationNs: 4e9, requests: 9 }), 0.6);
  assert.equal(weightOf(timed, 0, 4), 0.25);
  assert.equal(undonePart(timed, 0, 4, { ...NOTHING, durationNs: 12e9 }), 0);
  const talks = await planWith({ numSessions: 40, sessionTurnsMean: 3 });
  assert.equal(undonePart(talks, 1, 4, { ...NOTHING, sessions: 5, requests: 9 }), 0.5);
  assert.equal(weightOf(talks, 1, 4), 0.25);
  const both = await planWith({ requestCount: 100, benchmarkDuration: 10, concurrency: 2 });
  const done = { ...NOTHING, requests: 40, durationNs: 9e9 };
  assert.ok(Math.abs(undonePart(both, 0, 2, done) - 0.1) < 1e-9);
});
