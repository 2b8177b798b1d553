import assert from "node:assert/strict";
import { LoopTurn } from "../../../src/core/thread/loop_turn.ts";

Deno.test({
  name: "LoopTurn calls back after what the thread was doing, and leaves nothing open when closed",
  sanitizeOps: true,
  sanitizeResources: true,
  fn: async () => {
    const turn = new LoopTurn();
    const order: string[] = [];
    const called = new Promise<void>((resolve) =>
      turn.next(() => {
        order.push("called");
        resolve();
      })
    );
    order.push("done");
    await Promise.resolve().then(() => order.push("promised"));
    await called;
    turn.close();
    assert.deepEqual(order, ["done", "promised", "called"]);
  },
});
