import assert from "node:assert/strict";
import { ControlBlock, NOTHING_DUE } from "../../../src/load/worker/control_block.ts";
import { interleaveAtomics } from "../../support/interleaved_atomics.ts";

Deno.test("ControlBlock gives each request of a closed loop out once, up to the limit", () => {
  const control = new ControlBlock();
  const other = new ControlBlock(control.buffer);
  assert.deepEqual([control.claim(3, 0), other.claim(3, 1), control.claim(3, 0)], [0, 1, 2]);
  assert.equal(other.claim(3, 1), NOTHING_DUE);
  assert.equal(control.inFlight, 3);
  control.release("succeeded", 0);
  other.release("failed", 1);
  assert.deepEqual([control.inFlight, control.succeeded, control.failed], [1, 1, 1]);
});

Deno.test("ControlBlock lets arrivals in as they come, and no more at once than the cap", () => {
  const control = new ControlBlock();
  assert.equal(control.claimArrived(2, 0), NOTHING_DUE);
  control.setArrived(3);
  assert.deepEqual([control.claimArrived(2, 0), control.claimArrived(2, 0)], [0, 1]);
  assert.equal(control.claimArrived(2, 0), NOTHING_DUE);
  control.release("succeeded", 0);
  assert.equal(control.claimArrived(2, 0), 2);
  control.release("succeeded", 0);
  assert.equal(control.claimArrived(2, 0), NOTHING_DUE);
  assert.equal(control.inFlight, 1, "a place that was entered for nothing is given back");
});

Deno.test("ControlBlock does not take back what has arrived", () => {
  const control = new ControlBlock();
  control.setArrived(3);
  // Who is late says so of an earlier one.
  control.setArrived(2);
  assert.equal(control.arrived, 3);
  let steps = 0;
  using _ = interleaveAtomics(() => {
    if (++steps === 2) control.setArrived(5);
  });
  control.setArrived(4);
  assert.equal(control.arrived, 5);
});

Deno.test("ControlBlock has a worker told once until it looks, and each phase anew", () => {
  const control = new ControlBlock();
  assert.deepEqual([control.tell(1), control.tell(1), control.tell(2)], [true, false, true]);
  control.hear(1);
  assert.deepEqual([control.tell(1), control.tell(2)], [true, false]);
  control.beginPhase();
  assert.deepEqual([control.tell(1), control.tell(2)], [true, true]);
});

Deno.test("ControlBlock leaves no slot free that an arrival waits for, whatever happens meanwhile", () => {
  const PLACES = 24;
  for (let first = 0; first < PLACES; first++) {
    for (let second = first; second < PLACES; second++) {
      const control = new ControlBlock();
      control.setArrived(1);
      let place = 0;
      {
        using _ = interleaveAtomics(() => {
          const at = place++;
          if (at === first) control.claimArrived(2, 1);
          if (at === second) {
            control.setArrived(2);
            control.claimArrived(2, 2);
          }
        });
        control.claimArrived(2, 0);
      }
      const { arrived, claimed, inFlight } = control;
      const message = `others come at looks ${first} and ${second}`;
      assert.equal(claimed, arrived, message);
      assert.equal(inFlight, claimed, message);
    }
  }
});

Deno.test("ControlBlock numbers the requests of sessions apart, and counts those in flight", () => {
  const control = new ControlBlock();
  control.beginPhase(true);
  assert.equal(control.claim(9, 0), 0);
  assert.equal(control.requestsInFlight, 0);
  assert.deepEqual([control.claimTurn(3, 0), control.claimTurn(3, 0)], [0, 1]);
  assert.deepEqual([control.inFlight, control.requestsInFlight], [1, 2]);
  control.count("succeeded", 0);
  assert.deepEqual([control.inFlight, control.requestsInFlight, control.succeeded], [1, 1, 1]);
  assert.deepEqual([control.claimTurn(3, 0), control.claimTurn(3, 0)], [2, NOTHING_DUE]);
  assert.deepEqual([control.claimed, control.requested, control.requestsInFlight], [1, 3, 2]);
  control.count("failed", 0);
  control.release("succeeded", 0);
  assert.deepEqual([control.inFlight, control.requestsInFlight], [0, 0]);
  control.beginPhase();
  assert.equal(control.claim(9, 0), 0);
  assert.equal(control.requested, 1, "sessions of one request have its number");
  assert.deepEqual([control.requestsInFlight, control.requestsInFlightOf(0)], [1, 1]);
});

Deno.test("ControlBlock counts of a dead worker only the requests that were in flight", () => {
  const control = new ControlBlock();
  control.beginPhase(true);
  for (let session = 0; session < 3; session++) {
    control.claim(9, 1);
    control.claimTurn(9, 1);
  }
  control.claimTurn(9, 1);
  control.claimTurn(9, 2);
  control.count("succeeded", 1);
  control.loseWorker(1);
  assert.deepEqual([control.failed, control.inFlight, control.requestsInFlight], [3, 0, 1]);
});

Deno.test("ControlBlock gives nothing out after the stop, until the next phase", () => {
  const control = new ControlBlock();
  control.setArrived(5);
  control.stop();
  assert.equal(control.claim(5, 0), NOTHING_DUE);
  assert.equal(control.claimArrived(5, 0), NOTHING_DUE);
  control.beginPhase();
  assert.equal(control.claim(5, 0), 0);
});

Deno.test("ControlBlock counts what a dead worker had in flight as failed", () => {
  const control = new ControlBlock();
  control.claim(9, 0);
  control.claim(9, 1);
  control.claim(9, 1);
  control.release("succeeded", 1);
  control.loseWorker(1);
  assert.deepEqual([control.inFlight, control.failed, control.succeeded], [1, 1, 1]);
});

Deno.test("ControlBlock gives requests once each to three threads that race for them", async () => {
  const LIMIT = 300_000;
  const control = new ControlBlock();
  const source = `
    import { ControlBlock } from "${new URL(
    "../../../src/load/worker/control_block.ts",
    import.meta.url,
  )}";
    self.onmessage = ({ data: [buffer, worker, limit] }) => {
      const control = new ControlBlock(buffer);
      let count = 0, sum = 0;
      for (let index = control.claim(limit, worker); index >= 0; index = control.claim(limit, worker)) {
        count++;
        sum += index;
        control.release("succeeded", worker);
      }
      self.postMessage([count, sum]);
    };`;
  const url = `data:application/javascript,${encodeURIComponent(source)}`;
  const results = await Promise.all([0, 1, 2].map((worker) => {
    const thread = new Worker(url, { type: "module" });
    return new Promise<[number, number]>((resolve) => {
      thread.onmessage = ({ data }) => {
        thread.terminate();
        resolve(data);
      };
      thread.postMessage([control.buffer, worker, LIMIT]);
    });
  }));
  assert.equal(results.reduce((total, [count]) => total + count, 0), LIMIT);
  assert.equal(results.reduce((total, [, sum]) => total + sum, 0), LIMIT * (LIMIT - 1) / 2);
  assert.deepEqual([control.claimed, control.inFlight, control.succeeded], [LIMIT, 0, LIMIT]);
});
