import type { RecordMetricTag } from "../../measurement/metrics/record_metrics.ts";
import type { PhasePlan } from "../../config/plan/run_plan.ts";
import type { KeptRequest } from "../model/kept_requests.ts";
import type { LoadChange } from "../model/load_change.ts";
import type { ProfileReport } from "../model/profile_report.ts";
import type { StolenTime } from "../model/stolen_time.ts";
import type { SessionTraces } from "../model/session_traces.ts";
import type { ServerMetricsReport } from "../model/server_metrics_report.ts";
import type { ServerTimeline } from "../model/server_timeline.ts";

/** A phase of a run; times are nanoseconds of the run's clock. */
export interface PhaseSpan {
  readonly kind: "warmup" | "profiling";
  readonly startNs: number;
  readonly endNs: number;
}

/** Times by request, nanoseconds of the run's clock; NaN where there is none. */
interface Times {
  readonly values: Float64Array;
}

/** The requests of a phase, in columns. */
export interface RequestTable {
  /** Requests, however they ended. */
  readonly length: number;
  /** Starts and ends of all requests, and the end of the last content of those that succeeded. */
  readonly allStartNs: Times;
  readonly allEndNs: Times;
  readonly contentEndNs: Times;
  /** Values of a metric, NaN where a request has none; undefined if no request has. */
  column(tag: RecordMetricTag): Float64Array | undefined;
  /** 1 for a request that was cancelled, 0 for others. */
  counts(name: "cancelled"): Float64Array;
}

/** Failures of one kind. */
export interface FailureKind {
  readonly kind: string;
  /** When each request failed, nanoseconds of the run's clock. */
  readonly timesNs: Float64Array;
}

/** Requests that failed in the same way, as they are shown. */
export interface ShownError {
  readonly kind: string;
  readonly status: number | null;
  readonly type: string;
  readonly message: string;
  readonly count: number;
  /** When the first of them failed, nanoseconds of the run's clock; NaN or missing if unknown. */
  readonly firstNs?: number;
}

/** Data of a run from which its charts are drawn. */
export interface RunView {
  /**
   * Releases memory between charts: the columns of a large run need not be in memory for all
   * charts.
   */
  release?(): void;
  readonly report: ProfileReport;
  /** The start of the run's clock, nanoseconds since 1970. */
  readonly baseEpochNs: bigint;
  readonly phases: readonly PhaseSpan[];
  /** Changes of the load by the user. */
  readonly changes?: readonly LoadChange[];
  /** When the machine's host gave time to others. */
  readonly stolen?: readonly StolenTime[];
  /** Plan of each phase. */
  readonly plans: readonly PhasePlan[];
  readonly profiling: RequestTable;
  readonly warmup: RequestTable;
  /** Failed requests of the profiling phase by what went wrong, the most frequent first. */
  readonly failures: readonly FailureKind[];
  readonly errors: readonly ShownError[];
  /** Sessions of several calls; missing if there are none. */
  readonly sessions?: SessionTraces | undefined;
  /** Some requests of the profiling phase, by the times of their starts. */
  readonly requests: readonly KeptRequest[];
  /** The servers' metrics; undefined if they were not collected. */
  readonly serverMetrics: ServerMetricsReport | undefined;
  readonly serverTimeline: ServerTimeline;
  /** Facts about where it ran, as name and value. */
  readonly environment: readonly (readonly [name: string, value: string])[];
  /** Other program that created the run, as `AIPerf 0.13.0`; undefined for this one. */
  readonly source: string | undefined;
  /** Whether `inferometer report` can regenerate the files. */
  readonly keepsRecords: boolean;
}

/** Returns zero of the charts' clock: the start of the profiling phase. */
export function zeroNs({ phases }: RunView): number {
  const profiling = phases.findLast(({ kind }) => kind === "profiling");
  return profiling?.startNs ?? phases[0]?.startNs ?? 0;
}

/** From the first phase to the end of the last. */
export function wholeSpan(
  { phases }: RunView,
): { readonly startNs: number; readonly endNs: number } {
  return {
    startNs: phases.reduce((least, { startNs }) => Math.min(least, startNs), Infinity),
    endNs: phases.reduce((most, { endNs }) => Math.max(most, endNs), -Infinity),
  };
}
