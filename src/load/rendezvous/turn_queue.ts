import type { Timers } from "../../core/thread/timers.ts";

/**
 * Limits how many tasks run at a time; the others wait in the order of their arrival. A task that
 * takes too long does not delay the others.
 */
export class TurnQueue<Who> {
  readonly #places: number;
  readonly #longestMs: number;
  readonly #timers: Timers;
  readonly #atWork = new Map<Who, () => void>();
  readonly #waiting = new Map<Who, () => void>();

  constructor(places: number, longestMs: number, timers: Timers) {
    this.#places = places;
    this.#longestMs = longestMs;
    this.#timers = timers;
  }

  /** Calls when it is this one's turn. */
  enter(who: Who, onTurn: () => void): void {
    this.#waiting.set(who, onTurn);
    this.#next();
  }

  /** This one is done, or gone. */
  leave(who: Who): void {
    this.#waiting.delete(who);
    this.#atWork.get(who)?.();
    this.#atWork.delete(who);
    this.#next();
  }

  #next(): void {
    for (const [who, onTurn] of this.#waiting) {
      if (this.#atWork.size >= this.#places) return;
      this.#waiting.delete(who);
      this.#atWork.set(who, this.#timers.once(this.#longestMs, () => this.leave(who)));
      onTurn();
    }
  }
}
