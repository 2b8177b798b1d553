import assert from "node:assert/strict";
import fc from "fast-check";
import type { RampPlan } from "../../../src/config/plan/run_plan.ts";
import { LimitedGate } from "../../../src/load/worker/prefill_gate.ts";
import { SharedGate } from "../../../src/load/worker/shared_gate.ts";
import { limitCurve } from "../../../src/load/workload/limit_curve.ts";
import { FakeTime } from "../../support/fake_time.ts";

/** Gates of several threads; what one says to another arrives when a test says so. */
class Gates {
  readonly time = new FakeTime();
  readonly shared = new SharedGate(new Int32Array(new SharedArrayBuffer(SharedGate.CELLS * 4)));
  readonly gates: readonly LimitedGate[];
  /** Threads that were woken and did not look yet. */
  readonly woken = new Set<number>();
  /** Who is inside, by thread; in the order of entering. */
  readonly inside: number[] = [];
  readonly entered: number[] = [];
  waiting = 0;
  #next = 0;

  constructor(threads: number, limit: number, ramp?: RampPlan) {
    this.gates = Array.from({ length: threads }, (_, worker) =>
      new LimitedGate({
        worker,
        shared: this.shared,
        limit: limitCurve(limit, ramp),
        startNs: 0,
        clock: this.time,
        timers: this.time,
        wake: (other) => this.woken.add(other),
      }));
  }

  come(thread: number): void {
    const gate = this.gates[thread] as LimitedGate;
    const number = this.#next++;
    const enter = (): void => {
      this.inside.push(thread);
      this.entered.push(number);
    };
    if (gate.enter()) return enter();
    this.waiting++;
    gate.wait(() => {
      this.waiting--;
      enter();
    });
  }

  leave(place: number): void {
    const [thread] = this.inside.splice(place % this.inside.length, 1);
    if (thread !== undefined) this.gates[thread]?.leave();
  }

  deliver(): void {
    for (const worker of [...this.woken]) {
      this.woken.delete(worker);
      this.gates[worker]?.look();
    }
  }
}

Deno.test("gates of several threads never let in more than the limit, in the order of coming, and leave no room while one waits", () => {
  const property = fc.property(
    fc.integer({ min: 1, max: 4 }),
    fc.integer({ min: 1, max: 5 }),
    fc.array(fc.nat({ max: 9999 }), { minLength: 10, maxLength: 300 }),
    (threads, limit, choices) => {
      const gates = new Gates(threads, limit);
      for (const choice of choices) {
        if (choice % 3 === 0) gates.leave(choice >> 4);
        else if (choice % 3 === 1) gates.come((choice >> 4) % threads);
        else gates.deliver();
        assert.equal(gates.shared.inside, gates.inside.length);
        assert.ok(gates.inside.length <= limit);
        // Whoever may come in has been told, if it is on another thread.
        if (gates.woken.size > 0) continue;
        assert.ok(gates.waiting === 0 || gates.inside.length === limit, "no room while one waits");
      }
      assert.deepEqual(gates.entered, gates.entered.toSorted((a, b) => a - b));
    },
  );
  fc.assert(property, { numRuns: 500 });
});

Deno.test("LimitedGate lets in those who wait when the limit grows", async () => {
  const gates = new Gates(1, 3, { shape: "linear", durationNs: 2e9, steps: 1 });
  for (let i = 0; i < 4; i++) gates.come(0);
  const inside: number[] = [];
  for (let second = 0; second < 4; second++) {
    inside.push(gates.inside.length);
    await gates.time.pass(1000);
  }
  assert.deepEqual([inside, gates.waiting], [[1, 2, 3, 3], 1]);
});

Deno.test("SharedGate gives back the room of a thread that died", () => {
  const gates = new Gates(2, 1);
  gates.come(0);
  gates.come(1);
  assert.equal(gates.waiting, 1);
  gates.shared.lose(0);
  gates.gates[1]?.look();
  assert.deepEqual([gates.entered, gates.shared.inside], [[0, 1], 1]);
});

Deno.test("LimitedGate forgets who waits when it closes, and lets nobody in", () => {
  const gates = new Gates(2, 1);
  for (const thread of [0, 0, 1]) gates.come(thread);
  gates.gates[0]?.close();
  gates.leave(0);
  gates.deliver();
  assert.deepEqual(gates.entered, [0, 2]);
  assert.equal(gates.gates[0]?.enter(), false);
});

Deno.test("LimitedGate is left at once by any number of those who waited", () => {
  const gates = new Gates(1, 1);
  const [gate] = gates.gates as readonly [LimitedGate];
  assert.ok(gate.enter());
  let entered = 0;
  for (let i = 0; i < 50_000; i++) {
    gate.wait(() => {
      entered++;
      gate.leave();
    });
  }
  gate.leave();
  assert.deepEqual([entered, gates.shared.inside], [50_000, 0]);
});
