import assert from "node:assert/strict";
import type { LoadPlan } from "../../../src/config/plan/run_plan.ts";
import { connectionsAhead } from "../../../src/load/worker/connections_ahead.ts";
import { createWorkload } from "../../../src/load/workload/create_workload.ts";
import { openPhase, SOURCE } from "../../support/load_phases.ts";

type Open = Extract<LoadPlan, { loop: "open" }>;

function ahead(load: Partial<Open>, requestCount = Infinity): number {
  const plan = openPhase(load, { requestCount });
  return connectionsAhead(plan.load as Open, createWorkload(SOURCE, plan));
}

Deno.test("connectionsAhead counts the arrivals of the first moments", () => {
  // The first one comes after an interval.
  assert.equal(ahead({ ratePerSecond: 100 }), 19);
  assert.equal(ahead({ ratePerSecond: 1 }), 0);
  assert.equal(ahead({ ratePerSecond: 100_000 }), 256);
});

Deno.test("connectionsAhead counts no more than will be under way", () => {
  assert.equal(ahead({ ratePerSecond: 100, concurrency: 4 }), 4);
  assert.equal(ahead({ ratePerSecond: 100 }, 3), 3);
  const concurrencyRamp = { shape: "linear", durationNs: 2e9, steps: 1 } as const;
  const ramped = ahead({ ratePerSecond: 100, concurrency: 41, concurrencyRamp });
  assert.ok(ramped < 19, "most places come later");
});

Deno.test("connectionsAhead counts those of a shard, and those whose times are known", () => {
  const plan = openPhase({ ratePerSecond: 100 });
  const load = plan.load as Open;
  const shard = { index: 0, count: 2 };
  assert.equal(connectionsAhead(load, createWorkload({ ...SOURCE, shard }, plan), shard), 10);
  const workload = createWorkload(SOURCE, plan);
  const unread = {
    sessionCount: workload.sessionCount,
    turnLimit: undefined,
    readyCount: 2,
    session: (index: number) => workload.session(index),
    arrivalNs: (index: number) => workload.arrivalNs(index),
  };
  assert.equal(connectionsAhead(load, unread), 2);
});
