import type { AgentsPlan } from "../../config/plan/agents_plan.ts";
import { CallHeap } from "../../core/session_graph/call_heap.ts";
import { followersOf } from "../../core/session_graph/session_graph.ts";
import { type StartPosition, startPosition } from "../../core/session_graph/start_position.ts";
import { randomStream } from "../../core/statistics/random_stream.ts";
import type { PlayedCall } from "../dataset/payloads/graph_columns.ts";
import type { Session, Turn } from "../workload/workload.ts";
import { NOTHING_DUE } from "./control_block.ts";
import { GraphHistory } from "./graph_history.ts";
import { claimRequest, isPhaseOver, isPhasePaused, timerMs } from "./phase_limits.ts";
import { outcomeOf, type RequestEnd } from "./request_end.ts";
import type { SendTimes, SessionPlay, SessionPlayerContext, TurnReply } from "./session_player.ts";

/** A call that waits, is in flight, or has ended; `gone` calls are never sent. */
type CallState = "open" | "due" | "sent" | "ended" | "gone";

/** A recorded session in progress. */
interface Tree {
  readonly session: Session;
  readonly calls: readonly PlayedCall[];
  readonly followers: readonly (readonly number[])[];
  readonly history: GraphHistory;
  readonly startNs: number;
  readonly states: CallState[];
  /** Edges of each call that are not met. */
  readonly open: Uint32Array;
  /** Times of the calls' due events so far. */
  readonly dueNs: Float64Array;
  /** The event after which each call became due: see the field `waitedFor` of records. */
  readonly waitedFor: Int32Array;
  /** Calls that are sent, unless one fails. */
  requests: number;
  /** Calls that are due at a time, in nanoseconds. */
  readonly queue: CallHeap;
  correlationId: string;
  inFlight: number;
  /** Whether it is counted as being between two requests. */
  isBetween: boolean;
  /** Whether calls wait at the gate. */
  atGate: number;
  /** Cancels the timer for the earliest call. */
  callOff: (() => void) | undefined;
  isOver: boolean;
}

/**
 * Runs recorded sessions that a thread has begun: sends each call when the calls that it waits for
 * have ended or started and its gap has passed. A session is over when none of its calls is in
 * flight and none will be sent.
 */
export class GraphPlayer {
  readonly #context: SessionPlayerContext;
  readonly #agents: AgentsPlan;
  readonly #seed: number;
  /** When a request of the run was last seen in flight. */
  #idleSinceNs = Infinity;
  readonly #trees = new Set<Tree>();
  readonly #plays = new Map<SessionPlay, Tree>();

  /** @param seed of the run, by which sessions are entered in their middle */
  constructor(context: SessionPlayerContext, agents: AgentsPlan, seed: number) {
    this.#context = context;
    this.#seed = seed;
    this.#agents = agents;
  }

  /** Begins a session, for whose first call there is room at the gate. */
  begin(session: Session, { claimedNs }: SendTimes): boolean {
    const { gate, payloads, format, phase } = this.#context;
    if (this.#isOver) return false;
    // Each call asks for room itself: the first one may be due later.
    gate.leave();
    const { calls = [] } = session;
    const kind = phase.plan.kind === "profiling" ? "profiling" : "warmup";
    const tree: Tree = {
      session,
      calls,
      followers: followersOf(calls),
      history: new GraphHistory(payloads, format, session, { phase: kind, session: session.index }),
      startNs: claimedNs,
      states: calls.map(() => "open"),
      open: Uint32Array.from(calls, ({ edges }) => edges.length),
      dueNs: new Float64Array(calls.length).fill(claimedNs),
      waitedFor: new Int32Array(calls.length).fill(-1),
      requests: calls.filter(({ isVirtual }) => !isVirtual).length,
      queue: new CallHeap(),
      correlationId: "",
      inFlight: 0,
      isBetween: false,
      atGate: 0,
      callOff: undefined,
      isOver: false,
    };
    this.#trees.add(tree);
    const position = this.#positionOf(session, calls);
    if (position !== undefined) {
      this.#enterAt(tree, position);
      this.#advance(tree, undefined);
      return true;
    }
    calls.forEach(({ edges, offsetMs }, call) => {
      if (edges.length === 0) this.#enqueue(tree, call, claimedNs + Math.round(offsetMs * 1e6));
    });
    this.#advance(tree, undefined);
    return true;
  }

  /** Where a session is entered, drawn for each session; undefined for its beginning. */
  #positionOf({ index }: Session, calls: readonly PlayedCall[]): StartPosition | undefined {
    const { startRatios } = this.#agents;
    if (startRatios === undefined || this.#context.phase.plan.kind !== "profiling") {
      return undefined;
    }
    const { min, max } = startRatios;
    const ratio = min + (max - min) * randomStream(this.#seed, "agents.start", index)();
    if (ratio === 0) return undefined;
    return startPosition(calls, ratio, calls.map(({ recordedMs }) => recordedMs));
  }

  /** Skips the calls before a position: what waits for them only starts at its recorded time. */
  #enterAt(tree: Tree, { atMs, skipped }: StartPosition): void {
    const past = new Set(skipped);
    tree.calls.forEach(({ isVirtual, recordedMs }, call) => {
      if (isVirtual && recordedMs < atMs) past.add(call);
    });
    for (const call of past) tree.states[call] = "ended";
    tree.requests -= skipped.length;
    tree.calls.forEach(({ edges, recordedMs }, call) => {
      if (past.has(call)) return;
      const open = edges.filter(({ from }) => !past.has(from)).length;
      tree.open[call] = open;
      if (open > 0) return;
      this.#enqueue(tree, call, tree.startNs + Math.round((recordedMs - atMs) * 1e6));
    });
  }

  /** Whether a request is one of a recorded session. */
  has(play: SessionPlay): boolean {
    return this.#plays.has(play);
  }

  /** The request of a call has ended. */
  ended(play: SessionPlay, end: RequestEnd, { content, endNs }: TurnReply): void {
    const tree = this.#plays.get(play) as Tree;
    const call = play.turn;
    this.#plays.delete(play);
    tree.inFlight--;
    tree.states[call] = "ended";
    if (end.kind === undefined) tree.history.addReply(call, content);
    else this.#fail(tree, call);
    const atNs = end.kind === undefined ? endNs : this.#context.clock.nowNs();
    this.#meet(tree, call, "end", atNs);
    this.#advance(tree, end);
  }

  /** Moves all sessions of this thread forward if nothing of the run is in flight for too long. */
  #shortenAll(): void {
    const { systemIdleCapNs: capNs } = this.#agents;
    const { control, clock } = this.#context;
    if (capNs === undefined) return;
    const nowNs = clock.nowNs();
    if (control.inFlight > control.between || this.#trees.size === 0) {
      this.#idleSinceNs = nowNs;
      return;
    }
    if (nowNs - this.#idleSinceNs < capNs) return;
    const firstNs = [...this.#trees].reduce(
      (least, { queue }) => Math.min(least, queue.firstMs),
      Infinity,
    );
    if (firstNs === Infinity || firstNs <= nowNs) return;
    for (const tree of this.#trees) this.#move(tree, firstNs - nowNs);
  }

  /** Ends sessions without a request in flight if nothing more will be sent. */
  onTick(): void {
    this.#shortenAll();
    for (const tree of [...this.#trees]) {
      if (this.#isOver || this.#isPaused === false) this.#advance(tree, undefined);
    }
  }

  /** Ends the sessions without a request in flight. */
  stop(): void {
    this.onTick();
  }

  #enqueue(tree: Tree, call: number, dueNs: number): void {
    tree.states[call] = "due";
    tree.dueNs[call] = dueNs;
    tree.queue.push(dueNs, call);
  }

  /** Meets the edges from an event of a call. */
  #meet(tree: Tree, from: number, on: "start" | "end", atNs: number): void {
    for (const call of new Set(tree.followers[from])) {
      const { edges, notBeforeMs } = tree.calls[call] as PlayedCall;
      if (tree.states[call] !== "open") continue;
      for (const edge of edges) {
        if (edge.from !== from || edge.on !== on) continue;
        tree.open[call] = (tree.open[call] as number) - 1;
        const dueNs = atNs + Math.round(edge.gapMs * 1e6);
        const isFirst = tree.waitedFor[call] === -1;
        if (!isFirst && dueNs <= (tree.dueNs[call] as number)) continue;
        tree.dueNs[call] = Math.max(dueNs, tree.dueNs[call] as number);
        // A call that sends nothing only passes on what it waited for itself.
        tree.waitedFor[call] = tree.calls[from]?.isVirtual
          ? tree.waitedFor[from] as number
          : 2 * from + (on === "start" ? 1 : 0);
      }
      if (tree.open[call] !== 0) continue;
      const leastNs = notBeforeMs === undefined
        ? -Infinity
        : tree.startNs + Math.round(notBeforeMs * 1e6);
      this.#enqueue(tree, call, Math.max(tree.dueNs[call] as number, leastNs));
    }
  }

  /** Marks the calls that are not sent because one failed, and lets calls continue that only keep order. */
  #fail(tree: Tree, failed: number): void {
    const { onFailedCall } = this.#agents;
    if (onFailedCall === "continue") return;
    const isDropped = (call: number): boolean => {
      const state = tree.states[call];
      return state === "open" || state === "due";
    };
    if (onFailedCall === "session") {
      tree.calls.forEach((_, call) => isDropped(call) ? tree.states[call] = "gone" : undefined);
      return;
    }
    const todo = [failed];
    for (let gone = todo.pop(); gone !== undefined; gone = todo.pop()) {
      for (const call of new Set(tree.followers[gone])) {
        if (!isDropped(call)) continue;
        const depends = (tree.calls[call] as PlayedCall).edges.some(({ from, on, kind }) =>
          from === gone && kind !== "order" && !(gone === failed && on === "start")
        );
        if (!depends) continue;
        tree.states[call] = "gone";
        todo.push(call);
      }
      // An edge that only keeps the order carries no failure.
      if (gone !== failed) {
        const nowNs = this.#context.clock.nowNs();
        this.#meetOrder(tree, gone, nowNs);
      }
    }
  }

  #meetOrder(tree: Tree, from: number, atNs: number): void {
    const isOrder = (tree.followers[from] as readonly number[]).some((call) =>
      tree.states[call] === "open" &&
      (tree.calls[call] as PlayedCall).edges.some((edge) =>
        edge.from === from && edge.kind === "order"
      )
    );
    if (isOrder) this.#meet(tree, from, "end", atNs);
  }

  /**
   * Sends the calls that are due, as far as there is room, and waits for the next one.
   * @param end of a request that was in flight; undefined for none
   */
  #advance(tree: Tree, end: RequestEnd | undefined): void {
    if (tree.isOver) return;
    tree.callOff?.();
    tree.callOff = undefined;
    if (this.#isOver) this.#drop(tree);
    else if (!this.#isPaused) this.#sendDue(tree);
    if (tree.isOver) return;
    if (tree.inFlight + tree.atGate === 0 && tree.queue.size === 0) {
      this.#leave(tree, end);
      return;
    }
    this.#count(tree, end);
    if (this.#isPaused || tree.queue.size === 0) return;
    this.#shorten(tree);
    const { clock, timers } = this.#context;
    if (!this.#hasRoom(tree)) return;
    const leftMs = (tree.queue.firstMs - clock.nowNs()) / 1e6;
    tree.callOff = timers.once(timerMs(leftMs), () => this.#advance(tree, undefined));
  }

  #sendDue(tree: Tree): void {
    const { clock } = this.#context;
    while (tree.queue.size > 0) {
      const call = tree.queue.first as number;
      if (tree.states[call] === "gone") {
        tree.queue.pop();
        continue;
      }
      const { isVirtual } = tree.calls[call] as PlayedCall;
      const dueNs = tree.queue.firstMs;
      if (dueNs > clock.nowNs() || !(isVirtual || this.#hasRoom(tree))) return;
      tree.queue.pop();
      if (isVirtual) {
        tree.states[call] = "ended";
        this.#meet(tree, call, "start", dueNs);
        this.#meet(tree, call, "end", dueNs);
      } else this.#enter(tree, call, dueNs);
    }
  }

  #hasRoom({ inFlight, atGate }: Tree): boolean {
    return inFlight + atGate < (this.#agents.maxParallelCalls ?? Infinity);
  }

  /** Sends a call when one more request may be without a token. */
  #enter(tree: Tree, call: number, dueNs: number): void {
    const { gate, clock } = this.#context;
    if (gate.enter()) {
      this.#send(tree, call, { intendedNs: dueNs, claimedNs: dueNs });
      return;
    }
    tree.atGate++;
    gate.wait(() => {
      tree.atGate--;
      const isLeft = tree.isOver || this.#isOver || tree.states[call] === "gone";
      if (isLeft) gate.leave();
      else this.#send(tree, call, { intendedNs: dueNs, claimedNs: Math.max(dueNs, clock.nowNs()) });
      this.#advance(tree, undefined);
    });
  }

  #send(tree: Tree, call: number, times: SendTimes): void {
    const { control, gate, transmit, worker, clock } = this.#context;
    const number = claimRequest(this.#context, tree.session);
    if (number === NOTHING_DUE) {
      tree.states[call] = "gone";
      gate.leave();
      this.#drop(tree);
      return;
    }
    if (tree.isBetween) control.resume(worker);
    tree.isBetween = false;
    tree.inFlight++;
    tree.states[call] = "sent";
    const play: SessionPlay = {
      session: tree.session,
      turn: call,
      correlationId: tree.correlationId,
      history: tree.history,
      waitedFor: tree.waitedFor[call] as number,
      requests: tree.requests,
      dueNs: times.claimedNs,
      callOff: undefined,
    };
    this.#plays.set(play, tree);
    transmit(play, tree.session.turns[call] as Turn, number, times);
    tree.correlationId = play.correlationId;
    this.#meet(tree, call, "start", clock.nowNs());
  }

  /** Moves the calls of a session forward if nothing of it is in flight for too long. */
  #shorten(tree: Tree): void {
    const { idleCapNs } = this.#agents;
    if (idleCapNs === undefined || tree.inFlight + tree.atGate > 0) return;
    const excessNs = tree.queue.firstMs - this.#context.clock.nowNs() - idleCapNs;
    if (excessNs > 0) this.#move(tree, excessNs);
  }

  /** Lets the waiting calls of a session be due earlier. */
  #move(tree: Tree, byNs: number): void {
    const waiting: [number, number][] = [];
    while (tree.queue.size > 0) {
      const timeNs = tree.queue.firstMs;
      waiting.push([timeNs - byNs, tree.queue.pop() as number]);
    }
    for (const [timeNs, call] of waiting) this.#enqueue(tree, call, timeNs);
  }

  /** Sends nothing more of a session. */
  #drop(tree: Tree): void {
    tree.states.forEach((state, call) => {
      if (state === "open" || state === "due") tree.states[call] = "gone";
    });
    while (tree.queue.size > 0) tree.queue.pop();
  }

  /** Counts a request that ended while its session continues. */
  #count(tree: Tree, end: RequestEnd | undefined): void {
    const { control, worker } = this.#context;
    if (end === undefined) return;
    if (tree.inFlight > 0 || tree.isBetween) control.count(outcomeOf(end));
    else {
      control.pause(outcomeOf(end), worker);
      tree.isBetween = true;
    }
  }

  #leave(tree: Tree, end: RequestEnd | undefined): void {
    const { control, onEnded, worker, clock } = this.#context;
    tree.isOver = true;
    this.#trees.delete(tree);
    if (tree.isBetween) control.resume(worker);
    const play: SessionPlay = {
      session: tree.session,
      turn: 0,
      correlationId: tree.correlationId,
      history: tree.history,
      dueNs: clock.nowNs(),
      callOff: undefined,
    };
    onEnded(play, end);
  }

  get #isPaused(): boolean {
    return isPhasePaused(this.#context);
  }

  get #isOver(): boolean {
    return isPhaseOver(this.#context);
  }
}
