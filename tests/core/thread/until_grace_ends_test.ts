import assert from "node:assert/strict";
import { untilGraceEnds } from "../../../src/core/thread/until_grace_ends.ts";
import { FakeTime } from "../../support/fake_time.ts";

Deno.test("untilGraceEnds waits for work that ends within the grace after the signal", async () => {
  for (const isEarly of [true, false]) {
    const time = new FakeTime();
    const controller = new AbortController();
    const work = Promise.withResolvers<string>();
    if (isEarly) controller.abort(new Error("interrupted"));
    const waiting = untilGraceEnds(work.promise, controller.signal, 1000, time);
    await time.pass(5000 * Number(!isEarly));
    controller.abort(new Error("interrupted"));
    await time.pass(999);
    work.resolve("done");
    assert.equal(await waiting, "done");
    assert.equal(time.pending, 0, "the timer is called off");
  }
});

Deno.test("untilGraceEnds rejects with the signal's reason when the grace is over", async () => {
  const time = new FakeTime();
  const controller = new AbortController();
  const waiting = untilGraceEnds(new Promise(() => {}), controller.signal, 1000, time);
  const failing = assert.rejects(waiting, /interrupted/);
  controller.abort(new Error("interrupted"));
  await time.pass(1000);
  await failing;
});
