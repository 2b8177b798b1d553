import type { RecordTable } from "../metrics/record_table.ts";
import type { KeptRequest } from "../report/kept_requests.ts";
import type { ProfileReport } from "../report/profile_report.ts";
import type { ServerMetricsReport } from "../report/server_metrics_report.ts";
import type { ServerTimeline } from "../report/server_timeline.ts";

/** A phase of a run; times are nanoseconds of the run's clock. */
export interface PhaseSpan {
  readonly kind: "warmup" | "profiling";
  readonly startNs: number;
  readonly endNs: number;
}

/** Everything of a run that its pictures are made from. */
export interface RunView {
  readonly report: ProfileReport;
  /** The start of the run's clock, nanoseconds since 1970. */
  readonly baseEpochNs: bigint;
  readonly phases: readonly PhaseSpan[];
  readonly profiling: RecordTable;
  readonly warmup: RecordTable;
  /** Some requests of the profiling phase, by the times of their starts. */
  readonly requests: readonly KeptRequest[];
  /** The servers' metrics; undefined if they were not collected. */
  readonly serverMetrics: ServerMetricsReport | undefined;
  readonly serverTimeline: ServerTimeline;
  /** Facts about where it ran, as name and value. */
  readonly environment: readonly (readonly [name: string, value: string])[];
  /** Whether `inferometer report` can make the files again. */
  readonly keepsRecords: boolean;
}

/** Zero of the pictures' clock: the start of the profiling phase. */
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
