import assert from "node:assert/strict";
import {
  isCancelledByPlan,
  PlannedCancellations,
} from "../../../src/load/worker/planned_cancellations.ts";
import { FakeTime } from "../../support/fake_time.ts";

Deno.test("isCancelledByPlan goes by seed, session and turn, and hits the share that was asked for", () => {
  const plan = { share: 0.2, delayNs: 0 };
  const hits = (seed: number, turn = 0) =>
    Array.from({ length: 5000 }, (_, session) => isCancelledByPlan(plan, seed, session, turn));
  assert.deepEqual(hits(1), hits(1));
  assert.notDeepEqual(hits(1), hits(2));
  assert.notDeepEqual(hits(1), hits(1, 1));
  for (const turn of [0, 1, 7]) {
    const share = hits(3, turn).filter((hit) => hit).length / 5000;
    assert.ok(Math.abs(share - 0.2) < 0.02, String(share));
  }
  assert.ok([0, 1, 2].every((session) => isCancelledByPlan({ ...plan, share: 1 }, 1, session, 0)));
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
  cancellations.onSent("a", 0, 0);
  cancellations.onSent("b", 1, 0);
  await time.pass(20);
  cancellations.onSent("a", 0, 0);
  cancellations.onEnded("b");
  await time.pass(29);
  assert.deepEqual(ended, []);
  await time.pass(100);
  assert.deepEqual(ended, ["a: Cancelled on purpose 0.05 s after it was sent"]);
});
