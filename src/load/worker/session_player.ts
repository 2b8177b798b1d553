import type { ConversationFormat } from "../../client/endpoint/protocol/conversation_format.ts";
import type { ReplyContent } from "../../client/endpoint/protocol/reply_content.ts";
import type { RunClock } from "../../core/thread/run_clock.ts";
import type { Timers } from "../../core/thread/timers.ts";
import type { SaltedTurn } from "../dataset/payloads/prompt_salt.ts";
import type { PayloadSource } from "../dataset/payloads/payload_table.ts";
import type { Session, Turn, Workload } from "../workload/workload.ts";
import { type ControlBlock, NOTHING_DUE } from "./control_block.ts";
import type { PhaseStart } from "./messages.ts";
import { claimRequest, isPhaseOver, isPhasePaused, timerMs } from "./phase_limits.ts";
import type { PrefillGate } from "./prefill_gate.ts";
import { outcomeOf, type RequestEnd } from "./request_end.ts";
import { SessionHistory } from "./session_history.ts";

/** Active session and its progress. */
export interface SessionPlay {
  readonly session: Session;
  /** Place of the turn that is in flight or comes next. */
  turn: number;
  /** X-Correlation-ID of its requests: the X-Request-ID of the first. */
  correlationId: string;
  /** undefined where no turn carries the ones before it. */
  readonly history: PlayHistory | undefined;
  /** Event after which the request became due; absent where turns follow each other. */
  readonly waitedFor?: number;
  /** Requests of the session; absent if each of its turns is one. */
  readonly requests?: number;
  /** By how much idle caps have moved the calls of the session; absent for lists. */
  readonly idleCutNs?: number;
  /** Whether the request only fills the server's caches and is in no result. */
  readonly isPriming?: boolean;
  /** When the request in flight, or the last one, was due and could be sent. */
  dueNs: number;
  /** Due time of that request, had the client sent all requests of the session punctually. */
  punctualNs: number;
  /** Cancels the wait for the next turn; undefined while a request is in flight. */
  callOff: (() => void) | undefined;
}

/** Bodies of the requests of a session. */
export interface PlayHistory {
  /** @param place of the turn within its session */
  bodyOf(number: number, model: number, turn: SaltedTurn, place: number): Uint8Array[];
  /** Whether the last body, or a call's, does not follow the tool calls of the live reply before. */
  hasDiverged?(place: number): boolean;
  /** Adds the messages of a turn and its reply; absent where the session does that itself. */
  add?(number: number, model: number, reply: ReplyContent, turn?: SaltedTurn): void;
}

/** When a request was to be sent, and when it could be. */
export interface SendTimes {
  readonly intendedNs: number;
  readonly claimedNs: number;
}

/** A reply that ended a turn. */
export interface TurnReply {
  readonly content: ReplyContent;
  readonly endNs: number;
  /** Lateness of the turn: see the field `lateNs` of records. */
  readonly lateNs: number;
}

/** Functions and settings that a player needs from its thread and its phase. */
export interface SessionPlayerContext {
  readonly worker: number;
  readonly phase: PhaseStart;
  readonly workload: Workload;
  readonly control: ControlBlock;
  readonly clock: RunClock;
  readonly timers: Timers;
  readonly gate: PrefillGate;
  readonly payloads: PayloadSource;
  /** undefined where the API takes one prompt at a time. */
  readonly format: ConversationFormat | undefined;
  /** Sends the turn that a session is at, as the request of this number. */
  transmit(play: SessionPlay, turn: Turn, number: number, times: SendTimes): void;
  /**
   * Called when a session is over.
   * @param end of its last request; undefined if none was in flight
   */
  onEnded(play: SessionPlay, end: RequestEnd | undefined): void;
}

/**
 * Runs the sessions that a thread has begun: sends each turn after the reply to the previous one
 * and the pause between them. A session ends with its last turn, with a turn that fails, and when
 * nothing more will be sent.
 */
export class SessionPlayer {
  readonly #context: SessionPlayerContext;
  /** Sessions between two requests. */
  readonly #waiting = new Set<SessionPlay>();
  /** Sends the turns of those whose turn came in a pause. */
  readonly #held: (() => void)[] = [];

  constructor(context: SessionPlayerContext) {
    this.#context = context;
  }

  /**
   * Sends the first turn of a session.
   * @returns whether it began; not if as many requests as there may be were sent already
   */
  begin(session: Session, times: SendTimes): boolean {
    const number = claimRequest(this.#context, session);
    if (number === NOTHING_DUE) return false;
    const play: SessionPlay = {
      session,
      turn: 0,
      correlationId: "",
      history: this.#historyOf(session),
      dueNs: times.claimedNs,
      punctualNs: times.claimedNs,
      callOff: undefined,
    };
    this.#context.transmit(play, session.turns[0], number, times);
    return true;
  }

  /** The request of a session's turn has ended: the next one is sent when it is due. */
  ended(play: SessionPlay, end: RequestEnd, reply: TurnReply): void {
    const { control, worker, onEnded, phase } = this.#context;
    const { turns, index } = play.session;
    const next = turns[play.turn + 1];
    if (next === undefined || end.kind !== undefined || this.#isOver) {
      onEnded(play, end);
      return;
    }
    const { entry, model } = turns[play.turn] as Turn;
    const sent = { phase: phase.plan.kind, session: index, turn: play.turn };
    play.history?.add?.(entry, model, reply.content, sent);
    play.turn++;
    control.count(outcomeOf(end), worker);
    this.#waiting.add(play);
    const { endNs, lateNs } = reply;
    const dueNs = this.#dueNs(next, play.dueNs, endNs);
    play.punctualNs = Number.isNaN(lateNs)
      ? dueNs
      : this.#dueNs(next, play.punctualNs, endNs - lateNs);
    this.#wait(play, next, dueNs);
  }

  /**
   * Ends the sessions between two requests if nothing more will be sent; continues after a pause.
   */
  onTick(): void {
    if (this.#waiting.size > 0 && this.#isOver) this.stop();
    if (this.#held.length > 0 && !this.#isPaused) {
      for (const send of this.#held.splice(0)) send();
    }
  }

  /** Ends the sessions between two requests. */
  stop(): void {
    this.#held.length = 0;
    for (const play of [...this.#waiting]) {
      play.callOff?.();
      this.#leave(play);
    }
  }

  #dueNs({ delayNs, atNs, afterDueNs }: Turn, beforeNs: number, replyNs: number): number {
    // From when it was due: by how much this thread was late adds up otherwise.
    if (afterDueNs !== undefined) return Math.max(replyNs, beforeNs + afterDueNs);
    if (atNs === undefined) return replyNs + delayNs;
    return Math.max(replyNs, this.#context.phase.startNs + atNs);
  }

  #wait(play: SessionPlay, turn: Turn, dueNs: number): void {
    const { clock, timers } = this.#context;
    const leftMs = (dueNs - clock.nowNs()) / 1e6;
    if (leftMs <= 0) {
      this.#sendNext(play, turn, dueNs);
      return;
    }
    play.callOff = timers.once(timerMs(leftMs), () => this.#wait(play, turn, dueNs));
  }

  /** Sends the next turn: at once, after a pause, when one more request may be without a token. */
  #sendNext(play: SessionPlay, turn: Turn, dueNs: number): void {
    const { clock, gate } = this.#context;
    play.callOff = undefined;
    if (this.#isPaused) this.#hold(play, turn);
    else if (gate.enter()) this.#sendNow(play, turn, { intendedNs: dueNs, claimedNs: dueNs });
    else {
      gate.wait(() =>
        this.#sendNow(play, turn, {
          intendedNs: dueNs,
          claimedNs: Math.max(dueNs, clock.nowNs()),
        })
      );
    }
  }

  #sendNow(play: SessionPlay, turn: Turn, times: SendTimes): void {
    const { gate, transmit } = this.#context;
    const isLeft = this.#waiting.has(play);
    if (isLeft && this.#isPaused) {
      gate.leave();
      this.#hold(play, turn);
      return;
    }
    const number = !isLeft || this.#isOver
      ? NOTHING_DUE
      : claimRequest(this.#context, play.session);
    if (number === NOTHING_DUE) {
      gate.leave();
      if (isLeft) this.#leave(play);
      return;
    }
    this.#waiting.delete(play);
    play.dueNs = times.claimedNs;
    play.punctualNs += times.claimedNs - times.intendedNs;
    transmit(play, turn, number, times);
  }

  /** While the load is paused no turn is due; after that they are at once. */
  #hold(play: SessionPlay, turn: Turn): void {
    this.#held.push(() => {
      play.punctualNs = this.#context.clock.nowNs();
      this.#sendNext(play, turn, play.punctualNs);
    });
  }

  #leave(play: SessionPlay): void {
    this.#waiting.delete(play);
    this.#context.onEnded(play, undefined);
  }

  get #isPaused(): boolean {
    return isPhasePaused(this.#context);
  }

  get #isOver(): boolean {
    return isPhaseOver(this.#context);
  }

  #historyOf({ turns }: Session): SessionHistory | undefined {
    const { format, payloads } = this.#context;
    if (!payloads.hasConversations || format === undefined) return undefined;
    const follows = turns.some((turn) => {
      const { table, entry } = payloads.locate(turn.entry);
      return table.data.conversations?.followsHistory[entry] === 1;
    });
    return follows ? new SessionHistory(payloads, format) : undefined;
  }
}
