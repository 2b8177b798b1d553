/**
 * A thread that sends requests and reads their replies. It may reach the inference hosts and
 * nothing else.
 */

import { PayloadTable } from "../dataset/payload_table.ts";
import { endpointType } from "../endpoint/endpoint_types.ts";
import { createTransport } from "../http/create_transport.ts";
import type { Transport } from "../http/transport.ts";
import type { RunPlan } from "../plan/run_plan.ts";
import { USER_AGENT } from "../plan/version.ts";
import type { ErrorKind } from "../record/error_kind.ts";
import { RecordBlockBuilder } from "../record/record_block.ts";
import { redactor } from "../secrets/redactor.ts";
import { arrivals } from "../workload/arrivals.ts";
import { ControlBlock, NOTHING_DUE } from "./control_block.ts";
import { EntrySampler } from "../workload/entry_sampler.ts";
import { LoopLagProbe } from "./loop_lag_probe.ts";
import type { FromLoadWorker, PhaseStart, RecordMessage, ToLoadWorker } from "./messages.ts";
import { sharedHeaderLines } from "./request_headers.ts";
import { rehearse } from "./rehearsal.ts";
import { RequestSlot, type SlotContext } from "./request_slot.ts";
import { ClockCells } from "../thread/clock_cells.ts";
import { answerHandshake, type RunClock, workerClock } from "../thread/run_clock.ts";
import { workerScope } from "../thread/worker_scope.ts";

/** How often heartbeat, timeouts, the loop's lag and waiting records are looked after. */
const TICK_MS = 100;
/** Records are sent on at once when there are so many of them, or bytes: short work each time. */
const MAX_BLOCK_RECORDS = 32;
const MAX_BLOCK_BYTES = 256 * 1024;
/**
 * How long a user of a closed loop waits after a connection that did not come about: a server that
 * is down would otherwise be asked ten thousand times a second.
 */
const CONNECT_BACKOFF_MS = 100;

/** Users of a closed loop who may be on their way in at once. */
const MAX_AT_DOOR = 4;

/** So long connections are opened ahead before the first request goes out all the same. */
const PREPARE_TIMEOUT_MS = 1000;
/** Longest pause between the last connection and the first request. */
const MAX_SETTLE_MS = 100;

type Init = Extract<ToLoadWorker, { type: "init" }>;

/** The requests of one thread, phase after phase. */
class LoadWorker {
  readonly #plan: RunPlan;
  readonly #worker: number;
  readonly #control: ControlBlock;
  readonly #results: MessagePort;
  readonly #payloads: PayloadTable;
  readonly #records: RecordBlockBuilder;
  readonly #headerLines: readonly string[];
  readonly #lag = new LoopLagProbe();
  readonly #slots = new Set<RequestSlot>();
  readonly #free: RequestSlot[] = [];
  #transport: Transport | undefined;
  #clock: RunClock = workerClock(0);
  #phase: PhaseStart | undefined;
  #sampler: EntrySampler | undefined;
  #arrivals: Iterator<number> | undefined;
  #arrivalsRead = 0;
  #arrivalOffset = 0;
  /** Users of a closed loop who wait before they try to connect again. */
  #away = 0;
  /** Users of a closed loop who have not been let in yet. */
  #outside = 0;
  /** Whether connections are opened ahead no more, and users may come in. */
  #doorIsOpen = false;
  /** Users of a closed loop whose first request is not written yet. */
  readonly #atDoor = new Set<RequestSlot>();

  constructor(init: Init) {
    this.#plan = init.plan;
    this.#worker = init.worker;
    this.#control = new ControlBlock(init.control);
    this.#results = init.results;
    this.#payloads = new PayloadTable(init.payloads);
    this.#records = new RecordBlockBuilder(init.plan.output.exportLevel === "raw");
    this.#headerLines = init.plan.targets.map((target) =>
      sharedHeaderLines(init.plan, target, USER_AGENT)
    );
    if (init.ticks !== undefined) init.ticks.onmessage = () => this.#admit();
    setInterval(() => this.#tick(), Math.max(5, Math.min(TICK_MS, this.#timeoutMs / 10)));
  }

  beginPhase(phase: PhaseStart): void {
    this.#phase = phase;
    this.#clock = workerClock(phase.clockOffsetMs);
    this.#lag.begin();
    this.#sampler = new EntrySampler(this.#plan, this.#payloads.data, phase.plan.kind);
    this.#transport ??= createTransport(this.#plan.transport, {
      reuse: this.#plan.reuse,
      trust: this.#plan,
      nowNs: () => this.#clock.nowNs(),
    });
    const { load } = phase.plan;
    if (load.loop === "open") {
      this.#arrivals = arrivals(load, this.#plan.seed, phase.plan.kind);
      this.#arrivalsRead = 0;
      this.#admit();
      return;
    }
    this.#outside = phase.slots;
    this.#doorIsOpen = false;
    this.#openDoor(phase);
  }

  /**
   * Closed loop: opens the users' connections before the first request, and leaves the server a
   * moment to accept them. A storm of connects among the first requests costs a busy server tens of
   * milliseconds, which say nothing about inference; what each connection cost is still told by the
   * trace of its first request.
   */
  async #openDoor(phase: PhaseStart): Promise<void> {
    const origins = new Set(this.#plan.targets.map(({ origin }) => origin));
    const each = Math.ceil(phase.slots / origins.size);
    await Promise.all(
      [...origins].map((origin) => this.#transport?.prepare(origin, each, PREPARE_TIMEOUT_MS)),
    );
    const settleMs = Math.min(MAX_SETTLE_MS, phase.slots / 4);
    if (settleMs > 1) await new Promise((resolve) => setTimeout(resolve, settleMs));
    if (this.#phase !== phase) return;
    this.#doorIsOpen = true;
    this.#letIn();
  }

  /**
   * Closed loop: lets the users in a few at a time, the next when one's request is written. Started
   * all at once, the first one's connection would wait until the last one's was asked for, and that
   * wait would look like the server's.
   */
  #letIn(): void {
    while (this.#outside > 0 && this.#atDoor.size < MAX_AT_DOOR) {
      this.#outside--;
      const slot = this.#sendNext();
      if (slot === undefined) this.#outside = 0;
      else this.#atDoor.add(slot);
    }
    this.#endPhaseIfDone();
  }

  #onSent(slot: RequestSlot): void {
    if (this.#atDoor.delete(slot)) this.#letIn();
  }

  stop(): void {
    this.#endPhaseIfDone();
  }

  cancel(kind: "cut_off" | "cancelled"): void {
    const message = kind === "cut_off"
      ? "Still running when the grace period ended"
      : "The run was interrupted";
    for (const slot of [...this.#slots]) slot.fail(kind, message);
    this.#endPhaseIfDone();
  }

  close(): void {
    this.#transport?.close();
    this.#results.close();
  }

  /** Closed loop: sends the next request of the phase, if there is one to send. */
  #sendNext(): RequestSlot | undefined {
    const phase = this.#phase as PhaseStart;
    const nowNs = this.#clock.nowNs();
    if (nowNs - phase.startNs >= phase.plan.durationNs) return undefined;
    const index = this.#control.claim(phase.plan.requestCount, this.#worker);
    return index === NOTHING_DUE ? undefined : this.#send(index, nowNs, nowNs);
  }

  /** Open loop: sends what has arrived and finds a slot. */
  #admit(fromQueue = false): void {
    const phase = this.#phase;
    if (phase === undefined) return;
    const { load, durationNs } = phase.plan;
    for (;;) {
      const nowNs = this.#clock.nowNs();
      if (nowNs - phase.startNs >= durationNs) break;
      const index = this.#control.claimArrived(load.concurrency, this.#worker);
      if (index === NOTHING_DUE) break;
      const intendedNs = phase.startNs + this.#arrivalOf(index);
      // Only a request that had to wait for a slot was let through later than it arrived.
      const waited = fromQueue && load.concurrency < Infinity;
      // The clocks of two threads may differ by some microseconds.
      this.#send(index, intendedNs, waited ? Math.max(nowNs, intendedNs) : intendedNs);
    }
    this.#endPhaseIfDone();
  }

  #arrivalOf(index: number): number {
    while (this.#arrivalsRead <= index) {
      this.#arrivalOffset = this.#arrivals?.next().value as number;
      this.#arrivalsRead++;
    }
    return this.#arrivalOffset;
  }

  #send(index: number, intendedNs: number, claimedNs: number): RequestSlot {
    const phase = this.#phase as PhaseStart;
    const { plan } = phase;
    const entry = (this.#sampler as EntrySampler).entryOf(index);
    const targetIndex = index % this.#plan.targets.length;
    const target = this.#plan.targets[targetIndex] as RunPlan["targets"][number];
    const requestId = crypto.randomUUID();
    const slot = this.#free.pop() ?? new RequestSlot(this.#slotContext());
    this.#slots.add(slot);
    slot.start({
      index,
      phase: plan.kind === "profiling" ? 1 : 0,
      worker: this.#worker,
      entry,
      target: targetIndex,
      intendedNs,
      claimedNs,
      requestId,
    }, {
      origin: target.origin,
      method: "POST",
      path: target.path,
      headerLines: `${this.#headerLines[targetIndex]}X-Request-ID: ${requestId}\r\n` +
        `X-Correlation-ID: ${requestId}\r\n`,
      body: this.#payloads.bodyOf(entry),
    });
    return slot;
  }

  #slotContext(): SlotContext {
    return {
      endpointType: endpointType(this.#plan.endpointType),
      transport: this.#transport as Transport,
      records: this.#records,
      keepRaw: this.#plan.output.exportLevel === "raw",
      redact: redactor(this.#plan.secrets),
      nowNs: () => this.#clock.nowNs(),
      onSent: (slot) => this.#onSent(slot),
      onEnded: (slot, kind) => this.#onEnded(slot, kind),
    };
  }

  #onEnded(slot: RequestSlot, kind: ErrorKind | undefined): void {
    this.#slots.delete(slot);
    this.#free.push(slot);
    this.#control.release(kind === undefined, this.#worker);
    const { count, bytes } = this.#records;
    if (count >= MAX_BLOCK_RECORDS || bytes >= MAX_BLOCK_BYTES) this.#flush();
    if (this.#phase?.plan.load.loop === "open") this.#admit(true);
    else if (kind === "connect" || kind === "tls") this.#sendNextLater();
    else if (this.#sendNext() === undefined) this.#endPhaseIfDone();
  }

  /** Closed loop: a user who found nobody home tries again after a while. */
  #sendNextLater(): void {
    this.#away++;
    setTimeout(() => {
      this.#away--;
      if (this.#phase !== undefined && this.#sendNext() === undefined) this.#endPhaseIfDone();
    }, CONNECT_BACKOFF_MS);
  }

  #endPhaseIfDone(): void {
    const phase = this.#phase;
    if (phase === undefined || this.#slots.size + this.#away + this.#outside > 0) return;
    if (phase.plan.load.loop === "open" && !this.#control.stopped) {
      const waiting = this.#control.claimed < this.#control.arrived &&
        this.#clock.nowNs() - phase.startNs < phase.plan.durationNs;
      if (!this.#control.arrivalsEnded || waiting) return;
    }
    this.#phase = undefined;
    this.#flush();
    const message: RecordMessage = { type: "phaseEnd" };
    this.#results.postMessage(message);
    post({ type: "phaseDone", loopLagMs: this.#lag.end() });
  }

  #tick(): void {
    this.#control.beat(this.#worker);
    if (this.#phase === undefined) return;
    // A worker without a request is not told that others have sent the arrivals which waited, nor
    // that one which died has left some over: it has to look for itself.
    if (this.#phase.plan.load.loop === "open" && this.#slots.size === 0) this.#admit(true);
    if (this.#doorIsOpen && this.#outside > 0) {
      // Somebody's connection takes long: the others do not wait for it.
      this.#atDoor.clear();
      this.#letIn();
    }
    if (this.#records.count > 0) this.#flush();
    const oldestNs = this.#clock.nowNs() - this.#plan.requestTimeoutNs;
    for (const slot of [...this.#slots]) {
      if (slot.startedNs <= oldestNs) {
        slot.fail("timeout", `No complete reply within ${this.#timeoutMs / 1000} s`);
      }
    }
  }

  get #timeoutMs(): number {
    return this.#plan.requestTimeoutNs / 1e6;
  }

  #flush(): void {
    const { block, transfer } = this.#records.take();
    const message: RecordMessage = { type: "records", block };
    this.#results.postMessage(message, transfer);
  }
}

function post(message: FromLoadWorker): void {
  scope.postMessage(message);
}

const scope = workerScope();
let worker: LoadWorker | undefined;
scope.onmessage = async (event: MessageEvent<ToLoadWorker>) => {
  const message = event.data;
  switch (message.type) {
    case "init":
      worker = new LoadWorker(message);
      await rehearse(endpointType(message.plan.endpointType), () => workerClock(0).nowNs());
      answerHandshake(new ClockCells(message.clock));
      break;
    case "phase":
      worker?.beginPhase(message.phase);
      break;
    case "stop":
      worker?.stop();
      break;
    case "cancel":
      worker?.cancel(message.kind);
      break;
    case "close":
      worker?.close();
      scope.close();
      break;
  }
};
post({ type: "ready" });
