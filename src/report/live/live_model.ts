/**
 * State of a run as plain data: the only source of everything that is shown while the run is in
 * progress. The terminal, the page and the exposition are drawn only from it.
 *
 * Unknown numbers are NaN; as JSON they are null.
 */

import type { RunTag } from "../../config/plan/run_plan.ts";
import type { LoadChange } from "../model/load_change.ts";

/** Counts of values up to bounds, as Prometheus has them. */
export interface LiveHistogram {
  /** Upper bounds in the unit of the values, ascending; the last bucket is beyond all of them. */
  readonly bounds: readonly number[];
  /** Values of each bucket, one more than there are bounds; not cumulative. */
  readonly counts: readonly number[];
  readonly sum: number;
}

/** Latencies of requests of the active phase, in milliseconds; percentiles within 1 %. */
export interface LiveTimes {
  readonly count: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Median of requests that ended in the last seconds, in milliseconds. */
  readonly recentP50Ms: number;
  readonly recentP99Ms: number;
  /** In seconds. */
  readonly histogram: LiveHistogram;
}

/** An objective of single requests (`--goodput`). */
export interface LiveObjective {
  readonly tag: string;
  readonly threshold: number;
  readonly unit: string;
  /** Share of the valid requests that meet it. */
  readonly metShare: number;
}

/** Read delays of chunks in this client, measured by its canaries, in milliseconds. */
export interface LiveCanaries {
  readonly count: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** In seconds. */
  readonly histogram: LiveHistogram;
  /** Stall time of all load workers together, in seconds. */
  readonly stallSeconds: number;
}

/** Metric of a server from its newest scrape. */
export interface LiveServerFigure {
  readonly label: string;
  /** A share is from 0 to 1, a time in milliseconds. */
  readonly of: "count" | "share" | "time";
  readonly value: number;
}

/** Levels of all servers together; NaN if none has them. */
export interface LiveLevels {
  /** Requests that run and wait. */
  readonly running: number;
  readonly waiting: number;
  /** Share of the KV cache in use, of the instance where it is the largest. */
  readonly kvUsage: number;
}

/** A server whose metrics are read. */
export interface LiveServer {
  /** URL redacted for display. */
  readonly url: string;
  /** Kind of the server, `vLLM`; empty if it is not known. */
  readonly kind: string;
  readonly figures: readonly LiveServerFigure[];
  /** Why nothing is read; undefined if all is well. */
  readonly problem: string | undefined;
}

/** Requests that failed in the same way. */
export interface LiveError {
  readonly kind: string;
  /** HTTP status if that is why, else null. */
  readonly status: number | null;
  readonly message: string;
  readonly count: number;
}

/** Results of the active phase, from the thread that holds the records. */
export interface LiveResults {
  readonly phase: "warmup" | "profiling";
  readonly valid: number;
  /** Valid requests that meet every objective. */
  readonly good: number;
  readonly ttft: LiveTimes;
  readonly itl: LiveTimes;
  readonly latency: LiveTimes;
  readonly sendSlipP99Ms: number;
  readonly objectives: readonly LiveObjective[];
  /** Failures of each kind. */
  readonly errorKinds: Readonly<Record<string, number>>;
  /** The largest groups of failures. */
  readonly errors: readonly LiveError[];
  readonly canaries: LiveCanaries;
  /** p99 of each load worker's canaries, in milliseconds. */
  readonly workerDelaysMs: readonly number[];
  readonly servers: readonly LiveServer[];
  readonly levels: LiveLevels;
}

/** State of the servers before the first scrape. */
export const NO_SERVERS: Pick<LiveResults, "servers" | "levels"> = {
  servers: [],
  levels: { running: NaN, waiting: NaN, kvUsage: NaN },
};

/** A load worker. */
export interface LiveWorker {
  readonly number: number;
  readonly isAlive: boolean;
  readonly inFlight: number;
  /** Content chunks a second that it read in the last seconds. */
  readonly chunksPerSecond: number;
  /** p99 of the delays of its canaries. */
  readonly delayP99Ms: number;
}

/** Values of the last minutes, one for each second; the newest is the last. */
export interface LiveHistory {
  readonly requestsPerSecond: readonly number[];
  readonly tokensPerSecond: readonly number[];
  readonly inFlight: readonly number[];
  readonly ttftP50Ms: readonly number[];
  readonly ttftP99Ms: readonly number[];
  readonly itlP50Ms: readonly number[];
  readonly itlP99Ms: readonly number[];
  readonly running: readonly number[];
  readonly waiting: readonly number[];
  readonly kvUsage: readonly number[];
}

/** Sessions of several requests. */
export interface LiveSessions {
  /** Sessions that have begun and not ended: the concurrency counts these. */
  readonly inProgress: number;
  readonly begun: number;
  /** Sessions to start; Infinity for no limit. */
  readonly planned: number;
  /** Whether the rate of an open loop is one of sessions; that of users is one of requests. */
  readonly isRateOfSessions: boolean;
}

/** Current load and its target. */
export interface LiveLoad {
  readonly loop: "closed" | "open";
  /** Users of a closed loop, cap of an open one: sessions in progress; Infinity for none. */
  readonly concurrency: number;
  /** Sessions per second of an open loop, which may be one request each; NaN of a closed one, and of a schedule. */
  readonly ratePerSecond: number;
  readonly isPaused: boolean;
  /** Changes by the user since the run began, the oldest first. */
  readonly changes: readonly LoadChange[];
}

/** See the module's comment. */
export interface LiveModel {
  /** The servers, as they may be shown. */
  readonly targets: readonly string[];
  readonly model: string;
  readonly benchmarkId: string;
  /** Labels of the run. */
  readonly tags: readonly RunTag[];
  readonly version: string;
  readonly phase: "warmup" | "profiling";
  /** Current step after all requests have ended; empty before. */
  readonly stage: string;
  readonly elapsedSeconds: number;
  /** Remaining time in seconds; NaN if unknown. */
  readonly leftSeconds: number;
  /** Planned duration of the phase in seconds; NaN if the phase has none. */
  readonly plannedSeconds: number;
  /** Diagnosis of the last seconds, renewed every 5 s; empty if nothing is known yet. */
  readonly soFar: string;
  /** Completed fraction of the phase; NaN if unknown. */
  readonly share: number;
  readonly requestCount: number;
  /** undefined if each session is one request. */
  readonly sessions: LiveSessions | undefined;
  readonly load: LiveLoad;
  readonly sent: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly cancelled: number;
  /** Requests in flight. */
  readonly inFlight: number;
  /** Arrivals that wait for a slot. */
  readonly queued: number;
  readonly contentChunks: number;
  readonly outputTokens: number;
  /** Rate of the last seconds. */
  readonly requestsPerSecond: number;
  readonly tokensPerSecond: number;
  readonly results: LiveResults;
  readonly workers: readonly LiveWorker[];
  /** CPU time of this process since its start, in seconds. */
  readonly cpuSeconds: number;
  /** Cores that it used in the last seconds. */
  readonly cpuCores: number;
  readonly cores: number;
  /** Fraction of CPU time lost to steal; NaN if the machine does not report steal. */
  readonly stolenShare: number;
  readonly history: LiveHistory;
  /** Warnings so far, the newest last. */
  readonly warnings: readonly string[];
}
