import { summarize } from "../../core/statistics/summarize.ts";
import type { TrialErrors } from "./trial.ts";

/** A request as the client reports it and as the server knows it, in milliseconds. */
export interface ComparedRequest {
  readonly reported: RequestTimes;
  readonly truth: RequestTimes;
}

/** Times of a request in milliseconds. */
export interface RequestTimes {
  readonly ttftMs: number;
  /** Mean time between its tokens. */
  readonly itlMs: number;
}

/** Times of an idle server, in milliseconds. */
export type NominalTimes = RequestTimes;

/**
 * The client's error over some requests: by how much the reported mean, median or 99th percentile
 * differs most from the true one. A server that the load itself slows down does not make the error
 * look smaller: its share is taken of the idle server's times where these are shorter.
 */
export function trialErrors(
  requests: readonly ComparedRequest[],
  nominal: NominalTimes,
): TrialErrors {
  const error = (metric: keyof RequestTimes): number => {
    if (requests.length === 0) return Infinity;
    const reported = summarize(Float64Array.from(requests, ({ reported }) => reported[metric]));
    const truth = summarize(Float64Array.from(requests, ({ truth }) => truth[metric]));
    return Math.max(
      ...(["avg", "p50", "p99"] as const).map((name) =>
        Math.abs(reported[name] - truth[name]) / Math.min(truth[name], nominal[metric])
      ),
    );
  };
  return { ttft: error("ttftMs"), itl: error("itlMs") };
}
