/** Outcomes of the requests of the profiling phase. */
export interface RequestCounts {
  readonly sent: number;
  readonly succeeded: number;
  /** Failures of every kind, requests that were cut off included. */
  readonly failed: number;
  /** Requests in flight when the run was interrupted, or ended early. */
  readonly cancelled: number;
  /** Requests that were ended on purpose: neither successes nor failures. */
  readonly cancelledOnPurpose: number;
  /** Replies of 429 that were waited for, and the seconds of all of them together. */
  readonly rateLimitReplies: number;
  readonly rateLimitSeconds: number;
  /** Requests that the arrival process asked for but that found no slot before the end. */
  readonly unsentArrivals: number;
  /** Requests sent twice because a pooled connection turned out to be closed. */
  readonly retried: number;
}
