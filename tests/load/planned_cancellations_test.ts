import assert from "node:assert/strict";
import { isCancelledByPlan, PlannedCancellations } from "../../src/load/planned_cancellations.ts";
import { FakeTime } from "../support/fake_time.ts";

Deno.test("isCancelledByPlan goes by seed and number, and hits the share that was asked for", () => {
  const plan = { share: 0.2, delayNs: 0 };
  const hits = (seed: number) =>
    Array.from({ length: 5000 }, (_, index) => isCancelledByPlan(plan, seed, index));
  assert.deepEqual(hits(1), hits(1));
  assert.notDeepEqual(hits(1), hits(2));
  const share = hits(3).filter((hit) => hit).length / 5000;
  assert.ok(Math.abs(share - 0.2) < 0.02, String(share));
  assert.ok([0, 1, 2].every((index) => isCancelledByPlan({ ...plan, share: 1 }, 1, index)));
});

Deno.test("PlannedCancellations ends a request its delay after it was written, unless it has ended", async () => {
  const time = new FakeTime();
  const ended: string[] = [];
  const plan = { share: 1, delayNs: 50e6 };
  const cancellations = new PlannedCancellations<string>(
    plan,
    1,
    time,
    (name, message) => ended.push(`${name}: ${message}`),
  );
  cancellations.onSent("a", 0);
  cancellations.onSent("b", 1);
  await time.pass(20);
  cancellations.onSent("a", 0);
  cancellations.onEnded("b");
  await time.pass(29);
  assert.deepEqual(ended, []);
  await time.pass(100);
  assert.deepEqual(ended, ["a: Cancelled on purpose 0.05 s after it was sent"]);
});
