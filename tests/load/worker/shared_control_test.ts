/** Several threads that share one control block, in any order that their steps may take. */

import assert from "node:assert/strict";
import fc from "fast-check";
import type { ErrorKind } from "../../../src/client/record/error_kind.ts";
import type { PhasePlan } from "../../../src/config/plan/run_plan.ts";
import type { Timers } from "../../../src/core/thread/timers.ts";
import { ControlBlock } from "../../../src/load/worker/control_block.ts";
import { FakeTime, microtasks } from "../../support/fake_time.ts";
import { interleaveAtomics } from "../../support/interleaved_atomics.ts";
import { closedPhase, openPhase } from "../../support/load_phases.ts";
import { ScriptedSender } from "../../support/scripted_sender.ts";

/** How a request may end; most do well. */
const ENDS: readonly (ErrorKind | undefined)[] = [undefined, undefined, "connect", "http_status"];

/** A load worker's thread: its loop, and the pacer's messages that have not reached it. */
class Thread {
  readonly sender: ScriptedSender;
  /** Its own view of the shared memory. */
  readonly control: ControlBlock;
  messages = 0;
  isAlive = true;

  constructor(
    plan: PhasePlan,
    shared: ControlBlock,
    time: FakeTime,
    worker: number,
    workers: number,
    slots: number,
  ) {
    this.control = new ControlBlock(shared.buffer);
    const timers: Timers = {
      once: (delayMs, call) => time.once(delayMs, () => this.isAlive && call()),
      every: (intervalMs, call) => time.every(intervalMs, call),
    };
    this.sender = new ScriptedSender({
      plan,
      control: this.control,
      time,
      timers,
      worker,
      workers,
      slots,
    });
  }

  /** Does one of the things that may come next. */
  step(choice: number): void {
    const { sender } = this;
    const [index] = sender.underWay.slice(choice % 3);
    if (choice % 5 === 0) sender.loop.onTick();
    else if (this.messages > 0 && choice % 2 === 0) {
      this.messages--;
      sender.loop.onArrival();
    } else if (index !== undefined) {
      if (choice % 7 === 0) sender.write(index);
      else sender.end(index, ENDS[choice % ENDS.length]);
    }
  }
}

/** Threads at work on one phase, led by a list of choices. */
class Run {
  readonly control = new ControlBlock();
  readonly time = new FakeTime();
  readonly threads: readonly Thread[];
  /** Most sessions that were under way at one time. */
  mostUnderWay = 0;
  /** Those that are in the middle of a step; the pacer goes by this run. */
  readonly #busy = new Set<Thread | Run>();
  readonly #choices: readonly number[];
  #next = 0;
  readonly #arrivals: number;
  #arrived = 0;

  /** @param arrivals sessions that the pacer has arrive, on a thread of its own */
  constructor(plan: PhasePlan, threads: number, choices: readonly number[], arrivals = 0) {
    const { control, time } = this;
    const users = plan.load.loop === "closed" ? plan.load.concurrency : 0;
    this.threads = Array.from(
      { length: threads },
      (_, worker) =>
        new Thread(
          ...[plan, control, time, worker, threads] as const,
          Math.max(0, Math.ceil((users - worker) / threads)),
        ),
    );
    this.#choices = choices;
    this.#arrivals = arrivals;
  }

  get living(): readonly Thread[] {
    return this.threads.filter(({ isAlive }) => isAlive);
  }

  get underWay(): number {
    return this.living.reduce((sum, { sender }) => sum + sender.underWay.length, 0);
  }

  /** Begins the phase on all threads, and has all users of a closed loop admitted. */
  async begin(): Promise<void> {
    for (const { sender } of this.threads) sender.loop.begin();
    await this.time.pass(100);
    for (const { sender } of this.threads) {
      for (let [index] = sender.unwritten; index !== undefined; [index] = sender.unwritten) {
        sender.write(index);
      }
    }
  }

  /**
   * Has all threads do what the choices say, also in the middle of each other's steps.
   * @param check called when no thread is in the middle of a step
   */
  async play(check: () => void): Promise<void> {
    using _ = interleaveAtomics(() => this.#intrude());
    while (this.#next < this.#choices.length) {
      const choice = this.#choice();
      if (choice % 11 === 0) await this.time.pass(40);
      this.#step(choice);
      check();
      await microtasks();
    }
  }

  /** Lets the rest of the phase take its course, until every loop is done. */
  async finish(): Promise<void> {
    while (this.#arrived <= this.#arrivals) this.#pace();
    for (let round = 0; this.living.some(({ sender }) => sender.timesDone === 0); round++) {
      assert.ok(round < 1000, "the phase does not end");
      for (const { sender } of this.living) sender.endAll();
      for (const { sender } of this.living) sender.loop.onTick();
      await this.time.pass(100);
    }
  }

  lose(worker: number): void {
    const thread = this.threads[worker] as Thread;
    thread.isAlive = false;
    this.control.loseWorker(worker);
  }

  #choice(): number {
    return this.#choices[this.#next++] ?? 0;
  }

  /** One step of a thread that is not in the middle of one. */
  #step(choice: number): void {
    const idle = [...this.living, this].filter((thread) => !this.#busy.has(thread));
    const thread = idle[choice % idle.length];
    if (thread === undefined) return;
    this.#busy.add(thread);
    if (thread instanceof Thread) thread.step(choice >> 3);
    else this.#pace();
    this.#busy.delete(thread);
    this.mostUnderWay = Math.max(this.mostUnderWay, this.underWay);
  }

  /** The pacer's next step. */
  #pace(): void {
    if (this.#arrived > this.#arrivals) return;
    const isEnd = this.#arrived++ === this.#arrivals;
    if (isEnd) this.control.endArrivals();
    else this.control.setArrived(this.#arrived);
    this.threads.forEach((thread, worker) => {
      if (isEnd || worker === this.#arrived % this.threads.length) thread.messages++;
    });
  }

  /** Another thread may do something while one is in the middle of a step. */
  #intrude(): void {
    if (this.#busy.size === 0) return;
    const choice = this.#choice();
    if (choice % 4 === 1) this.#step(choice >> 2);
  }
}

const THREADS = fc.integer({ min: 1, max: 3 });
const CHOICES = fc.array(fc.nat({ max: 0xffff }), { minLength: 30, maxLength: 400 });
/** After how many choices something happens to the run; often never. */
const MOMENT = fc.option(fc.integer({ min: 1, max: 40 }), { nil: Infinity });

function assertWhole(run: Run, count: number): void {
  const { control, threads } = run;
  const indexes = threads.flatMap(({ sender }) => sender.indexes).sort((a, b) => a - b);
  assert.deepEqual(indexes, Array.from({ length: count }, (_, index) => index), "each once");
  assert.equal(control.claimed, count);
  assert.equal(control.succeeded + control.failed, count);
  assert.equal(control.inFlight, 0);
  for (const { sender, isAlive } of threads) {
    if (isAlive) assert.equal(sender.timesDone, 1);
    const own = sender.indexes;
    assert.deepEqual(own, own.toSorted((a, b) => a - b), "no thread goes back");
  }
}

Deno.test("closed loops on several threads keep every user busy, and send each request once", async () => {
  const property = fc.asyncProperty(
    THREADS,
    fc.integer({ min: 1, max: 12 }),
    fc.integer({ min: 0, max: 120 }),
    CHOICES,
    MOMENT,
    async (threads, users, limit, choices, stopAfter) => {
      const run = new Run(closedPhase(users, { requestCount: limit }), threads, choices);
      const { control } = run;
      await run.begin();
      assert.equal(run.underWay, Math.min(users, limit));
      let checks = 0;
      await run.play(() => {
        if (++checks === stopAfter) {
          control.stop();
          for (const { sender } of run.threads) sender.loop.onStop();
        }
        assert.equal(control.inFlight, run.underWay);
        assert.ok(run.underWay <= users);
        if (control.stopped || control.claimed >= limit) return;
        assert.equal(run.underWay + run.time.pending, users, "nobody idles who is not away");
      });
      await run.finish();
      assert.ok(run.mostUnderWay <= users);
      assertWhole(run, control.stopped ? control.claimed : limit);
    },
  );
  await fc.assert(property, { numRuns: 300 });
});

Deno.test("open loops on several threads keep the cap, leave no slot free, and drop nothing", async () => {
  const property = fc.asyncProperty(
    THREADS,
    fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constant(Infinity)),
    fc.integer({ min: 0, max: 60 }),
    CHOICES,
    async (threads, cap, arrivals, choices) => {
      const plan = openPhase({ concurrency: cap }, { requestCount: arrivals });
      const run = new Run(plan, threads, choices, arrivals);
      const { control } = run;
      await run.begin();
      await run.play(() => {
        assert.equal(control.inFlight, run.underWay);
        if (run.threads.some(({ messages }) => messages > 0)) return;
        const free = cap - control.inFlight;
        assert.ok(control.claimed === control.arrived || free === 0, "what waits finds a slot");
      });
      await run.finish();
      assert.ok(run.mostUnderWay <= cap);
      assertWhole(run, arrivals);
    },
  );
  await fc.assert(property, { numRuns: 300 });
});

Deno.test("loops on several threads count everything once when one of them dies", async () => {
  const property = fc.asyncProperty(
    fc.integer({ min: 2, max: 3 }),
    fc.integer({ min: 2, max: 6 }),
    fc.boolean(),
    CHOICES,
    fc.integer({ min: 1, max: 30 }),
    async (threads, users, isOpen, choices, dieAfter) => {
      const count = 40;
      const plan = isOpen
        ? openPhase({ concurrency: users }, { requestCount: count })
        : closedPhase(users, { requestCount: count });
      const run = new Run(plan, threads, choices, isOpen ? count : 0);
      await run.begin();
      let checks = 0;
      await run.play(() => {
        if (++checks === dieAfter) run.lose(0);
      });
      await run.finish();
      assertWhole(run, count);
    },
  );
  await fc.assert(property, { numRuns: 200 });
});
