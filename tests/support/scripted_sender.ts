import { ClosedLoop } from "../../src/load/worker/closed_loop.ts";
import type { ControlBlock } from "../../src/load/worker/control_block.ts";
import type { LoadLoop, Sender } from "../../src/load/worker/load_loop.ts";
import { OPEN_GATE, type PrefillGate } from "../../src/load/worker/prefill_gate.ts";
import { OpenLoop } from "../../src/load/worker/open_loop.ts";
import type { PhasePlan } from "../../src/config/plan/run_plan.ts";
import type { ErrorKind } from "../../src/client/record/error_kind.ts";
import type { Timers } from "../../src/core/thread/timers.ts";
import { createWorkload } from "../../src/load/workload/create_workload.ts";
import type { Session } from "../../src/load/workload/workload.ts";
import type { FakeTime } from "./fake_time.ts";
import { SOURCE } from "./load_phases.ts";

/** A session as a loop began it. */
export interface Sent {
  readonly session: Session;
  readonly intendedNs: number;
  readonly claimedNs: number;
  readonly atNs: number;
}

/** What a loop is played with. */
export interface Stage {
  readonly plan: PhasePlan;
  readonly control: ControlBlock;
  readonly time: FakeTime;
  /** Those of {@linkcode time} by default. */
  readonly timers?: Timers;
  readonly worker?: number;
  /** One by default. */
  readonly workers?: number;
  /** Without a limit by default. */
  readonly gate?: PrefillGate;
  /** Users of a closed loop on this thread; all of them by default. */
  readonly slots?: number;
  /** Those that an open loop opens beforehand; none by default. */
  readonly connections?: number;
  /** Time until the phase begins; none by default. */
  readonly leadNs?: number;
  /** Resolves when connections are opened ahead. */
  readonly prepared?: Promise<void>;
}

/** The loop of one thread, and a sender whose requests end when a test says so. */
export class ScriptedSender implements Sender {
  readonly loop: LoadLoop;
  /** Everything that was begun. */
  readonly sent: Sent[] = [];
  /** Numbers of connections that were to be opened ahead. */
  readonly preparations: number[] = [];
  /** How long each may take; undefined for the usual time. */
  readonly preparationTimesMs: (number | undefined)[] = [];
  /** How often the loop has said that it is done. */
  timesDone = 0;
  readonly #time: FakeTime;
  readonly #control: ControlBlock;
  readonly #prepared: Promise<void>;
  /** Sessions under way, and whether the request of each is written. */
  readonly #underWay = new Map<number, boolean>();

  constructor(
    {
      plan,
      control,
      time,
      timers = time,
      worker = 0,
      workers = 1,
      gate = OPEN_GATE,
      slots,
      connections = 0,
      leadNs = 0,
      prepared,
    }: Stage,
  ) {
    this.#time = time;
    this.#control = control;
    this.#prepared = prepared ?? Promise.resolve();
    const Loop = plan.load.loop === "open" ? OpenLoop : ClosedLoop;
    this.loop = new Loop({
      worker,
      phase: {
        plan,
        startNs: time.nowNs() + leadNs,
        clockOffsetMs: 0,
        slots: slots ?? plan.load.concurrency,
        connections,
        workers,
      },
      workload: createWorkload(SOURCE, plan),
      control,
      clock: time,
      timers,
      sender: this,
      gate,
      onDone: () => this.timesDone++,
    });
  }

  prepare(connections: number, timeoutMs?: number): Promise<void> {
    this.preparations.push(connections);
    this.preparationTimesMs.push(timeoutMs);
    return this.#prepared;
  }

  send(session: Session, intendedNs: number, claimedNs: number): boolean {
    this.sent.push({ session, intendedNs, claimedNs, atNs: this.#time.nowNs() });
    this.#underWay.set(session.index, false);
    return true;
  }

  /** Numbers of all sessions that were begun. */
  get indexes(): number[] {
    return this.sent.map(({ session }) => session.index);
  }

  /** Numbers of the sessions under way, the longest first. */
  get underWay(): number[] {
    return [...this.#underWay.keys()];
  }

  /** Numbers of those whose request is not written yet. */
  get unwritten(): number[] {
    return [...this.#underWay].flatMap(([index, isWritten]) => isWritten ? [] : [index]);
  }

  /** The request of a session is written. */
  write(index: number): void {
    this.#underWay.set(index, true);
    this.loop.onSent(index);
  }

  /** A session ends. It counts as written, as it does in a {@linkcode RequestSlot}. */
  end(index: number, kind?: ErrorKind): void {
    this.loop.onSent(index);
    this.#underWay.delete(index);
    const end = { kind, status: kind === undefined ? 200 : 0, message: "" };
    this.#control.presence.note(end, this.#time.nowNs());
    this.loop.onEnded(end);
  }

  /** Ends what is under way, and what begins instead, until nothing does. */
  endAll(): void {
    this.endAllBut(0);
  }

  /** The same until no more than so many are under way. */
  endAllBut(count: number): void {
    for (;;) {
      const [index] = this.underWay;
      if (index === undefined || this.underWay.length <= count) return;
      this.end(index);
    }
  }
}
