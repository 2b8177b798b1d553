import type { CanaryWish } from "./canary_cells.ts";
import { CANARY_KIND } from "./canary_kind.ts";

/** Canaries at random instants, for each worker, a second. */
const POISSON_PER_SECOND = 15;
/** Wishes further ahead than this are not kept: the run may be over by then. */
const MAX_AHEAD_NS = 600e9;
const MAX_WAITING = 4096;

/** A canary that is due for a worker. */
export interface DueCanary extends CanaryWish {
  readonly worker: number;
}

/** Says which canaries are due when: those at random instants, and those that workers want. */
export class CanarySchedule {
  readonly #random: () => number;
  /** Next random instant of each worker. */
  readonly #poissonNs: number[];
  /** What workers want, the earliest last. */
  #wished: DueCanary[] = [];

  /** @param random uniform in [0, 1) */
  constructor(workers: number, nowNs: number, random: () => number) {
    this.#random = random;
    this.#poissonNs = Array.from({ length: workers }, () => nowNs + this.#gapNs());
  }

  /** Adds a wish. */
  add(wish: DueCanary, nowNs: number): void {
    if (!(wish.dueNs - nowNs <= MAX_AHEAD_NS) || this.#wished.length >= MAX_WAITING) return;
    const at = this.#wished.findLastIndex(({ dueNs }) => dueNs >= wish.dueNs);
    this.#wished.splice(at + 1, 0, wish);
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
      // After a standstill each of those that were missed is written: that time counts, too.
      while ((this.#poissonNs[worker] as number) <= nowNs) {
        const dueNs = this.#poissonNs[worker] as number;
        this.#poissonNs[worker] = dueNs + this.#gapNs();
        yield { worker, kind: CANARY_KIND.poisson, dueNs };
      }
    }
  }

  #gapNs(): number {
    return -Math.log(1 - this.#random()) * 1e9 / POISSON_PER_SECOND;
  }
}
