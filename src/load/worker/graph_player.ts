import type { AgentsPlan } from "../../config/plan/agents_plan.ts";
import type { RunPlan } from "../../config/plan/run_plan.ts";
import { ruledGapMs } from "../../core/session_graph/session_graph.ts";
import { recordedPosition } from "../../core/session_graph/recorded_position.ts";
import type { StartPosition } from "../../core/session_graph/start_position.ts";
import { startRatio } from "../../core/session_graph/start_ratio.ts";
import type { PlayedCall } from "../dataset/payloads/graph_columns.ts";
import type { Session, Turn } from "../workload/workload.ts";
import { NOTHING_DUE } from "./control_block.ts";
import { GraphHistory } from "./graph_history.ts";
import { claimRequest, isPhaseOver, isPhasePaused, timerMs } from "./phase_limits.ts";
import { outcomeOf, type RequestEnd } from "./request_end.ts";
import type { SendTimes, SessionPlay, SessionPlayerContext, TurnReply } from "./session_player.ts";
import { SessionPriming } from "./session_priming.ts";
import { newTree, playOf, type SessionTree, withoutGaps } from "./session_tree.ts";
import { SystemIdle } from "./system_idle.ts";

/**
 * Runs recorded sessions that a thread has begun: sends each call when the calls that it waits for
 * have ended or started and its gap has passed. A session is over when none of its calls is in
 * flight and none will be sent.
 */
export class GraphPlayer {
  readonly #context: SessionPlayerContext;
  readonly #agents: AgentsPlan;
  readonly #plan: Pick<RunPlan, "seed" | "benchmarkId">;
  readonly #primedAhead: number;
  readonly #onWaiting: (session: number) => void;
  readonly #priming: SessionPriming;
  /** Keeps the time short in which nothing of the run is in flight; undefined for no limit. */
  readonly #idle: SystemIdle | undefined;
  readonly #trees = new Set<SessionTree>();
  readonly #plays = new Map<SessionPlay, SessionTree>();

  /**
   * @param plan of the run, by which sessions are entered in their middle
   * @param primedAhead sessions whose priming calls another phase has sent
   * @param onWaiting called with the number of a session that has begun, and sends nothing for now
   */
  constructor(
    context: SessionPlayerContext,
    agents: AgentsPlan,
    plan: Pick<RunPlan, "seed" | "benchmarkId">,
    primedAhead: number,
    onWaiting: (session: number) => void,
  ) {
    this.#context = {
      ...context,
      transmit: (play, turn, number, times) => {
        this.#idle?.start();
        context.transmit(play, turn, number, times);
      },
    };
    this.#plan = plan;
    this.#agents = agents;
    this.#primedAhead = primedAhead;
    this.#onWaiting = onWaiting;
    this.#priming = new SessionPriming(this.#context);
    this.#idle = this.#createIdle();
  }

  #createIdle(): SystemIdle | undefined {
    const { worker, control, clock, timers, phase } = this.#context;
    const { systemIdleCapNs: capNs } = this.#agents;
    if (capNs === undefined) return undefined;
    const setting = { cells: control.idle, worker, capNs, startNs: phase.startNs, clock, timers };
    return new SystemIdle(setting, {
      firstDueNs: () =>
        [...this.#trees].reduce((ns, { progress }) => Math.min(ns, progress.firstNs), Infinity),
      move: (byNs) => {
        for (const tree of [...this.#trees]) this.#move(tree, byNs);
        for (const tree of [...this.#trees]) this.#advance(tree, undefined);
      },
    });
  }

  /** Begins a session, for whose first call there is room at the gate. */
  begin(session: Session, { claimedNs }: SendTimes): boolean {
    const { gate, payloads, format, phase } = this.#context;
    if (this.#isOver) return false;
    // Each call asks for room itself: the first one may be due later.
    gate.leave();
    const isWarmup = phase.plan.kind === "warmup";
    const salting = { phase: isWarmup ? "warmup" : "profiling", session: session.index } as const;
    const { fillsCaches, isPriming } = phase.plan;
    const played = fillsCaches ? withoutGaps(session) : session;
    const tree = newTree(played, new GraphHistory(payloads, format, session, salting));
    this.#trees.add(tree);
    const position = isWarmup && !fillsCaches ? undefined : this.#positionOf(session, tree.calls);
    if (position !== undefined && !isWarmup) tree.correlationId = this.#correlationId(session);
    const isAhead = isPriming === true && !fillsCaches;
    const needsPriming = !fillsCaches && (isAhead || session.index >= this.#primedAhead);
    const primed = needsPriming ? position?.primed ?? [] : [];
    if (primed.length > 0) {
      this.#priming.begin(tree, primed, () => {
        if (isAhead) this.#leave(tree, undefined);
        else this.#enterAt(tree, position, this.#context.clock.nowNs());
      });
    } else if (isAhead) {
      queueMicrotask(() => this.#leave(tree, undefined));
    } else this.#enterAt(tree, position, claimedNs);
    if (tree.inFlight === 0 && primed.length === 0) {
      queueMicrotask(() => this.#onWaiting(session.index));
    }
    return true;
  }

  /** @param position undefined for the beginning of the session */
  #enterAt(tree: SessionTree, position: StartPosition | undefined, startNs: number): void {
    const { progress } = tree;
    const { toolTime, userTime, burstsStarts } = this.#agents;
    tree.isEntered = true;
    if (position === undefined) progress.begin(startNs);
    else {
      progress.beginAt(
        position,
        startNs,
        (ms, { gapClass }) =>
          this.#context.phase.plan.fillsCaches
            ? 0
            : ruledGapMs(ms, gapClass === "user" ? userTime : toolTime),
      );
    }
    if (burstsStarts && progress.firstNs > startNs) progress.move(progress.firstNs - startNs);
    this.#advance(tree, undefined);
    this.#idle?.look();
  }

  /** Where a session is entered; undefined for its beginning. */
  #positionOf({ index }: Session, calls: readonly PlayedCall[]): StartPosition | undefined {
    return recordedPosition(
      calls,
      startRatio(this.#plan.seed, this.#agents.startRatios, index),
    );
  }

  /** The ID of a session whose priming calls may be sent by another thread in another phase. */
  #correlationId({ index }: Session): string {
    const { benchmarkId: id } = this.#plan;
    const number = index.toString(16).padStart(12, "0");
    return `${id.slice(0, 8)}-${id.slice(8, 12)}-4000-8000-${number}`;
  }

  /** Whether a request is one of a recorded session. */
  has(play: SessionPlay): boolean {
    return this.#plays.has(play) || this.#priming.has(play);
  }

  /** The request of a call has ended. */
  ended(play: SessionPlay, end: RequestEnd, reply: TurnReply): void {
    this.#idle?.end();
    if (this.#priming.has(play)) this.#priming.ended(play, end);
    else {
      if (play.isPriming) this.#context.control.countPriming(outcomeOf(end));
      this.#endCall(play, end, reply);
    }
    this.#idle?.look();
  }

  #endCall(play: SessionPlay, end: RequestEnd, { content, endNs, lateNs }: TurnReply): void {
    const tree = this.#plays.get(play) as SessionTree;
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

  /** Ends sessions without a request in flight if nothing more will be sent. */
  onTick(): void {
    if (this.#isOver) this.#priming.stop();
    for (const tree of [...this.#trees]) {
      if (this.#isOver || !this.#isPaused) this.#advance(tree, undefined);
    }
  }

  /** Ends the sessions without a request in flight. */
  stop(): void {
    this.onTick();
  }

  /** The phase is over. */
  close(): void {
    this.#idle?.close();
  }

  /**
   * Sends the calls that are due, as far as there is room, and waits for the next one.
   * @param end of a request that was in flight; undefined for none
   */
  #advance(tree: SessionTree, end: RequestEnd | undefined): void {
    const { clock, control, timers, worker } = this.#context;
    if (tree.isOver || !tree.isEntered) return;
    tree.callOff?.();
    tree.callOff = undefined;
    if (this.#isOver) {
      tree.progress.drop();
      // A gate that has closed lets none of them in.
      tree.atGate.clear();
    } else if (!this.#isPaused) this.#sendDue(tree);
    if (tree.isOver) return;
    if (tree.inFlight + tree.atGate.size === 0 && !tree.progress.hasDue) {
      this.#leave(tree, end);
      return;
    }
    if (end !== undefined) control.count(outcomeOf(end), worker);
    if (this.#isPaused || !tree.progress.hasDue) return;
    this.#shorten(tree);
    if (!this.#hasRoom(tree)) return;
    const leftMs = (tree.progress.firstNs - clock.nowNs()) / 1e6;
    tree.callOff = timers.once(timerMs(leftMs), () => {
      this.#advance(tree, undefined);
      // A call that sends nothing may have been due, and the next one is later than the cap.
      this.#idle?.look();
    });
  }

  #sendDue(tree: SessionTree): void {
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

  #hasRoom({ inFlight, atGate }: SessionTree): boolean {
    return inFlight + atGate.size < (this.#agents.maxParallelCalls ?? Infinity);
  }

  /** Sends a call when one more request may be without a token. */
  #enter(tree: SessionTree, call: number, dueNs: number): void {
    const { gate, clock } = this.#context;
    const claimedNs = Math.max(dueNs, tree.roomNs);
    if (gate.enter()) {
      this.#send(tree, call, { intendedNs: dueNs, claimedNs });
      return;
    }
    tree.atGate.add(call);
    gate.wait(() => {
      const waited = tree.atGate.delete(call);
      const isLeft = !waited || tree.isOver || this.#isOver || tree.progress.isGone(call);
      if (isLeft) gate.leave();
      else {
        const openNs = Math.max(claimedNs, clock.nowNs());
        this.#send(tree, call, { intendedNs: dueNs, claimedNs: openNs });
      }
      this.#advance(tree, undefined);
    });
  }

  #send(tree: SessionTree, call: number, times: SendTimes): void {
    const { gate, transmit, clock } = this.#context;
    const number = claimRequest(this.#context, tree.session);
    if (number === NOTHING_DUE) {
      tree.progress.leaveOut(call);
      gate.leave();
      tree.progress.drop();
      return;
    }
    tree.inFlight++;
    const roomNs = Math.max(times.intendedNs, tree.roomNs);
    const punctualNs = Math.max(tree.progress.punctualNs(call), tree.punctualRoomNs) +
      Math.max(0, times.claimedNs - roomNs);
    tree.progress.start(call, punctualNs);
    const play: SessionPlay = {
      ...playOf(tree, call, times.claimedNs),
      waitedFor: tree.progress.waitedFor(call),
      requests: tree.progress.requests,
      ...(this.#context.phase.plan.fillsCaches ? { isPriming: true } : {}),
      punctualNs,
    };
    this.#plays.set(play, tree);
    transmit(play, tree.session.turns[call] as Turn, number, times);
    tree.correlationId = play.correlationId;
    const startNs = clock.nowNs();
    tree.progress.meet(call, "start", startNs, startNs - punctualNs);
  }

  /** Moves the calls of a session forward if nothing of it is in flight for too long. */
  #shorten(tree: SessionTree): void {
    const { idleCapNs } = this.#agents;
    if (idleCapNs === undefined || tree.inFlight + tree.atGate.size > 0) return;
    const excessNs = tree.progress.firstNs - this.#context.clock.nowNs() - idleCapNs;
    if (excessNs > 0) this.#move(tree, excessNs);
  }

  #move(tree: SessionTree, byNs: number): void {
    tree.progress.move(byNs);
    tree.idleCutNs += byNs;
  }

  #leave(tree: SessionTree, end: RequestEnd | undefined): void {
    const { onEnded, clock } = this.#context;
    tree.isOver = true;
    this.#trees.delete(tree);
    onEnded(playOf(tree, 0, clock.nowNs()), end);
  }

  get #isPaused(): boolean {
    return isPhasePaused(this.#context);
  }

  get #isOver(): boolean {
    return isPhaseOver(this.#context);
  }
}
