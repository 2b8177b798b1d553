/** The threads of a pool do what the test says, and time passes when the test says so. */

import assert from "node:assert/strict";
import type { ProfileOptions } from "../../../src/config/options/profile/profile_types.ts";
import { resolvePlan } from "../../../src/config/plan/resolve/resolve_plan.ts";
import type { PhasePlan } from "../../../src/config/plan/run_plan.ts";
import { MainClock } from "../../../src/core/thread/run_clock.ts";
import { PayloadTableBuilder } from "../../../src/load/dataset/payloads/payload_table_builder.ts";
import { ControlBlock } from "../../../src/load/worker/control_block.ts";
import type { PoolCanaries } from "../../../src/run/runner/canary_client.ts";
import { LoadPool, type PhaseOutcome } from "../../../src/run/runner/load_pool.ts";
import { FakeTime } from "../../support/fake_time.ts";
import { closedPhase, openPhase } from "../../support/load_phases.ts";
import type { ThreadOrder, ThreadWord } from "../../support/scripted_load_thread.ts";
import { until } from "../../support/until.ts";

type Of<T extends ThreadWord["type"]> = Extract<ThreadWord, { type: T }>;

/** The test's end of a thread. */
class ThreadEnd {
  readonly #port: MessagePort;
  readonly #heard: ThreadWord[] = [];
  #waiting: ((word: ThreadWord) => void) | undefined;

  constructor(port: MessagePort) {
    this.#port = port;
    port.onmessage = ({ data }: MessageEvent<ThreadWord>) => {
      const waiting = this.#waiting;
      this.#waiting = undefined;
      if (waiting === undefined) this.#heard.push(data);
      else waiting(data);
    };
  }

  order(order: ThreadOrder): void {
    this.#port.postMessage(order);
  }

  /** The next word that the thread passes on, which is of that type. */
  async next<T extends ThreadWord["type"]>(type: T): Promise<Of<T>> {
    const word = this.#heard.shift() ??
      await new Promise<ThreadWord>((resolve) => this.#waiting = resolve);
    assert.equal(word.type, type);
    return word as Of<T>;
  }

  /** Checks that the thread has heard nothing else. */
  async hearsNothing(): Promise<void> {
    this.order("echo");
    await this.next("echo");
  }

  close(): void {
    this.#port.close();
  }
}

/** A pool whose threads have their orders. */
interface Bench {
  readonly pool: LoadPool;
  readonly control: ControlBlock;
  readonly time: FakeTime;
  readonly threads: readonly ThreadEnd[];
  readonly lost: readonly (readonly [worker: number, reason: string])[];
  /** Begins a phase of which every thread has heard. */
  begin(plan: PhasePlan, interrupt?: AbortSignal): Promise<Phase>;
}

interface Phase {
  readonly outcome: Promise<PhaseOutcome>;
  readonly isOver: boolean;
}

async function withPool(
  options: ProfileOptions,
  test: (bench: Bench) => Promise<void>,
  canariesOf?: (time: FakeTime) => PoolCanaries,
): Promise<void> {
  const plan = await resolvePlan({
    ...{ url: ["http://127.0.0.1:1"], model: "m", workers: 2, noServerMetrics: true },
    ...options,
  }, { cores: 2, cliCommand: "test", findModel: () => Promise.resolve("m") });
  const time = new FakeTime();
  const control = new ControlBlock();
  const lost: [number, string][] = [];
  const real = new MainClock();
  const clock = {
    nowNs: () => time.nowNs(),
    handshake: (cells: Parameters<MainClock["handshake"]>[0]) => real.handshake(cells),
  };
  const module = new URL("../../support/scripted_load_thread.ts", import.meta.url);
  const modules = { loadWorker: module, pacer: module };
  const onLost = (worker: number, reason: string) => lost.push([worker, reason]);
  const pool = new LoadPool(plan, control, clock, modules, onLost, canariesOf?.(time), time);
  const channels = Array.from({ length: plan.workers }, () => new MessageChannel());
  const threads = channels.map(({ port2 }) => new ThreadEnd(port2));
  const payloads = new PayloadTableBuilder().finish(0).data;
  try {
    await pool.init(payloads, channels.map(({ port1 }) => port1));
    await test({
      ...{ pool, control, time, threads, lost },
      async begin(plan, interrupt = new AbortController().signal) {
        const phase = { outcome: pool.runPhase(plan, interrupt), isOver: false };
        phase.outcome.then(() => phase.isOver = true);
        for (const [worker, thread] of threads.entries()) {
          if (!pool.lost.includes(worker)) await thread.next("phase");
        }
        return phase;
      },
    });
  } finally {
    pool.close();
    for (const thread of threads) thread.close();
  }
}

Deno.test("LoadPool deals the users out and ends a phase when every worker is done", () =>
  withPool({ workers: 3 }, async ({ pool, time, threads }) => {
    await time.pass(7);
    const plan = closedPhase(7);
    const outcome = pool.runPhase(plan, new AbortController().signal);
    let isOver = false;
    outcome.then(() => isOver = true);
    const slots: number[] = [];
    for (const thread of threads) {
      const { phase } = await thread.next("phase");
      assert.deepEqual([phase.plan, phase.startNs], [plan, 7e6]);
      assert.ok(Number.isFinite(phase.clockOffsetMs));
      slots.push(phase.slots);
    }
    assert.deepEqual(slots, [3, 2, 2]);
    await time.pass(5);
    for (const worker of [2, 0]) {
      threads[worker]?.order("finish");
      await threads[worker]?.hearsNothing();
    }
    assert.equal(isOver, false, "one is not done");
    threads[1]?.order("finish");
    const { startNs, endNs, loopLagMs } = await outcome;
    assert.deepEqual([startNs, endNs], [7e6, 12e6]);
    assert.deepEqual(loopLagMs.map(([lag]) => lag), [0, 1, 2], "in the order of the workers");
    assert.equal(time.pending, 0);
  }));

Deno.test("LoadPool stops a phase after its duration, and cuts off what outlasts the grace", () =>
  withPool({}, async ({ control, time, threads, begin }) => {
    const phase = await begin(closedPhase(2, { durationNs: 5e9, graceNs: 1.5e9 }));
    for (let second = 0; second < 4; second++) await time.pass(1000);
    await time.pass(999);
    assert.equal(control.stopped, false);
    await time.pass(1);
    assert.equal(control.stopped, true);
    for (const thread of threads) await thread.next("stop");
    await time.pass(1499);
    for (const thread of threads) await thread.hearsNothing();
    await time.pass(1);
    for (const thread of threads) {
      assert.equal((await thread.next("cancel")).reason, "cut_off");
      thread.order("finish");
    }
    assert.equal((await phase.outcome).endNs, 6.5e9);
    assert.equal(time.pending, 0);
  }));

Deno.test("LoadPool waits for replies where the grace has no end", () =>
  withPool({}, async ({ time, threads, begin }) => {
    const phase = await begin(closedPhase(2, { durationNs: 1e9 }));
    await time.pass(1000);
    for (const thread of threads) await thread.next("stop");
    await time.pass(20_000);
    for (const thread of threads) {
      await thread.hearsNothing();
      thread.order("finish");
    }
    await phase.outcome;
  }));

Deno.test("LoadPool gives running requests two seconds after an interrupt", () =>
  withPool({}, async ({ control, time, threads, begin }) => {
    const interrupt = new AbortController();
    const phase = await begin(closedPhase(2), interrupt.signal);
    assert.equal(control.stopped, false);
    interrupt.abort();
    assert.equal(control.stopped, true);
    for (const thread of threads) await thread.next("stop");
    await time.pass(1999);
    for (const thread of threads) await thread.hearsNothing();
    await time.pass(1);
    for (const thread of threads) {
      assert.equal((await thread.next("cancel")).reason, "interrupted");
      thread.order("finish");
    }
    await phase.outcome;
    assert.equal(time.pending, 0);
  }));

Deno.test("LoadPool ends a phase that is not worth going on with, and says why", () =>
  withPool({}, async ({ control, time, threads, begin }) => {
    const phase = await begin(closedPhase(2));
    threads[1]?.order("giveUp");
    for (const thread of threads) await thread.next("stop");
    assert.equal(control.stopped, true);
    await time.pass(1999);
    for (const thread of threads) await thread.hearsNothing();
    await time.pass(1);
    for (const thread of threads) {
      assert.equal((await thread.next("cancel")).reason, "given_up");
      thread.order("finish");
    }
    assert.deepEqual((await phase.outcome).givenUp, {
      ...{ reason: "error_rate", text: "worker 1 said so" },
    });
    assert.equal(time.pending, 0);
    const next = await begin(closedPhase(2));
    for (const thread of threads) thread.order("finish");
    assert.equal((await next.outcome).givenUp, undefined);
  }));

Deno.test("LoadPool finds the times at which all threads stood still", () =>
  withPool({}, async ({ time, threads, begin }) => {
    await time.pass(1000);
    const phase = await begin(closedPhase(2));
    await time.pass(500);
    time.sleep(5000);
    await time.pass(500);
    // The threads say that they stood still from 1.6 to 6.5 s.
    for (const thread of threads) thread.order("finishLate");
    assert.deepEqual((await phase.outcome).stalls, [{ startNs: 1.6e9, endNs: 6.5e9 }]);
    const next = await begin(closedPhase(2));
    await time.pass(7000);
    threads[0]?.order("finish");
    threads[1]?.order("finishLate");
    assert.deepEqual((await next.outcome).stalls, [], "one of them went on");
  }));

Deno.test("LoadPool does not hold it against the workers that the whole process stood still", () =>
  withPool({ workers: 1 }, async ({ time, lost, begin }) => {
    const phase = await begin(closedPhase(1));
    await time.pass(3000);
    time.sleep(3_600_000);
    await time.pass(5000);
    assert.deepEqual(lost, []);
    for (let second = 0; second < 30; second++) await time.pass(1000);
    assert.equal(lost.length, 1, "it does not wait forever either");
    await phase.outcome;
  }));

Deno.test("LoadPool ends a phase at once that is done within the grace of an interrupt", () =>
  withPool({}, async ({ control, time, threads, begin }) => {
    const interrupt = new AbortController();
    interrupt.abort();
    const phase = await begin(closedPhase(2), interrupt.signal);
    assert.equal(control.stopped, true, "the interrupt came before the phase");
    for (const thread of threads) {
      await thread.next("stop");
      thread.order("finish");
    }
    await phase.outcome;
    assert.equal(time.pending, 0, "nothing is left to be cancelled");
  }));

Deno.test("LoadPool does not stop a phase by the interrupt of an earlier one", () =>
  withPool({}, async ({ control, threads, begin }) => {
    const interrupt = new AbortController();
    const first = await begin(closedPhase(2), interrupt.signal);
    for (const thread of threads) thread.order("finish");
    await first.outcome;
    const second = await begin(closedPhase(2));
    interrupt.abort();
    assert.equal(control.stopped, false);
    for (const thread of threads) thread.order("finish");
    await second.outcome;
  }));

Deno.test("LoadPool goes on without a worker that dies, and counts its requests as failed", () =>
  withPool({ workers: 3 }, async ({ pool, control, threads, lost, begin }) => {
    const phase = await begin(closedPhase(6));
    for (const worker of [0, 1, 1, 2]) control.claim(10, worker);
    control.release("succeeded", 1);
    threads[1]?.order("die");
    await until("the pool hears of the death", () => lost.length > 0);
    assert.equal(lost[0]?.[0], 1);
    assert.match(lost[0]?.[1] ?? "", /Broken on purpose/);
    assert.deepEqual([control.inFlight, control.succeeded, control.failed], [2, 1, 1]);
    threads[0]?.order("finish");
    await threads[0]?.hearsNothing();
    assert.equal(phase.isOver, false, "one that lives is not done");
    threads[2]?.order("finish");
    const { loopLagMs, givenUp } = await phase.outcome;
    assert.deepEqual(loopLagMs.map(([lag]) => lag), [0, 2]);
    assert.deepEqual([pool.lost, givenUp], [[1], undefined]);

    const next = await begin(closedPhase(6));
    for (const worker of [0, 2]) threads[worker]?.order("finish");
    assert.equal((await next.outcome).loopLagMs.length, 2);
    assert.equal(lost.length, 1, "it is missed once");
  }));

Deno.test("LoadPool ends a phase when its last worker dies", () =>
  withPool({ workers: 1 }, async ({ threads, begin }) => {
    const phase = await begin(closedPhase(1));
    threads[0]?.order("die");
    const { loopLagMs, givenUp } = await phase.outcome;
    assert.deepEqual(loopLagMs, []);
    assert.equal(givenUp?.reason, "internal");
    assert.match(givenUp?.text ?? "", /^every load worker died: .*Broken on purpose/);
    const next = await begin(closedPhase(1));
    assert.equal((await next.outcome).givenUp?.reason, "internal", "nothing can be sent any more");
  }));

Deno.test("LoadPool gives a worker up that shows no sign of life for thirty seconds", () =>
  withPool({ workers: 3 }, async ({ pool, control, time, threads, lost, begin }) => {
    const beatFor = async (seconds: number, workers: readonly number[]): Promise<void> => {
      for (let second = 0; second < seconds; second++) {
        for (const worker of workers) control.beat(worker);
        await time.pass(1000);
      }
    };
    await time.pass(60_000);
    const phase = await begin(closedPhase(3));
    await beatFor(30, [0, 1]);
    assert.deepEqual(lost, [], "what was before the phase does not count");
    await beatFor(1, [0, 1]);
    assert.deepEqual(lost, [[2, "It does not respond"]]);
    await beatFor(30, [0]);
    assert.deepEqual(pool.lost, [2]);
    await beatFor(1, [0]);
    assert.deepEqual(pool.lost, [2, 1]);
    await beatFor(40, [0]);
    assert.deepEqual(pool.lost, [2, 1]);
    threads[0]?.order("finish");
    assert.equal((await phase.outcome).loopLagMs.length, 1);
  }));

Deno.test("LoadPool has an open loop begin when every thread is there, workers and pacer alike", () =>
  withPool({ requestRate: 10 }, async ({ pool, time, threads }) => {
    await time.pass(3);
    const plan = openPhase({}, { requestCount: 5 });
    const outcome = pool.runPhase(plan, new AbortController().signal);
    for (const thread of threads) {
      const { phase } = await thread.next("phase");
      // All five come in its first moments, and two threads open connections for them.
      assert.deepEqual([phase.startNs, phase.slots, phase.connections], [6.5e6, 0, 3]);
      const { start } = await thread.next("paced");
      assert.deepEqual([start.plan, start.startNs], [plan, 6.5e6]);
      thread.order("finish");
    }
    await outcome;
  }));

Deno.test("LoadPool stops the load when the pacer dies, and leaves running requests alone", () =>
  withPool({ requestRate: 10 }, async ({ pool, control, threads, lost, begin }) => {
    const phase = await begin(openPhase({}, { requestCount: 0 }));
    await until("the pool hears of the death", () => lost.length > 0);
    assert.equal(lost[0]?.[0], -1);
    assert.deepEqual([control.stopped, control.arrivalsEnded, phase.isOver], [true, true, false]);
    for (const thread of threads) {
      await thread.next("stop");
      await thread.hearsNothing();
      thread.order("finish");
    }
    const { loopLagMs, givenUp } = await phase.outcome;
    assert.equal(loopLagMs.length, 2);
    assert.equal(givenUp?.reason, "internal");
    assert.match(givenUp?.text ?? "", /^the pacer thread died: /);
    assert.deepEqual(pool.lost, []);
  }));

Deno.test("LoadPool counts what was due in a phase that lasted, and not in one that was ended", () =>
  withPool({ requestRate: 10 }, async ({ pool, control, threads }) => {
    const plan = openPhase({}, { durationNs: 1e9 });
    // An arrival every 10 ms that nobody tells of, as where the process is stopped until the end.
    for (const [isEnded, arrived] of [[false, 99], [true, 0]] as const) {
      const interrupt = new AbortController();
      const outcome = pool.runPhase(plan, interrupt.signal);
      for (const thread of threads) {
        await thread.next("phase");
        await thread.next("paced");
      }
      if (isEnded) interrupt.abort();
      for (const thread of threads) {
        if (isEnded) await thread.next("stop");
        thread.order("finish");
      }
      await outcome;
      assert.equal(control.arrived, arrived);
    }
  }));

Deno.test("LoadPool has its threads connected to where canaries come from before it begins", async () => {
  const said: string[] = [];
  const canariesOf = (time: FakeTime): PoolCanaries => ({
    orders: {
      origin: { protocol: "http:", hostname: "x", port: 1, addresses: ["x"], host: "x:1" },
      ...{ transport: "socket", token: "/token", cells: new SharedArrayBuffer(0) },
    },
    init: () => Promise.resolve(void said.push("init")),
    async connected() {
      said.push("connecting");
      await time.pass(9);
      said.push("connected");
    },
    begin: (startNs) => void said.push(`begin ${startNs}`),
    end: () => void said.push("end"),
  });
  await withPool({}, async ({ begin, threads }) => {
    assert.deepEqual(said, ["init", "connecting", "connected"]);
    for (const plan of [closedPhase(1, { kind: "warmup" }), closedPhase(1)]) {
      const { outcome } = await begin(plan);
      for (const thread of threads) thread.order("finish");
      await outcome;
    }
    assert.deepEqual(said.slice(3), ["end", "begin 9000000", "end"]);
  }, canariesOf);
});
