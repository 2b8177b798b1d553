import { ERROR_KINDS } from "../../client/record/error_kind.ts";
import { phaseOfShard } from "../../config/plan/phase_of_shard.ts";
import { USER_AGENT } from "../../config/plan/version.ts";
import { collectGarbage } from "../../core/thread/collect_garbage.ts";
import type { RecordTable } from "../../measurement/metrics/record_table.ts";
import type { FailureKind, RunView } from "../../report/html/run_view.ts";
import type { ProfileReport } from "../../report/model/profile_report.ts";
import { sessionTraces } from "../../report/model/session_traces.ts";
import type { ServerMetricsReport } from "../../report/model/server_metrics_report.ts";
import type { ServerTimeline } from "../../report/model/server_timeline.ts";
import type { FinishedRun } from "./finished_run.ts";
import { LARGE_RUN } from "./large_run.ts";

/** Metrics of the servers: of the whole run, and over time. */
export interface ServerView {
  readonly metrics: ServerMetricsReport | undefined;
  readonly timeline: ServerTimeline;
}

/** Returns the data that charts of a run need. */
export function runViewOf(
  { facts, phases, records, summary }: FinishedRun,
  report: ProfileReport,
  { metrics, timeline }: ServerView,
): RunView {
  const { plan, machine, baseEpochNs } = facts;
  return {
    release() {
      records.profiling.release();
      if (records.profiling.length >= LARGE_RUN) collectGarbage();
    },
    report,
    baseEpochNs,
    // A run that was killed has left its last phase open.
    phases: phases.map(({ kind, startNs, endNs = summary.endNs }) => ({ kind, startNs, endNs })),
    changes: summary.changes ?? [],
    stolen: summary.stolen ?? [],
    plans: plan.phases.map((phase) => phaseOfShard(phase, plan.shard)),
    profiling: records.profiling,
    sessions: sessionTraces(records.profiling),
    warmup: records.warmup,
    failures: failuresOf(records.profiling),
    errors: report.errors,
    source: undefined,
    requests: records.kept.all,
    serverMetrics: metrics,
    serverTimeline: timeline,
    environment: [
      ["program", USER_AGENT],
      ["host", machine.hostname],
      ["system", `${machine.os} ${machine.arch}, ${machine.cores} cores`],
      ["runtime", `${machine.runtime}, ${machine.engine}`],
      ["load workers", String(plan.workers)],
      ["transport", plan.transport],
    ],
    keepsRecords: plan.output.keepRecords,
  };
}

/** When requests failed, by kind. What an interruption cut, or the plan, is no failure. */
function failuresOf({ errorKinds, allEndNs }: RecordTable): FailureKind[] {
  const ends = allEndNs.values;
  const byKind = new Map<string, number[]>();
  errorKinds.values.forEach((kind, row) => {
    const endNs = ends[row] as number;
    if (!(kind >= 0) || Number.isNaN(endNs)) return;
    const name = ERROR_KINDS[kind] ?? "";
    const times = byKind.get(name);
    if (times === undefined) byKind.set(name, [endNs]);
    else times.push(endNs);
  });
  byKind.delete("cancelled");
  byKind.delete("cancelled_on_purpose");
  return [...byKind].map(([kind, times]) => ({
    kind,
    timesNs: Float64Array.from(times).sort(),
  })).sort((a, b) => b.timesNs.length - a.timesNs.length || (a.kind < b.kind ? -1 : 1));
}
