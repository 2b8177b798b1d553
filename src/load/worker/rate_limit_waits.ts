import type { Timers } from "../../core/thread/timers.ts";
import { retryAfterMs } from "./retry_after.ts";

/** Request that received HTTP 429. */
export interface LimitedRequest {
  /** From its first start until now, in nanoseconds. */
  readonly underWayNs: number;
  /** The `Retry-After` of the reply. */
  readonly retryAfter: string | undefined;
}

/** Delays requests that received HTTP 429 until they may be resent. */
export class RateLimitWaits<Request> {
  readonly #timeoutNs: number;
  readonly #timers: Timers;
  readonly #epochMs: () => number;
  readonly #again: (request: Request) => void;
  readonly #waiting = new Map<Request, () => void>();
  #isClosed = false;

  /**
   * @param timeoutNs how long a request may take with all its waits
   * @param epochMs milliseconds since 1970, which dates are counted from
   * @param again sends a request again
   */
  constructor(
    timeoutNs: number,
    timers: Timers,
    epochMs: () => number,
    again: (request: Request) => void,
  ) {
    this.#timeoutNs = timeoutNs;
    this.#timers = timers;
    this.#epochMs = epochMs;
    this.#again = again;
  }

  /** Has a request wait; false if it has waited long enough, or nothing more is to be sent. */
  hold(request: Request, { underWayNs, retryAfter }: LimitedRequest): boolean {
    const waitMs = retryAfterMs(retryAfter, this.#epochMs());
    if (this.#isClosed || underWayNs + waitMs * 1e6 > this.#timeoutNs) return false;
    this.#waiting.set(
      request,
      this.#timers.once(waitMs, () => {
        this.#waiting.delete(request);
        this.#again(request);
      }),
    );
    return true;
  }

  /** A request has ended, or is sent. */
  forget(request: Request): void {
    this.#waiting.get(request)?.();
    this.#waiting.delete(request);
  }

  /** Drops the waiting requests, because nothing more will be sent. */
  close(): void {
    this.#isClosed = true;
    for (const request of [...this.#waiting.keys()]) this.forget(request);
  }

  /** A phase begins. */
  open(): void {
    this.#isClosed = false;
  }
}
