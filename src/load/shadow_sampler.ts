import { CANARY_KIND } from "../canary/canary_kind.ts";
import type { CanaryWish } from "../canary/canary_cells.ts";

/** Shadows of each kind that are asked for in a second, on average. */
const FIRST_PER_SECOND = 30;
const LAST_PER_SECOND = 20;
/** Durations that are remembered, a random choice of the latest. */
const REMEMBERED = 64;
/** Time over which the rate of requests is measured. */
const RATE_WINDOW_NS = 1e9;

/**
 * Decides which requests get a shadow: a canary that is due when the request's first chunk, or its
 * last one, can be expected. Every request has the same chance, so that the shadows keep step with
 * the real chunks, bursts included; the expected time is that of an earlier request, drawn at random.
 */
export class ShadowSampler {
  readonly #random: () => number;
  readonly #wish: (wish: CanaryWish) => void;
  readonly #firstNs: number[] = [];
  readonly #lastNs: number[] = [];
  #windowStartNs = NaN;
  #windowCount = 0;
  /** Requests in the window before. */
  #rate: number;

  /**
   * @param expectedPerSecond requests in the first second, as far as one can guess
   * @param random uniform in [0, 1)
   */
  constructor(
    expectedPerSecond: number,
    wish: (wish: CanaryWish) => void,
    random: () => number = Math.random,
  ) {
    this.#rate = expectedPerSecond;
    this.#wish = wish;
    this.#random = random;
  }

  /** A request starts. */
  onStart(startNs: number): void {
    if (!(startNs - this.#windowStartNs < RATE_WINDOW_NS)) {
      if (!Number.isNaN(this.#windowStartNs)) this.#rate = this.#windowCount;
      this.#windowStartNs = startNs;
      this.#windowCount = 0;
    }
    this.#windowCount++;
    this.#draw(CANARY_KIND.first, FIRST_PER_SECOND, this.#firstNs, startNs);
    this.#draw(CANARY_KIND.last, LAST_PER_SECOND, this.#lastNs, startNs);
  }

  /** A request has ended: how long its first and last chunk took, NaN for none. */
  onEnd(firstNs: number, lastNs: number): void {
    this.#remember(this.#firstNs, firstNs);
    this.#remember(this.#lastNs, lastNs);
  }

  #draw(kind: number, perSecond: number, durations: readonly number[], startNs: number): void {
    const durationNs = durations[Math.floor(this.#random() * durations.length)];
    const rate = Math.max(this.#rate, this.#windowCount);
    if (durationNs === undefined || this.#random() * rate >= perSecond) return;
    this.#wish({ kind, dueNs: startNs + durationNs });
  }

  #remember(durations: number[], durationNs: number): void {
    if (Number.isNaN(durationNs)) return;
    if (durations.length < REMEMBERED) durations.push(durationNs);
    else durations[Math.floor(this.#random() * REMEMBERED)] = durationNs;
  }
}
