/**
 * Token bucket that admits a given number of requests per second, and one second's worth at once.
 */
export class RateLimiter {
  readonly #perMs: number;
  readonly #most: number;
  #tokens: number;
  #atMs = 0;

  /** @param perSecond Infinity for no limit */
  constructor(perSecond: number) {
    this.#perMs = perSecond / 1000;
    this.#most = Math.max(1, perSecond);
    this.#tokens = this.#most;
  }

  /** Whether a request may come at this time, which never goes back. */
  admits(nowMs: number): boolean {
    if (this.#most === Infinity) return true;
    this.#tokens = Math.min(this.#most, this.#tokens + (nowMs - this.#atMs) * this.#perMs);
    this.#atMs = nowMs;
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }
}
