import type { RunView } from "../html/run_view.ts";
import type { ProfileReport } from "../report/profile_report.ts";
import type { ServerMetricsReport } from "../report/server_metrics_report.ts";
import type { ServerTimeline } from "../report/server_timeline.ts";
import type { FinishedRun } from "./finished_run.ts";

/** What the servers' metrics say: of the whole run, and over time. */
export interface ServerView {
  readonly metrics: ServerMetricsReport | undefined;
  readonly timeline: ServerTimeline;
}

/** A run as its pictures need it. */
export function runViewOf(
  { facts, phases, records, summary }: FinishedRun,
  report: ProfileReport,
  { metrics, timeline }: ServerView,
): RunView {
  const { plan, machine, baseEpochNs } = facts;
  return {
    report,
    baseEpochNs,
    // A run that was killed has left its last phase open.
    phases: phases.map(({ kind, startNs, endNs = summary.endNs }) => ({ kind, startNs, endNs })),
    profiling: records.profiling,
    warmup: records.warmup,
    requests: records.kept.all,
    serverMetrics: metrics,
    serverTimeline: timeline,
    environment: [
      ["host", machine.hostname],
      ["system", `${machine.os} ${machine.arch}, ${machine.cores} cores`],
      ["runtime", `${machine.runtime}, ${machine.engine}`],
      ["load workers", String(plan.workers)],
      ["transport", plan.transport],
    ],
    keepsRecords: plan.output.keepRecords,
  };
}
