import type { CanaryWish } from "./canary_cells.ts";
import { CANARY_KIND } from "./canary_kind.ts";

/** Canaries at random instants, for each worker, a second. */
const POISSON_PER_SECOND = 15;
/**
 * Canaries per second when something is new to a worker: its requests, their first chunks, their
 * ends. These come together and unexpectedly, and work that is done for the first time takes
 * longer. Without these canaries, the coverage of the bounds fell and more runs were wrongly
 * classified as valid; see docs/accuracy.md.
 */
const EARLY_PER_SECOND = 500;
/**
 * Duration of the early canaries in seconds; their rate then falls in proportion to the time since,
 * to the usual rate.
 */
const EARLY_SECONDS = 0.1;
const EARLY_COUNT = EARLY_PER_SECOND * EARLY_SECONDS;
const USUAL_FROM_SECONDS = EARLY_COUNT / POISSON_PER_SECOND;
const USUAL_FROM_COUNT = EARLY_COUNT * (1 + Math.log(USUAL_FROM_SECONDS / EARLY_SECONDS));
/** Wishes further ahead than this are not kept: the run may be over by then. */
const MAX_AHEAD_NS = 600e9;
const MAX_WAITING = 4096;

/** A canary that is due for a worker. */
export interface DueCanary extends CanaryWish {
  readonly worker: number;
}

/**
 * Determines which canaries are due when: those at random instants, and those that workers request.
 */
export class CanarySchedule {
  readonly #random: () => number;
  readonly #beginNs: number;
  /** Next random instant of each worker. */
  readonly #poissonNs: number[];
  /** When something came to each worker for the first time; infinitely long ago before that. */
  readonly #newNs: number[];
  /** Canaries that workers requested, and those missed before something new; the earliest last. */
  #wished: DueCanary[] = [];

  /**
   * @param beginNs random instants are after this
   * @param random uniform in [0, 1)
   */
  constructor(workers: number, beginNs: number, random: () => number) {
    this.#beginNs = beginNs;
    this.#random = random;
    this.#newNs = new Array(workers).fill(-Infinity);
    this.#poissonNs = Array.from({ length: workers }, (_, worker) => this.#after(worker, beginNs));
  }

  /**
   * Adds a wish; one for a random instant announces that something is new at that time. A thread
   * that learns of it late was stalled, perhaps with the load workers, so instants of that time are
   * included.
   */
  add(wish: DueCanary, nowNs: number): void {
    if (wish.kind === CANARY_KIND.poisson) {
      if (wish.dueNs >= this.#beginNs) this.#begin(wish.worker, wish.dueNs);
      return;
    }
    if (wish.dueNs - nowNs <= MAX_AHEAD_NS) this.#keep(wish);
  }

  /** When the next canary is due. */
  get nextNs(): number {
    return Math.min(this.#wished.at(-1)?.dueNs ?? Infinity, ...this.#poissonNs);
  }

  /** Takes what is due by now. */
  *take(nowNs: number): Generator<DueCanary> {
    for (let wish = this.#wished.at(-1); wish && wish.dueNs <= nowNs; wish = this.#wished.at(-1)) {
      this.#wished.pop();
      yield wish;
    }
    for (let worker = 0; worker < this.#poissonNs.length; worker++) {
      // After a stall each of those that were missed is written: that time counts, too.
      yield* this.#instants(worker, nowNs);
    }
  }

  #keep(canary: DueCanary): void {
    if (this.#wished.length >= MAX_WAITING) return;
    const at = this.#wished.findLastIndex(({ dueNs }) => dueNs >= canary.dueNs);
    this.#wished.splice(at + 1, 0, canary);
  }

  #begin(worker: number, newNs: number): void {
    // Those before were missed in the same stall.
    for (const missed of this.#instants(worker, newNs)) this.#keep(missed);
    this.#newNs[worker] = newNs;
    this.#poissonNs[worker] = this.#after(worker, newNs);
  }

  /** Takes the worker's random instants by a time. */
  *#instants(worker: number, untilNs: number): Generator<DueCanary> {
    while ((this.#poissonNs[worker] as number) <= untilNs) {
      const dueNs = this.#poissonNs[worker] as number;
      this.#poissonNs[worker] = this.#after(worker, dueNs);
      yield { worker, kind: CANARY_KIND.poisson, dueNs };
    }
  }

  /** The worker's next random instant after one. */
  #after(worker: number, sinceNs: number): number {
    const drawn = -Math.log(1 - this.#random());
    const newNs = this.#newNs[worker] as number;
    const seconds = (sinceNs - newNs) / 1e9;
    if (seconds >= USUAL_FROM_SECONDS) return sinceNs + drawn * 1e9 / POISSON_PER_SECOND;
    return newNs + secondsAt(countAt(seconds) + drawn) * 1e9;
  }
}

/** Returns the expected number of random instants within `seconds` after something new. */
function countAt(seconds: number): number {
  if (seconds <= EARLY_SECONDS) return EARLY_PER_SECOND * seconds;
  return EARLY_COUNT * (1 + Math.log(seconds / EARLY_SECONDS));
}

/** Returns the time in seconds until `count` instants are expected. */
function secondsAt(count: number): number {
  if (count <= EARLY_COUNT) return count / EARLY_PER_SECOND;
  if (count <= USUAL_FROM_COUNT) return EARLY_SECONDS * Math.exp(count / EARLY_COUNT - 1);
  return USUAL_FROM_SECONDS + (count - USUAL_FROM_COUNT) / POISSON_PER_SECOND;
}
