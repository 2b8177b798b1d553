import type { AgentsPlan } from "../../config/plan/agents_plan.ts";
import { type StartPosition, startPosition } from "../../core/session_graph/start_position.ts";
import { randomStream } from "../../core/statistics/random_stream.ts";
import type { PlayedCall } from "../dataset/payloads/graph_columns.ts";
import type { Session, Turn } from "../workload/workload.ts";
import { CallProgress } from "./call_progress.ts";
import { NOTHING_DUE } from "./control_block.ts";
import { GraphHistory } from "./graph_history.ts";
import { claimRequest, isPhaseOver, isPhasePaused, timerMs } from "./phase_limits.ts";
import { outcomeOf, type RequestEnd } from "./request_end.ts";
import type { SendTimes, SessionPlay, SessionPlayerContext, TurnReply } from "./session_player.ts";

/** A recorded session in progress. */
interface Tree {
  readonly session: Session;
  readonly calls: readonly PlayedCall[];
  readonly progress: CallProgress;
  readonly history: GraphHistory;
  correlationId: string;
  inFlight: number;
  /** When a call last made room for another one, and when it would have, had none been late. */
  roomNs: number;
  punctualRoomNs: number;
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
      progress: new CallProgress(calls, claimedNs),
      history: new GraphHistory(payloads, format, session, { phase: kind, session: session.index }),
      correlationId: "",
      inFlight: 0,
      roomNs: -Infinity,
      punctualRoomNs: -Infinity,
      isBetween: false,
      atGate: 0,
      callOff: undefined,
      isOver: false,
    };
    this.#trees.add(tree);
    const position = this.#positionOf(session, calls);
    if (position === undefined) tree.progress.begin();
    else tree.progress.beginAt(position);
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

  /** Whether a request is one of a recorded session. */
  has(play: SessionPlay): boolean {
    return this.#plays.has(play);
  }

  /** The request of a call has ended. */
  ended(play: SessionPlay, end: RequestEnd, { content, endNs, lateNs }: TurnReply): void {
    const tree = this.#plays.get(play) as Tree;
    const call = play.turn;
    this.#plays.delete(play);
    const { progress } = tree;
    const atNs = end.kind === undefined ? endNs : this.#context.clock.nowNs();
    const knownLateNs = lateNs || 0;
    if (!this.#hasRoom(tree)) {
      tree.roomNs = atNs;
      tree.punctualRoomNs = atNs - knownLateNs;
    }
    tree.inFlight--;
    progress.end(call);
    if (end.kind === undefined) tree.history.addReply(call, content);
    else progress.fail(call, this.#agents.onFailedCall, atNs);
    progress.meet(call, "end", atNs, knownLateNs);
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
      (least, { progress }) => Math.min(least, progress.firstNs),
      Infinity,
    );
    if (firstNs === Infinity || firstNs <= nowNs) return;
    for (const { progress } of this.#trees) progress.move(firstNs - nowNs);
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

  /**
   * Sends the calls that are due, as far as there is room, and waits for the next one.
   * @param end of a request that was in flight; undefined for none
   */
  #advance(tree: Tree, end: RequestEnd | undefined): void {
    if (tree.isOver) return;
    tree.callOff?.();
    tree.callOff = undefined;
    if (this.#isOver) tree.progress.drop();
    else if (!this.#isPaused) this.#sendDue(tree);
    if (tree.isOver) return;
    if (tree.inFlight + tree.atGate === 0 && !tree.progress.hasDue) {
      this.#leave(tree, end);
      return;
    }
    this.#count(tree, end);
    if (this.#isPaused || !tree.progress.hasDue) return;
    this.#shorten(tree);
    const { clock, timers } = this.#context;
    if (!this.#hasRoom(tree)) return;
    const leftMs = (tree.progress.firstNs - clock.nowNs()) / 1e6;
    tree.callOff = timers.once(timerMs(leftMs), () => this.#advance(tree, undefined));
  }

  #sendDue(tree: Tree): void {
    const { clock } = this.#context;
    const { progress } = tree;
    for (let call = progress.first; call !== undefined; call = progress.first) {
      if (progress.isGone(call)) {
        progress.takeFirst();
        continue;
      }
      const { isVirtual } = tree.calls[call] as PlayedCall;
      const dueNs = progress.firstNs;
      if (dueNs > clock.nowNs() || !(isVirtual || this.#hasRoom(tree))) return;
      progress.takeFirst();
      if (isVirtual) {
        const lateNs = dueNs - progress.punctualNs(call);
        progress.end(call);
        progress.meet(call, "start", dueNs, lateNs);
        progress.meet(call, "end", dueNs, lateNs);
      } else this.#enter(tree, call, dueNs);
    }
  }

  #hasRoom({ inFlight, atGate }: Tree): boolean {
    return inFlight + atGate < (this.#agents.maxParallelCalls ?? Infinity);
  }

  /** Sends a call when one more request may be without a token. */
  #enter(tree: Tree, call: number, dueNs: number): void {
    const { gate, clock } = this.#context;
    const claimedNs = Math.max(dueNs, tree.roomNs);
    if (gate.enter()) {
      this.#send(tree, call, { intendedNs: dueNs, claimedNs });
      return;
    }
    tree.atGate++;
    gate.wait(() => {
      tree.atGate--;
      const isLeft = tree.isOver || this.#isOver || tree.progress.isGone(call);
      if (isLeft) gate.leave();
      else {
        const openNs = Math.max(claimedNs, clock.nowNs());
        this.#send(tree, call, { intendedNs: dueNs, claimedNs: openNs });
      }
      this.#advance(tree, undefined);
    });
  }

  #send(tree: Tree, call: number, times: SendTimes): void {
    const { control, gate, transmit, worker, clock } = this.#context;
    const number = claimRequest(this.#context, tree.session);
    if (number === NOTHING_DUE) {
      tree.progress.leaveOut(call);
      gate.leave();
      tree.progress.drop();
      return;
    }
    if (tree.isBetween) control.resume(worker);
    tree.isBetween = false;
    tree.inFlight++;
    const roomNs = Math.max(times.intendedNs, tree.roomNs);
    const punctualNs = Math.max(tree.progress.punctualNs(call), tree.punctualRoomNs) +
      Math.max(0, times.claimedNs - roomNs);
    tree.progress.start(call, punctualNs);
    const play: SessionPlay = {
      session: tree.session,
      turn: call,
      correlationId: tree.correlationId,
      history: tree.history,
      waitedFor: tree.progress.waitedFor(call),
      requests: tree.progress.requests,
      dueNs: times.claimedNs,
      punctualNs,
      callOff: undefined,
    };
    this.#plays.set(play, tree);
    transmit(play, tree.session.turns[call] as Turn, number, times);
    tree.correlationId = play.correlationId;
    const startNs = clock.nowNs();
    tree.progress.meet(call, "start", startNs, startNs - punctualNs);
  }

  /** Moves the calls of a session forward if nothing of it is in flight for too long. */
  #shorten(tree: Tree): void {
    const { idleCapNs } = this.#agents;
    if (idleCapNs === undefined || tree.inFlight + tree.atGate > 0) return;
    const excessNs = tree.progress.firstNs - this.#context.clock.nowNs() - idleCapNs;
    if (excessNs > 0) tree.progress.move(excessNs);
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
      punctualNs: clock.nowNs(),
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
