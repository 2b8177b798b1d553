/**
 * Rate over the time of a phase. Times are seconds from its start, rates are per second.
 *
 * The n-th request of an even arrival process comes where `countAt` is n; one of a random process
 * where it is the n-th point of a process of rate 1. So a rate that changes needs no steps, and any
 * thread that knows a request's number can compute its time.
 */
export interface RateCurve {
  /** Requests per second at a time. */
  rateAt(seconds: number): number;
  /** Requests that are asked for until a time: the integral of the rate. */
  countAt(seconds: number): number;
  /**
   * Returns the time at which `count` requests have been requested: the inverse of {@linkcode
   * countAt}.
   */
  secondsOf(count: number): number;
}

/** Returns a rate that is constant over time. */
export function steadyRate(ratePerSecond: number): RateCurve {
  const interval = 1 / ratePerSecond;
  return {
    rateAt: () => ratePerSecond,
    countAt: (seconds) => seconds * ratePerSecond,
    secondsOf: (count) => count * interval,
  };
}
