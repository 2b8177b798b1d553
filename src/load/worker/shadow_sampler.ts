import { CANARY_KIND, type Shadow } from "../../measurement/canary/canary_kind.ts";
import type { CanaryWish } from "../../measurement/canary/canary_cells.ts";

/** Shadows of each kind that are asked for in a second, on average. */
const PER_SECOND: Readonly<Record<Shadow, number>> = { first: 18, second: 5, last: 12 };
const SHADOWS = Object.keys(PER_SECOND) as Shadow[];
/** Shadows of the first wave of requests, once it comes. */
const AT_ONCE: Readonly<Record<Shadow, number>> = { first: 8, second: 2, last: 8 };
/** Durations that are remembered, a random choice of the latest. */
const REMEMBERED = 64;
/** Time over which the rate of requests is measured. */
const RATE_WINDOW_NS = 1e9;

/**
 * Decides which requests get a shadow: a canary that is due when the request's first, second or
 * last chunk is expected. Every request has the same probability, so that the shadows are
 * synchronized with the real chunks, bursts included. The expected time is that of an earlier
 * request, drawn at random.
 */
export class ShadowSampler {
  readonly #random: () => number;
  readonly #wish: (wish: CanaryWish) => void;
  /** Durations of earlier requests from the start to each of these chunks. */
  readonly #durations: Readonly<Record<Shadow, number[]>> = { first: [], second: [], last: [] };
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
      if (Number.isNaN(this.#windowStartNs)) this.#wishMany(startNs);
      else this.#rate = this.#windowCount;
      this.#windowStartNs = startNs;
      this.#windowCount = 0;
    }
    this.#windowCount++;
    for (const shadow of SHADOWS) this.#draw(shadow, startNs);
  }

  /** A chunk of a request has come, so long after the request's start; NaN if there was none. */
  onChunk(shadow: Shadow, startNs: number, afterNs: number): void {
    const durations = this.#durations[shadow];
    if (Number.isNaN(afterNs)) return;
    // Nothing could be expected of the first requests: those that started with this one come now.
    if (durations.length === 0) this.#wishAtOnce(shadow, startNs + afterNs);
    if (durations.length < REMEMBERED) durations.push(afterNs);
    else durations[Math.floor(this.#random() * REMEMBERED)] = afterNs;
  }

  #wishAtOnce(shadow: Shadow, dueNs: number): void {
    if (shadow !== "second") this.#wishMany(dueNs);
    for (let i = 0; i < AT_ONCE[shadow]; i++) this.#wish({ kind: CANARY_KIND[shadow], dueNs });
  }

  /** Many at random instants, as what comes now comes for the first time. */
  #wishMany(sinceNs: number): void {
    this.#wish({ kind: CANARY_KIND.poisson, dueNs: sinceNs });
  }

  #draw(shadow: Shadow, startNs: number): void {
    const durations = this.#durations[shadow];
    const durationNs = durations[Math.floor(this.#random() * durations.length)];
    const rate = Math.max(this.#rate, this.#windowCount);
    if (durationNs === undefined || this.#random() * rate >= PER_SECOND[shadow]) return;
    this.#wish({ kind: CANARY_KIND[shadow], dueNs: startNs + durationNs });
  }
}
