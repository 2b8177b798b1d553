import type { PhasePlan } from "../../config/plan/run_plan.ts";

/** Progress of a run. */
export interface RunProgress {
  readonly phase: "warmup" | "profiling";
  readonly plan: PhasePlan;
  readonly elapsedSeconds: number;
  readonly sent: number;
  readonly done: number;
  /** Sessions that have begun, where they may have several requests. */
  readonly sessions?: number;
  /** Sessions that have begun and not ended, where they may have several requests. */
  readonly sessionsInProgress?: number;
  /** Requests in flight. */
  readonly inFlight: number;
  /** Limit of sessions in progress at this time, of one request or several; Infinity for none. */
  readonly limit: number;
  readonly failed: number;
  /** Output tokens so far, those of running streams included. */
  readonly tokens: number;
  /** Medians so far, NaN where there is nothing yet. */
  readonly ttftP50Ms: number;
  readonly itlP50Ms: number;
  /** Requests that run and wait on the servers; undefined or NaN if that is not known. */
  readonly running?: number | undefined;
  readonly waiting?: number | undefined;
}
