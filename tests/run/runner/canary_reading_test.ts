import assert from "node:assert/strict";
import type { RunPlan } from "../../../src/config/plan/run_plan.ts";
import { canaryReading } from "../../../src/run/runner/canary_reading.ts";

const reading = (streaming: boolean, more: Partial<RunPlan>) =>
  canaryReading({
    ...{ body: { streaming } as RunPlan["body"], reuse: "pooled", transport: "fetch" },
    ...more,
  });

Deno.test("canaryReading has canaries read on streams of sockets, whatever the replies are", () => {
  for (const streaming of [true, false]) {
    assert.deepEqual(reading(streaming, { transport: "socket" }), { transport: "socket" });
    assert.deepEqual(reading(streaming, { canaryTransport: "socket" }), { transport: "socket" });
  }
});

Deno.test("canaryReading asks for replies over fetch that stand for first chunks, or for whole replies", () => {
  assert.deepEqual(reading(true, {}), { transport: "fetch", asked: "first", reuse: "pooled" });
  assert.deepEqual(reading(false, { reuse: "never" }), {
    ...{ transport: "fetch", asked: "any", reuse: "never" },
  });
});
