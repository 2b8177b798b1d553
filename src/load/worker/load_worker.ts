/**
 * Requests of one thread. The file is longer than others because every step that begins, delays or
 * ends a request uses the same small sets of requests in flight.
 */

import type { Shadow } from "../../measurement/canary/canary_kind.ts";
import { PageWindow } from "../dataset/payloads/page_window.ts";
import type { PayloadPage } from "../dataset/payloads/payload_page.ts";
import { type PayloadSource, PayloadTable } from "../dataset/payloads/payload_table.ts";
import type { EndpointType } from "../../client/endpoint/protocol/endpoint_type.ts";
import { ReadTurn } from "../../client/http/read_turn.ts";
import type { Transport } from "../../client/http/transport.ts";
import type { ErrorKind } from "../../client/record/error_kind.ts";
import { RecordBlockBuilder } from "../../client/record/record_block.ts";
import type { RunEnd } from "../../core/run_end/end_reason.ts";
import { joinedText } from "../../client/http/join_bytes.ts";
import { BodyRedactor } from "../../core/secrets/body_secrets.ts";
import { redactor } from "../../core/secrets/redactor.ts";
import type { RunClock } from "../../core/thread/run_clock.ts";
import { globalIndexOf } from "../../config/shard/shard.ts";
import { StallDetector } from "../../core/thread/stall_detector.ts";
import { primedAhead } from "../../config/plan/priming_phase.ts";
import { createWorkload } from "../workload/create_workload.ts";
import { limitCurve } from "../workload/limit_curve.ts";
import type { Turn } from "../workload/workload.ts";
import { ClosedLoop } from "./closed_loop.ts";
import type { LoadLoop, LoopContext } from "./load_loop.ts";
import type { LoadWorkerContext } from "./load_worker_context.ts";
import type { CancelReason, LoadOrders, PhaseStart } from "./messages.ts";
import { OpenLoop } from "./open_loop.ts";
import { tooManyErrors } from "./error_rate.ts";
import { PhaseCanaries } from "./phase_canaries.ts";
import { PlannedCancellations } from "./planned_cancellations.ts";
import { LimitedGate, OPEN_GATE, type PrefillGate } from "./prefill_gate.ts";
import { type LimitedRequest, RateLimitWaits } from "./rate_limit_waits.ts";
import type { RequestEnd } from "./request_end.ts";
import { RequestSlot, type SlotContext } from "./request_slot.ts";
import { GraphPlayer } from "./graph_player.ts";
import {
  type SendTimes,
  type SessionPlay,
  SessionPlayer,
  type SessionPlayerContext,
} from "./session_player.ts";
import { TurnRequests } from "./turn_requests.ts";

/** How often heartbeat, timeouts, the loop and waiting records are looked after. */
const TICK_MS = 100;
/** Longest wait for more to be looked at together, and for the end of a reply that has said all. */
const LONGEST_WAIT_NS = 1e9;
/** Number of records, or bytes, at which they are sent on at once: short work each time. */
const MAX_BLOCK_RECORDS = 32;
const MAX_BLOCK_BYTES = 256 * 1024;
/** Maximum time for opening connections ahead, before the first request goes out anyway. */
const PREPARE_TIMEOUT_MS = 1000;

/** Maximum number of requests for which slots are allocated in advance. */
const MAX_PREPARED_SLOTS = 512;

/** Chunks with which canaries are synchronized, by when they are known. */
const BEGINNING: readonly Shadow[] = ["first", "second"];
const SECOND: readonly Shadow[] = ["second"];
const LAST: readonly Shadow[] = ["last"];

/** The errors of requests that are ended from this side. */
const CANCEL_ERRORS: Readonly<Record<CancelReason, readonly [ErrorKind, message: string]>> = {
  "cut_off": ["cut_off", "Still in flight at the end of the grace period"],
  "interrupted": ["cancelled", "The run was interrupted"],
  "given_up": ["cancelled", "The run ended early"],
};

/** The requests of one thread, phase after phase: carries what a {@linkcode LoadLoop} begins. */
export class LoadWorker {
  readonly #orders: LoadOrders;
  readonly #context: LoadWorkerContext;
  readonly #type: EndpointType;
  readonly #payloads: PayloadSource;
  /** Conversations of a file that is sent while it is read. */
  readonly #pages: PageWindow | undefined;
  readonly #records: RecordBlockBuilder;
  readonly #requests: TurnRequests;
  readonly #redact: BodyRedactor;
  /** Requests in flight, and the session of each. */
  readonly #slots = new Map<RequestSlot, SessionPlay>();
  readonly #free: RequestSlot[] = [];
  readonly #turn = new ReadTurn(() => this.#clock.nowNs(), () => this.#arrivals?.onArrival());
  #transport: Transport | undefined;
  #clock: RunClock;
  /** 0 for warm-up, 1 for profiling and for the priming calls before it. */
  #phaseNumber = 0;
  /** Whether the phase sends priming calls only, which have no records. */
  #isPriming = false;
  /** Content chunks of the phase's requests that have ended. */
  #endedChunks = 0;
  readonly #stalls: StallDetector;
  readonly #stopTicks: () => void;
  #loop: LoadLoop | undefined;
  /**
   * Loop of the phase if it is an open loop: sessions that have arrived do not wait for the pacer's
   * message.
   */
  #arrivals: OpenLoop | undefined;
  #player: SessionPlayer | undefined;
  /** Replays recorded sessions; undefined for other prompts. */
  #graphs: GraphPlayer | undefined;
  #gate: PrefillGate = OPEN_GATE;
  /** Requests that have entered it and not left yet. */
  readonly #inside = new Set<RequestSlot>();
  #cancellations: PlannedCancellations<RequestSlot> | undefined;
  /** undefined where a reply of 429 is a failure. */
  readonly #rateLimits: RateLimitWaits<RequestSlot> | undefined;
  #canaries: PhaseCanaries | undefined;

  constructor(orders: LoadOrders, context: LoadWorkerContext) {
    const { plan, payloads } = orders;
    this.#orders = orders;
    this.#context = context;
    if (orders.workload.pages !== undefined) this.#pages = new PageWindow(payloads);
    this.#payloads = this.#pages ?? new PayloadTable(payloads);
    this.#redact = new BodyRedactor(redactor(plan.secrets));
    this.#records = new RecordBlockBuilder(plan.output.exportLevel === "raw");
    this.#type = context.endpointType;
    this.#requests = new TurnRequests(
      orders,
      this.#type,
      this.#payloads,
      () => context.newRequestId(),
    );
    this.#clock = context.clockOf(0);
    if (plan.waitOn429 === true) {
      this.#rateLimits = new RateLimitWaits(
        plan.requestTimeoutNs,
        context.timers,
        Date.now,
        (slot) => this.#sendAgain(slot),
      );
    }
    const shortestMs = Math.min(plan.requestTimeoutNs, this.#stallNs) / 1e6;
    const tickMs = Math.max(5, Math.min(TICK_MS, shortestMs / 10));
    this.#stalls = new StallDetector(tickMs);
    this.#stopTicks = context.timers.every(tickMs, () => this.#tick());
  }

  /** Connects to where canaries come from: the first chunks are to have some. */
  openCanaries(): void {
    const { canaries, worker } = this.#orders;
    if (canaries === undefined) return;
    const { createTransport, timers, toResults } = this.#context;
    this.#canaries = new PhaseCanaries(
      {
        worker,
        orders: canaries,
        timers,
        nowNs: () => this.#clock.nowNs(),
        turn: this.#turn,
        createTransport: (options) => createTransport(canaries.transport, options),
      },
      (rows) => toResults({ type: "canaries", rows }, [rows.buffer]),
    );
  }

  /** Begins a phase. The one before must have ended. */
  beginPhase(phase: PhaseStart): void {
    const { plan, worker, workload } = this.#orders;
    const { control, timers, lag } = this.#context;
    this.#endedChunks = 0;
    this.#phaseNumber = phase.plan.kind === "warmup" ? 0 : 1;
    this.#isPriming = phase.plan.isPriming === true;
    this.#requests.beginPhase(this.#phaseNumber);
    this.#clock = this.#context.clockOf(phase.clockOffsetMs);
    lag.begin();
    this.#stalls.begin(this.#clock.nowNs());
    this.#transport ??= this.#context.createTransport(plan.transport, {
      reuse: plan.reuse,
      retries: plan.retries,
      trust: plan,
      nowNs: () => this.#clock.nowNs(),
      betweenReads: () => this.#arrivals?.onArrival(),
      turn: this.#turn,
    });
    const context: LoopContext = {
      worker,
      phase,
      shard: plan.shard,
      workload: createWorkload(workload, phase.plan, this.#pages),
      control,
      clock: this.#clock,
      timers,
      sender: {
        prepare: (connections, timeoutMs) => this.#prepare(connections, timeoutMs),
        send: (session, intendedNs, claimedNs) => {
          const times = { intendedNs, claimedNs };
          const begins = session.calls === undefined || graphs === undefined
            ? player.begin(session, times)
            : graphs.begin(session, times);
          if (begins) this.#pages?.begin(session.index);
          return begins;
        },
      },
      gate: this.#beginGate(phase),
      onDone: () => this.#endPhase(),
    };
    const playing: SessionPlayerContext = {
      ...context,
      payloads: this.#payloads,
      format: this.#type.conversation,
      transmit: (play, turn, number, times) => this.#transmit(play, turn, number, times),
      onEnded: (play, end) => {
        this.#transport?.endSession?.(play);
        this.#pages?.end(play.session.index);
        this.#loop?.onEnded(end);
      },
    };
    const player = new SessionPlayer(playing);
    const agents = plan.dataset.source === "file" ? plan.dataset.agents : undefined;
    const graphs = agents === undefined ? undefined : new GraphPlayer(
      playing,
      agents,
      plan,
      this.#isPriming || workload.pages !== undefined ? 0 : primedAhead(plan),
      (session) => this.#loop?.onSent(session),
    );
    this.#player = player;
    this.#graphs = graphs;
    this.#beginCancellations(phase);
    this.#rateLimits?.open();
    if (this.#phaseNumber === 1 && !this.#isPriming) this.#canaries?.begin(phase.slots);
    this.#arrivals = phase.plan.load.loop === "open" ? new OpenLoop(context) : undefined;
    this.#loop = this.#arrivals ?? new ClosedLoop(context);
    this.#loop.begin();
  }

  #beginGate({ plan: { prefill }, startNs }: PhaseStart): PrefillGate {
    const { control, timers, wake } = this.#context;
    this.#gate = prefill === undefined ? OPEN_GATE : new LimitedGate({
      worker: this.#orders.worker,
      shared: control.prefill,
      limit: limitCurve(prefill.limit, prefill.ramp, this.#orders.plan.shard),
      startNs,
      clock: this.#clock,
      timers,
      wake,
    });
    return this.#gate;
  }

  #beginCancellations({ plan: { cancellation } }: PhaseStart): void {
    const { plan } = this.#orders;
    this.#cancellations = cancellation === undefined ? undefined : new PlannedCancellations(
      cancellation,
      plan.seed,
      this.#context.timers,
      (slot, message) => slot.fail("cancelled_on_purpose", message),
    );
  }

  /** The next conversations have come. */
  addPage(page: PayloadPage): void {
    const { plan } = this.#orders;
    this.#pages?.release(globalIndexOf(this.#context.control.claimed, plan.shard));
    this.#pages?.add(page);
    this.#loop?.onArrival();
  }

  /** Handles the pacer's signal that there is something to check. */
  onArrival(): void {
    this.#context.control.hear(this.#orders.worker);
    this.#loop?.onArrival();
  }

  /** Another worker has made room for requests that wait here. */
  look(): void {
    this.#gate.look();
  }

  /** Handles the control block's signal that nothing more will be sent. */
  stop(): void {
    this.#endSending();
    this.#player?.stop();
    this.#graphs?.stop();
    this.#loop?.onStop();
  }

  #endSending(): void {
    this.#gate.close();
    this.#rateLimits?.close();
    for (const slot of [...this.#slots.keys()]) slot.giveUp();
  }

  /** Gives up connections and timers. The last phase must have ended. */
  close(): void {
    this.#stopTicks();
    this.#closeCanaries();
    this.#transport?.close();
    this.#transport = undefined;
  }

  /** Cancels the requests in flight. */
  cancel(reason: CancelReason): void {
    const [kind, message] = CANCEL_ERRORS[reason];
    for (const slot of [...this.#slots.keys()]) slot.fail(kind, message);
    this.stop();
  }

  async #prepare(connections: number, timeoutMs = PREPARE_TIMEOUT_MS): Promise<void> {
    const origins = new Set(this.#orders.plan.targets.map(({ origin }) => origin));
    const each = Math.ceil(connections / origins.size);
    const opened = [...origins].map((origin) => this.#transport?.prepare(origin, each, timeoutMs));
    // Meanwhile: to make one takes as long as to send a request.
    const slots = Math.min(connections, MAX_PREPARED_SLOTS);
    while (this.#free.length < slots) this.#free.push(new RequestSlot(this.#slotContext()));
    await Promise.all(opened);
  }

  #transmit(play: SessionPlay, turn: Turn, number: number, times: SendTimes): void {
    const slot = this.#free.pop() ?? new RequestSlot(this.#slotContext());
    this.#slots.set(slot, play);
    this.#inside.add(slot);
    this.#requests.start(slot, play, turn, number, times);
    if (play.isPriming !== true) this.#canaries?.onStart(slot);
  }

  #slotContext(): SlotContext {
    const { plan } = this.#orders;
    return {
      endpointType: this.#type,
      transport: this.#transport as Transport,
      records: this.#records,
      keepRaw: plan.output.exportLevel === "raw",
      redact: (text, body = []) => this.#redact.redacted(text, joinedText(body)),
      nowNs: () => this.#clock.nowNs(),
      timers: this.#context.timers,
      isBeginningAwaited: () => this.#gate !== OPEN_GATE,
      onSent: (slot) => this.#onSent(slot),
      onBeginning: (slot, told) => {
        this.#leaveGate(slot);
        this.#canaries?.onChunks(slot, told === 0 ? BEGINNING : SECOND);
      },
      onLimited: (slot, limited) => this.#onLimited(slot, limited),
      onEnded: (slot, end) => this.#onEnded(slot, end),
    };
  }

  #onSent(slot: RequestSlot): void {
    const play = this.#slots.get(slot);
    if (play === undefined) return;
    if (play.isPriming !== true) {
      this.#cancellations?.onSent(slot, play.session.index, play.turn);
    }
    this.#loop?.onSent(play.session.index);
  }

  #leaveGate(slot: RequestSlot): void {
    if (this.#inside.delete(slot)) this.#gate.leave();
  }

  /** Returns whether a request that received HTTP 429 waits. */
  #onLimited(slot: RequestSlot, limited: LimitedRequest): boolean {
    // Also when no further request is begun: the last ones are sent again until they are told to end.
    if (this.#rateLimits?.hold(slot, limited) !== true) return false;
    this.#leaveGate(slot);
    return true;
  }

  #sendAgain(slot: RequestSlot): void {
    const number = slot.requestNumber;
    const send = (): void => {
      // It may have been cancelled meanwhile, and its slot carry another request.
      if (!this.#slots.has(slot) || slot.requestNumber !== number) return this.#gate.leave();
      this.#inside.add(slot);
      slot.again();
    };
    if (this.#gate.enter()) send();
    else this.#gate.wait(send);
  }

  #onEnded(slot: RequestSlot, end: RequestEnd): void {
    const { control } = this.#context;
    const play = this.#slots.get(slot) as SessionPlay;
    this.#slots.delete(slot);
    this.#cancellations?.onEnded(slot);
    this.#rateLimits?.forget(slot);
    this.#leaveGate(slot);
    this.#free.push(slot);
    this.#endedChunks += slot.chunkCount;
    if (end.kind === undefined && play.isPriming !== true) this.#canaries?.onChunks(slot, LAST);
    const { count, bytes } = this.#records;
    if (count >= MAX_BLOCK_RECORDS || bytes >= MAX_BLOCK_BYTES) this.#flush();
    this.#giveUp(control.presence.note(end, this.#clock.nowNs()));
    if (this.#graphs?.has(play)) this.#graphs.ended(play, end, slot);
    else this.#player?.ended(play, end, slot);
    this.#stopOnErrors();
  }

  #stopOnErrors(): void {
    const { control } = this.#context;
    if (this.#phaseNumber !== 1 || this.#isPriming || control.stopped) return;
    const { failed, succeeded } = control;
    this.#giveUp(tooManyErrors(failed, failed + succeeded, this.#orders.plan.maxErrorRate));
  }

  /** @param end why the run should not continue; undefined if it should */
  #giveUp(end: RunEnd | undefined): void {
    if (end === undefined) return;
    this.#context.control.stop();
    this.#context.toMain({ type: "givenUp", end });
  }

  #endPhase(): void {
    this.#loop = undefined;
    this.#arrivals = undefined;
    this.#player = undefined;
    this.#graphs?.close();
    this.#graphs = undefined;
    this.#gate.close();
    if (!this.#isPriming) {
      this.#flush();
      if (this.#phaseNumber === 1) this.#closeCanaries();
      this.#context.toResults({ type: "phaseEnd" }, []);
    }
    const stalls = this.#stalls.end(this.#clock.nowNs());
    this.#context.toMain({ type: "phaseDone", loopLagMs: this.#context.lag.end(), stalls });
  }

  #closeCanaries(): void {
    this.#canaries?.close();
    this.#canaries = undefined;
  }

  #tick(): void {
    this.#context.control.beat(this.#orders.worker);
    if (this.#loop === undefined) return;
    this.#stalls.tick(this.#clock.nowNs());
    this.#player?.onTick();
    this.#graphs?.onTick();
    this.#loop?.onTick();
    this.#gate.look();
    // A server may keep its connection after an error, or after [DONE]: no further read comes then.
    const longestWaitNs = Math.min(LONGEST_WAIT_NS, this.#stallNs);
    this.#transport?.lookAtWaiting?.(this.#clock.nowNs() - longestWaitNs);
    this.#countChunks();
    if (this.#records.count > 0) this.#flush();
    this.#canaries?.onTick();
    const nowNs = this.#clock.nowNs();
    const { requestTimeoutNs } = this.#orders.plan;
    const oldestNs = nowNs - requestTimeoutNs;
    const stalled = `No byte of the reply within ${this.#stallNs / 1e9} s (--stall-timeout)`;
    for (const slot of [...this.#slots.keys()]) {
      if (slot.firstStartedNs <= oldestNs) {
        slot.fail("timeout", `No complete reply within ${requestTimeoutNs / 1e9} s`);
      } else {
        slot.endSettled(nowNs - longestWaitNs);
        slot.failStalled(nowNs - this.#stallNs, stalled);
      }
    }
  }

  /** Reports how many chunks have been read, those of running streams included. */
  #countChunks(): void {
    let chunks = this.#endedChunks;
    for (const slot of this.#slots.keys()) chunks += slot.chunkCount;
    this.#context.control.setChunks(this.#orders.worker, chunks);
  }

  /** Maximum time without a byte of a reply. */
  get #stallNs(): number {
    return this.#orders.plan.stallTimeoutNs ?? Infinity;
  }

  #flush(): void {
    const { block, transfer } = this.#records.take();
    this.#context.toResults({ type: "records", block }, transfer);
  }
}
