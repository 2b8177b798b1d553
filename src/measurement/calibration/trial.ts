/** The client's error of a metric: the worst of its mean, median and 99th percentile. */
export interface TrialErrors {
  /** Error as a fraction of the true value; Infinity if there was nothing to compare. */
  readonly ttft: number;
  readonly itl: number;
}

/** One short run against a server that keeps the true times. */
export interface Trial {
  readonly workers: number;
  /** Requests in flight. */
  readonly streams: number;
  readonly errors: TrialErrors;
  readonly eventsPerSecond: number;
  readonly requestsPerSecond: number;
}

/** Fractions of the true value for which limits are reported. */
export const LIMIT_SHARES = [0.01, 0.05] as const;

/** Share beyond which a result no longer counts as valid. */
export const VALID_SHARE = 0.05;

/** More than any machine measures well; above, the server itself is what is measured. */
export const MAX_STREAMS = 2048;

/** Whether both metrics are within a share. */
export function isWithin({ ttft, itl }: TrialErrors, share: number): boolean {
  return ttft <= share && itl <= share;
}

/**
 * Returns the trials of one number of workers by their streams, in ascending order. Of several with
 * equal streams the smallest error is used: other load on the machine only adds to it.
 */
export function bestTrials(trials: readonly Trial[]): Trial[] {
  const best = new Map<number, Trial>();
  for (const trial of trials) {
    const { ttft, itl } = best.get(trial.streams)?.errors ?? trial.errors;
    best.set(trial.streams, {
      ...trial,
      errors: { ttft: Math.min(ttft, trial.errors.ttft), itl: Math.min(itl, trial.errors.itl) },
    });
  }
  return [...best.values()].sort((a, b) => a.streams - b.streams);
}
