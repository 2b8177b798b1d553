import type { PayloadData } from "../../load/dataset/payloads/payload_table.ts";
import type { PayloadPage } from "../../load/dataset/payloads/payload_page.ts";
import type { ControlBlock } from "../../load/worker/control_block.ts";
import type { CancelReason, FromLoadWorker, ToLoadWorker } from "../../load/worker/messages.ts";
import { ClockCells } from "../../core/thread/clock_cells.ts";
import type { LeadingClock } from "../../core/thread/run_clock.ts";
import type { RunEnd } from "../../core/run_end/end_reason.ts";
import type { PhasePlan, RunPlan } from "../../config/plan/run_plan.ts";
import type { PoolCanaries } from "./canary_client.ts";
import { Heartbeats } from "./heartbeats.ts";
import type { LoadPoolModules } from "./load_modules.ts";
import { leadNs, PacerClient } from "./pacer_client.ts";
import { peerPorts } from "./peer_ports.ts";
import type { KeptThreads } from "./kept_threads.ts";
import { commonStalls, type Stall, StallDetector } from "../../core/thread/stall_detector.ts";
import { SYSTEM_TIMERS, type Timers } from "../../core/thread/timers.ts";
import { shareOf } from "../../config/shard/shard.ts";
import { workloadSource } from "../../load/workload/create_workload.ts";
import type { WorkloadSource } from "../../load/workload/workload.ts";
import { loadWorkerPermissions } from "../../config/sandbox/permissions.ts";
import { startThread, type Thread } from "../../config/sandbox/start_thread.ts";

/** Interval at which workers are checked for signs of life, in milliseconds. */
const BEAT_CHECK_MS = 1000;
/** Interval at which stalls of this thread are detected, in milliseconds. */
const TICK_MS = 100;
/** Grace of running requests when the run ends before its time. */
const EARLY_GRACE_MS = 2000;

/** Outcome of a phase. */
export interface PhaseOutcome {
  readonly startNs: number;
  readonly endNs: number;
  /** Samples of each worker that lived. */
  readonly loopLagMs: readonly Float64Array[];
  /** When all of the run's threads stood still. */
  readonly stalls: readonly Stall[];
  /** Why it was not worth going on; undefined if the phase ended otherwise. */
  readonly givenUp: RunEnd | undefined;
}

type PhaseDone = Extract<FromLoadWorker, { type: "phaseDone" }>;

interface Member {
  readonly thread: Thread;
  alive: boolean;
  clockOffsetMs: number;
  /** Ends the wait for this worker in the phase under way. */
  phaseDone: (done: PhaseDone) => void;
}

/** Threads that send the load of a run: the load workers, and the pacer of open loops. */
export class LoadPool {
  readonly #plan: RunPlan;
  readonly #control: ControlBlock;
  readonly #clock: LeadingClock;
  readonly #timers: Timers;
  readonly #members: Member[];
  readonly #pacer: PacerClient | undefined;
  readonly #cells = new ClockCells();
  readonly #stalls = new StallDetector(TICK_MS);
  readonly #heartbeats: Heartbeats;
  /** Whether sessions may have several requests. */
  #countsTurns = false;
  /** Hears of the phase under way that it is not worth going on. */
  #onGivenUp: (end: RunEnd) => void = () => {};
  /** Set when no thread is left that could send, which ends this phase and all later ones. */
  #broken: RunEnd | undefined;
  readonly #lost: number[] = [];
  readonly #onLost: (worker: number, reason: string) => void;
  readonly #canaries: PoolCanaries | undefined;
  readonly #threads: KeptThreads | undefined;
  /** Whether every worker has its orders, and has done all of them. */
  #isIdle = false;
  #isClosed = false;

  /**
   * Starts the threads.
   * @param onLost called when a worker dies
   * @param canaries the thread that writes canaries; undefined for none
   * @param threads where load workers come from, and are left to; undefined for new ones
   */
  constructor(
    plan: RunPlan,
    control: ControlBlock,
    clock: LeadingClock,
    modules: LoadPoolModules,
    onLost: (worker: number, reason: string) => void,
    canaries: PoolCanaries | undefined,
    timers: Timers = SYSTEM_TIMERS,
    threads?: KeptThreads,
  ) {
    this.#threads = threads;
    const start = threads?.take ?? startThread;
    this.#plan = plan;
    this.#control = control;
    this.#clock = clock;
    this.#onLost = onLost;
    this.#timers = timers;
    this.#canaries = canaries;
    const permissions = loadWorkerPermissions(plan.targets, canaries?.orders.origin.host);
    this.#members = Array.from({ length: plan.workers }, (_, index) => ({
      thread: start(modules.loadWorker, permissions, (reason) => this.#lose(index, reason)),
      alive: true,
      clockOffsetMs: 0,
      phaseDone: () => {},
    }));
    const onSilent = (worker: number) => this.#lose(worker, "It does not respond");
    this.#heartbeats = new Heartbeats(control, () => clock.nowNs(), plan.workers, onSilent);
    for (const { thread } of this.#members) {
      thread.worker.postMessage({ type: "rehearse", plan } satisfies ToLoadWorker);
    }
    this.#pacer = PacerClient.start(plan, control, modules.pacer, (reason) => {
      // Without arrivals nothing is left to send; what runs may end.
      this.#broken = { reason: "internal", text: `the pacer thread died: ${reason}` };
      this.#stop();
      control.endArrivals();
      onLost(-1, reason);
    });
  }

  /** Workers that died, in that order. */
  get lost(): readonly number[] {
    return this.#lost;
  }

  /**
   * Gives the workers their orders and sets their clocks.
   * @param records a port for each worker's records
   * @param paged how a file is sent that is read meanwhile
   */
  async init(
    payloads: PayloadData,
    records: readonly MessagePort[],
    paged: Pick<WorkloadSource, "pages" | "scheduleZeroNs"> = {},
  ): Promise<void> {
    await Promise.all([...this.#members.map(({ thread }) => thread.ready), this.#pacer?.ready]);
    await this.#canaries?.init(this.#clock);
    // The handshake blocks this thread; other messages that are on their way go first.
    await new Promise((resolve) => setTimeout(resolve, 0));
    const channels = this.#pacer === undefined ? [] : this.#members.map(() => new MessageChannel());
    const workload = { ...paged, ...workloadSource(this.#plan, payloads) };
    this.#countsTurns = payloads.conversations !== undefined;
    // Where requests of one wait for those of another.
    const peers = this.#plan.phases.some(({ prefill }) => prefill !== undefined)
      ? peerPorts(this.#members.length)
      : [];
    this.#members.forEach((member, index) => {
      const results = records[index] as MessagePort;
      const ticks = channels[index]?.port1;
      const message: ToLoadWorker = {
        type: "init",
        worker: index,
        plan: this.#plan,
        payloads,
        workload,
        control: this.#control.buffer,
        clock: this.#cells.buffer,
        results,
        ticks,
        peers: peers[index] ?? [],
        canaries: this.#canaries?.orders,
      };
      const ports = [ticks, ...message.peers].filter((port) => port !== undefined);
      member.thread.worker.postMessage(message, [results, ...ports]);
      member.clockOffsetMs = this.#clock.handshake(this.#cells);
      member.thread.worker.onmessage = (event: MessageEvent<FromLoadWorker>) => {
        if (event.data.type === "phaseDone") member.phaseDone(event.data);
        else if (event.data.type === "givenUp") this.#onGivenUp(event.data.end);
      };
    });
    const ticks = channels.map(({ port2 }) => port2);
    this.#pacer?.init(workload, ticks, this.#clock, this.#cells);
    await this.#canaries?.connected(this.#timers);
    this.#isIdle = true;
  }

  /**
   * Runs a phase until every request of it has ended.
   * @param onBegin called with its start on the run's clock
   * @param agreedNs when it is to begin; undefined for at once
   */
  async runPhase(
    plan: PhasePlan,
    interrupt: AbortSignal,
    onBegin?: (startNs: number) => void,
    agreedNs?: number,
  ): Promise<PhaseOutcome> {
    const control = this.#control;
    control.beginPhase(this.#countsTurns);
    this.#isIdle = false;
    this.#stalls.begin(this.#clock.nowNs());
    const connections = this.#pacer?.connectionsAhead(plan) ?? 0;
    const startNs = agreedNs ?? this.#clock.nowNs() + leadNs(plan, connections);
    onBegin?.(startNs);
    if (plan.kind === "profiling" && !plan.isPriming) this.#canaries?.begin(startNs);
    const done = this.#members.map((member, index) =>
      new Promise<PhaseDone | undefined>((resolve) => {
        member.phaseDone = resolve;
        if (!member.alive) resolve(undefined);
        else this.#begin(member, index, plan, startNs, connections);
      })
    );
    this.#pacer?.begin(plan, startNs);
    const timers = [
      ...this.#scheduleEnd(plan, agreedNs === undefined ? 0 : startNs - this.#clock.nowNs()),
      this.#timers.every(BEAT_CHECK_MS, () => this.#heartbeats.look()),
      this.#timers.every(TICK_MS, () => this.#tick()),
    ];
    const endEarly = (reason: CancelReason) => {
      this.#stop();
      timers.push(this.#timers.once(EARLY_GRACE_MS, () => this.#cancel(reason)));
    };
    const onInterrupt = () => endEarly("interrupted");
    let givenUp: RunEnd | undefined;
    this.#onGivenUp = (end) => {
      if (givenUp !== undefined) return;
      givenUp = end;
      endEarly("given_up");
    };
    if (interrupt.aborted) onInterrupt();
    else interrupt.addEventListener("abort", onInterrupt, { once: true });
    const ends = (await Promise.all(done)).filter((end) => end !== undefined);
    this.#canaries?.end();
    this.#isIdle = true;
    for (const callOff of timers) callOff();
    interrupt.removeEventListener("abort", onInterrupt);
    this.#onGivenUp = () => {};
    givenUp ??= this.#broken;
    if (!interrupt.aborted && givenUp === undefined) this.#pacer?.countArrivals(plan);
    const endNs = this.#clock.nowNs();
    const ownStalls = this.#stalls.end(endNs);
    return {
      startNs,
      endNs,
      loopLagMs: ends.map(({ loopLagMs }) => loopLagMs),
      stalls: commonStalls([ownStalls, ...ends.map(({ stalls }) => stalls)]),
      givenUp,
    };
  }

  /** Hands the next conversations of a file to the workers. */
  addPage(page: PayloadPage): void {
    this.#tell({ type: "page", page });
  }

  /** Ends the phase under way early: it is not worth going on. */
  giveUp(end: RunEnd): void {
    this.#onGivenUp(end);
  }

  /** Ends all threads, or leaves the load workers to the next run. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#pacer?.close();
    for (const { thread, alive } of this.#members) {
      if (!alive || !this.#isIdle || this.#threads === undefined) {
        thread.worker.terminate();
        continue;
      }
      thread.worker.onmessage = null;
      thread.worker.postMessage({ type: "rest" } satisfies ToLoadWorker);
      this.#threads.keep(thread);
    }
  }

  #begin(
    member: Member,
    index: number,
    plan: PhasePlan,
    startNs: number,
    connections: number,
  ): void {
    const { load } = plan;
    const workers = this.#members.length;
    const concurrency = load.loop === "closed" ? shareOf(load.concurrency, this.#plan.shard) : 0;
    const message: ToLoadWorker = {
      type: "phase",
      phase: {
        plan,
        startNs,
        clockOffsetMs: member.clockOffsetMs,
        slots: Math.floor(concurrency / workers) + (index < concurrency % workers ? 1 : 0),
        connections: Math.ceil(connections / workers),
        workers,
      },
    };
    this.#heartbeats.begin(index);
    member.thread.worker.postMessage(message);
  }

  /** @param leadNs from now to the start */
  #scheduleEnd({ durationNs, graceNs }: PhasePlan, leadNs: number): (() => void)[] {
    const timers: (() => void)[] = [];
    if (durationNs === Infinity) return timers;
    timers.push(this.#timers.once(timerMs(leadNs + durationNs), () => this.#stop()));
    if (graceNs < Infinity) {
      timers.push(
        this.#timers.once(timerMs(leadNs + durationNs + graceNs), () => this.#cancel("cut_off")),
      );
    }
    return timers;
  }

  #stop(): void {
    this.#control.stop();
    this.#tell({ type: "stop" });
  }

  #cancel(reason: CancelReason): void {
    this.#control.stop();
    this.#tell({ type: "cancel", reason });
  }

  #tell(message: ToLoadWorker): void {
    for (const { thread, alive } of this.#members) if (alive) thread.worker.postMessage(message);
  }

  #lose(index: number, reason: string): void {
    const member = this.#members[index];
    if (member === undefined || !member.alive) return;
    member.alive = false;
    this.#lost.push(index);
    member.thread.worker.terminate();
    this.#control.loseWorker(index);
    this.#onLost(index, reason);
    if (this.#members.every(({ alive }) => !alive)) {
      this.#broken = { reason: "internal", text: `every load worker died: ${reason}` };
    }
    (member.phaseDone as (done: PhaseDone | undefined) => void)(undefined);
  }

  #tick(): void {
    const nowNs = this.#clock.nowNs();
    if (this.#stalls.tick(nowNs)) this.#heartbeats.excuse(nowNs);
  }
}

/** A timer's delay; longer ones than 24 days fire at once. */
function timerMs(ns: number): number {
  return Math.max(0, Math.min(ns / 1e6, 2 ** 31 - 1));
}
