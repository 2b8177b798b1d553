import { bestTrials, LIMIT_SHARES, type Trial, type TrialErrors } from "./trial.ts";

/** The load up to which a metric stays within a share of the true value. */
export interface Limit {
  readonly workers: number;
  readonly metric: keyof TrialErrors;
  readonly share: number;
  /** 0 if it never did. */
  readonly streams: number;
  readonly eventsPerSecond: number;
  readonly requestsPerSecond: number;
  /** Whether it was within the share wherever it was tried, so that the limit lies higher. */
  readonly isOpen: boolean;
}

/** The limits that trials show: for each number of workers, metric and share. */
export function limitsOf(trials: readonly Trial[]): Limit[] {
  const byWorkers = [...Map.groupBy(trials, ({ workers }) => workers)];
  return byWorkers.sort(([a], [b]) => a - b).flatMap(([workers, trials]) => {
    const known = bestTrials(trials);
    return LIMIT_SHARES.flatMap((share) =>
      (["ttft", "itl"] as const).map((metric) => limitOf(known, workers, metric, share))
    );
  });
}

function limitOf(
  known: readonly Trial[],
  workers: number,
  metric: keyof TrialErrors,
  share: number,
): Limit {
  // Luck with more streams does not count.
  const failed = known.findIndex(({ errors }) => !(errors[metric] <= share));
  const last = failed < 0 ? known.at(-1) : known[failed - 1];
  const { streams = 0, eventsPerSecond = 0, requestsPerSecond = 0 } = last ?? {};
  const isOpen = failed < 0;
  return { workers, metric, share, streams, eventsPerSecond, requestsPerSecond, isOpen };
}
