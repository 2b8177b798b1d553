import type { Turn } from "../workload/workload.ts";
import { NOTHING_DUE } from "./control_block.ts";
import { isPhaseOver } from "./phase_limits.ts";
import { outcomeOf, type RequestEnd } from "./request_end.ts";
import type { SessionPlay, SessionPlayerContext } from "./session_player.ts";
import { playOf, type SessionTree } from "./session_tree.ts";

/** Calls of a session that fill the caches before it is entered. */
interface Priming {
  readonly tree: SessionTree;
  left: number;
  readonly onDone: () => void;
}

/**
 * Sends the last call of each agent before the position at which a session is entered, with one token
 * of output: so the server's cache has what it would have had. These calls are in no result.
 */
export class SessionPriming {
  readonly #context: SessionPlayerContext;
  readonly #plays = new Map<SessionPlay, Priming>();
  /** Calls that wait at the gate, each as an object of its own. */
  readonly #waiting = new Set<{ readonly priming: Priming }>();

  constructor(context: SessionPlayerContext) {
    this.#context = context;
  }

  /**
   * Sends calls at once, as far as there is room at the gate.
   * @param onDone called when all have ended, or nothing more will be sent
   */
  begin(tree: SessionTree, calls: readonly number[], onDone: () => void): void {
    const { gate } = this.#context;
    const priming = { tree, left: calls.length, onDone };
    for (const call of calls) {
      if (gate.enter()) {
        this.#send(priming, call);
        continue;
      }
      const waiting = { priming };
      this.#waiting.add(waiting);
      gate.wait(() => {
        if (this.#waiting.delete(waiting)) this.#send(priming, call);
        else gate.leave();
      });
    }
  }

  /** Drops the calls that wait: nothing more will be sent. */
  stop(): void {
    for (const waiting of [...this.#waiting]) {
      this.#waiting.delete(waiting);
      this.#leave(waiting.priming);
    }
  }

  /** Whether a request is a priming call. */
  has(play: SessionPlay): boolean {
    return this.#plays.has(play);
  }

  /** A priming call has ended. The session runs even if it failed. */
  ended(play: SessionPlay, end: RequestEnd): void {
    const priming = this.#plays.get(play) as Priming;
    this.#plays.delete(play);
    this.#context.control.countPriming(outcomeOf(end));
    this.#leave(priming);
  }

  #send(priming: Priming, call: number): void {
    const { clock, gate, transmit } = this.#context;
    const { tree } = priming;
    if (tree.isOver || isPhaseOver(this.#context)) {
      gate.leave();
      this.#leave(priming);
      return;
    }
    const nowNs = clock.nowNs();
    const play = { ...playOf(tree, call, nowNs), isPriming: true };
    this.#plays.set(play, priming);
    const times = { intendedNs: nowNs, claimedNs: nowNs };
    transmit(play, tree.session.turns[call] as Turn, NOTHING_DUE, times);
  }

  #leave(priming: Priming): void {
    priming.left--;
    if (priming.left === 0 && !priming.tree.isOver) priming.onDone();
  }
}
