/**
 * Metrics of whole sessions. Durations are those of completed sessions: one that the end of the run
 * cut off is longer than what was seen of it.
 */

import type { Metric, MetricFlag } from "./metric.ts";
import type { SessionTimes } from "./session_times.ts";

const FLAGS: readonly MetricFlag[] = ["NO_INDIVIDUAL_RECORDS", "NO_CONSOLE"];

/** A metric of each completed session; in reports its values become a distribution. */
export interface SessionMetric<Tag extends string = string> extends Metric<Tag> {
  readonly value: (session: SessionTimes) => number;
}

/** Metrics with a value for each session. */
export const SESSION_METRICS = [
  seconds("session_duration", "Session Duration", ({ startNs, endNs }) => endNs - startNs),
  seconds(
    "session_tree_duration",
    "Session Tree Duration",
    ({ treeStartNs, treeEndNs }) => treeEndNs - treeStartNs,
  ),
  seconds("session_model_time", "Session Model Time", ({ modelNs }) => modelNs),
  seconds("session_tool_time", "Session Tool Time", ({ gapNs }) => gapNs.tool),
  seconds("session_user_time", "Session User Time", ({ gapNs }) => gapNs.user),
  seconds("session_agent_time", "Session Agent Time", ({ gapNs }) => gapNs.agent),
  seconds("session_wait_time", "Session Wait Time", ({ waitNs }) => waitNs),
  seconds("session_ttfu", "Session Time To First User Token", ({ firstTokenNs }) => firstTokenNs),
  {
    tag: "session_own_error",
    header: "Session Own Error",
    unit: "ms",
    flags: FLAGS,
    value: ({ ownErrorNs }: SessionTimes): number => ownErrorNs / 1e6,
  } as const,
  {
    tag: "session_calls",
    header: "Session Calls",
    unit: "requests",
    flags: FLAGS,
    value: ({ calls }: SessionTimes): number => calls,
  } as const,
  {
    tag: "session_tokens_new",
    header: "Session New Tokens",
    unit: "tokens",
    flags: FLAGS,
    value: ({ tokens }: SessionTimes): number => tokens.input - tokens.cachedIdeal,
  } as const,
  {
    tag: "session_parallelism",
    header: "Session Parallelism",
    unit: "requests",
    flags: FLAGS,
    value: ({ parallelism }: SessionTimes): number => parallelism,
  } as const,
];

/** Metrics that the end of the run biases: sessions that it cuts off would have had larger values. */
export const CENSORED_METRICS: ReadonlySet<string> = new Set(
  SESSION_METRICS.map(({ tag }) => tag).filter((tag) =>
    tag !== "session_ttfu" && tag !== "session_parallelism" && tag !== "session_own_error"
  ),
);

/** Percentage of cut-off sessions above which durations of the others are biased too much. */
export const MAX_CUT_OFF_PCT = 20;

/** Metrics of all sessions together. */
export const SESSION_TOTALS = {
  perSecond: {
    tag: "sessions_per_second",
    header: "Sessions Per Second",
    unit: "sessions/sec",
    flags: [...FLAGS, "LARGER_IS_BETTER"],
  },
  jobsPerHour: {
    tag: "jobs_per_hour",
    header: "Jobs Per Hour",
    unit: "jobs/hour",
    flags: [...FLAGS, "LARGER_IS_BETTER"],
  },
  jobsPerHourPerGpu: {
    tag: "jobs_per_hour_per_gpu",
    header: "Jobs Per Hour Per GPU",
    unit: "jobs/hour/gpu",
    flags: [...FLAGS, "LARGER_IS_BETTER", "PER_GPU_ONLY"],
  },
  jobsPerHourPerTree: {
    tag: "jobs_per_hour_per_tree",
    header: "Jobs Per Hour Per Concurrent Session",
    unit: "jobs/hour/session",
    flags: [...FLAGS, "LARGER_IS_BETTER"],
  },
  hitRate: {
    tag: "session_hit_rate",
    header: "Session Cache Hit Rate",
    unit: "%",
    flags: [...FLAGS, "LARGER_IS_BETTER"],
  },
  idealHitRate: {
    tag: "session_ideal_hit_rate",
    header: "Session Ideal Cache Hit Rate",
    unit: "%",
    flags: FLAGS,
  },
  hitShare: {
    tag: "session_hit_share",
    header: "Session Achieved of Ideal Cache Hits",
    unit: "%",
    flags: [...FLAGS, "LARGER_IS_BETTER"],
  },
  cutOffRate: {
    tag: "session_cut_off_rate",
    header: "Session Cut-off Rate",
    unit: "%",
    flags: FLAGS,
  },
  completedRate: {
    tag: "session_completed_rate",
    header: "Session Completed Rate",
    unit: "%",
    flags: [...FLAGS, "LARGER_IS_BETTER"],
  },
} as const satisfies Readonly<Record<string, Metric>>;

/** Tags of all metrics of sessions. They are of whole runs, whatever part of a run is shown. */
export const SESSION_TAGS: ReadonlySet<string> = new Set(
  [...SESSION_METRICS, ...Object.values(SESSION_TOTALS)].map(({ tag }) => tag),
);

function seconds<Tag extends string>(
  tag: Tag,
  header: string,
  valueNs: (session: SessionTimes) => number,
): SessionMetric<Tag> {
  return { tag, header, unit: "sec", flags: FLAGS, value: (session) => valueNs(session) / 1e9 };
}
