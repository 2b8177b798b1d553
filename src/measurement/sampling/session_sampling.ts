import { summarize } from "../../core/statistics/summarize.ts";
import type { BoundedStatistic } from "../own_error/bounded_statistics.ts";
import { type MetricResults, valueOf } from "../metrics/metric_results.ts";
import type { MetricTag } from "../metrics/metric_tag.ts";
import type { RecordMetricTag } from "../metrics/record_metrics.ts";
import type { RecordTable } from "../metrics/record_table.ts";
import { SESSION_METRICS, SESSION_TOTALS } from "../metrics/session_metrics.ts";
import { wholeSessions } from "../metrics/session_results.ts";
import { type SessionTimes, sessionTimes } from "../metrics/session_times.ts";
import { distributionErrors, proven, type StatisticSampling } from "./sampling_errors.ts";
import { ratioInterval } from "./sampling_interval.ts";
import { TimeBlocks } from "./time_blocks.ts";

/** Fewest sessions from which intervals are computed. */
export const MIN_SESSIONS = 5;
/** Groups of sessions from which intervals are computed at most. */
const MAX_GROUPS = 256;

type Statistics = Readonly<Partial<Record<BoundedStatistic, StatisticSampling>>>;

/**
 * 95 % confidence intervals of the metrics of sessions. The unit is the session: its requests are no
 * independent samples. Empty with fewer than {@linkcode MIN_SESSIONS}.
 * @param window of the results, in ns of the run's clock
 */
export function sessionSampling(
  table: RecordTable,
  results: MetricResults,
  window: { readonly startNs: number; readonly endNs: number },
): Map<MetricTag, Statistics> {
  const errors = new Map<MetricTag, Statistics>();
  const whole = wholeSessions(table);
  if (whole.length >= MIN_SESSIONS) {
    for (const { tag, value } of SESSION_METRICS) {
      const values = Float64Array.from(whole, value).filter((one) => !Number.isNaN(one));
      if (values.length < MIN_SESSIONS || !results.has(tag)) continue;
      const groups = Math.min(MAX_GROUPS, values.length);
      const groupOf = Int16Array.from(values, (_, at) => Math.floor(at * groups / values.length));
      errors.set(tag, distributionErrors(summarize(values.slice()), values, groupOf, groups));
    }
  }
  const all = sessionTimes(table);
  const ended = all.filter(({ status }) => status !== "cut_off");
  const add = (
    tag: MetricTag,
    sessions: readonly SessionTimes[],
    part: (session: SessionTimes) => number,
    of: (session: SessionTimes) => number,
  ): void => {
    const value = valueOf(results, tag);
    // As in the metrics: a session without valid requests has no tokens, one without hits may be NaN.
    const known = sessions.filter((session) => !Number.isNaN(of(session)));
    if (value === undefined || known.length < MIN_SESSIONS) return;
    const parts = Float64Array.from(known, (session) => (part(session) || 0) * 100);
    const interval = ratioInterval(parts, Float64Array.from(known, of));
    errors.set(tag, { avg: proven(value, interval, Infinity) });
  };
  const { completedRate, hitRate, hitShare, idealHitRate } = SESSION_TOTALS;
  const isCompleted = ({ status }: SessionTimes): number => status === "completed" ? 1 : 0;
  add(completedRate.tag, ended, isCompleted, () => 1);
  add(hitRate.tag, all, ({ tokens }) => tokens.cachedServer, ({ tokens }) => tokens.prompted);
  add(idealHitRate.tag, all, ({ tokens }) => tokens.cachedIdeal, ({ tokens }) => tokens.input);
  add(hitShare.tag, all, ({ tokens }) => tokens.reused, ({ tokens }) => tokens.reusable);
  for (const [tag, interval] of rateIntervals(all, results, window)) errors.set(tag, interval);
  return errors;
}

/**
 * 95 % confidence intervals of the distributions of some requests, with their sessions as the unit.
 * Empty if they belong to fewer than {@linkcode MIN_SESSIONS}.
 */
export function requestSampling(
  table: RecordTable,
  rows: readonly number[],
  results: MetricResults,
): Map<MetricTag, Statistics> {
  const sessions = table.sessions.values;
  const numbers = new Map<number, number>();
  for (const row of rows) {
    const session = sessions[row] as number;
    if (!numbers.has(session)) numbers.set(session, numbers.size);
  }
  const found = new Map<MetricTag, Statistics>();
  if (numbers.size < MIN_SESSIONS) return found;
  const groups = Math.min(MAX_GROUPS, numbers.size);
  const groupOf = Int16Array.from(rows, (row) => {
    const number = numbers.get(sessions[row] as number) as number;
    return Math.floor(number * groups / numbers.size);
  });
  for (const [tag, result] of results) {
    const column = "summary" in result ? table.column(tag as RecordMetricTag) : undefined;
    if (column === undefined || !("summary" in result)) continue;
    const values = Float64Array.from(rows, (row) => column[row] ?? NaN);
    found.set(tag, distributionErrors(result.summary, values, groupOf, groups));
  }
  return found;
}

/** Intervals of rates, by the sessions that are completed in each block of time. */
function rateIntervals(
  sessions: readonly SessionTimes[],
  results: MetricResults,
  window: { readonly startNs: number; readonly endNs: number },
): Map<MetricTag, Statistics> {
  const completed = sessions.filter(({ status }) => status === "completed");
  const perSecond = valueOf(results, "sessions_per_second");
  const found = new Map<MetricTag, Statistics>();
  if (perSecond === undefined || completed.length < MIN_SESSIONS) return found;
  const meanNs = completed.reduce((sum, { startNs, endNs }) => sum + endNs - startNs, 0) /
    completed.length;
  const blocks = new TimeBlocks(window, meanNs);
  const counts = new Float64Array(blocks.count);
  for (const { treeEndNs } of completed) {
    // The last one ends with the window.
    const block = Math.max(0, blocks.indexOf(Math.min(treeEndNs, window.endNs - 1)));
    counts[block] = (counts[block] as number) + 1;
  }
  const seconds = new Float64Array(blocks.count).fill(
    (window.endNs - window.startNs) / blocks.count / 1e9,
  );
  const interval = ratioInterval(counts, seconds, true);
  const { jobsPerHour, jobsPerHourPerGpu, jobsPerHourPerTree, perSecond: rate } = SESSION_TOTALS;
  for (const { tag } of [rate, jobsPerHour, jobsPerHourPerGpu, jobsPerHourPerTree]) {
    const value = valueOf(results, tag);
    if (value === undefined) continue;
    const factor = value / perSecond;
    const scaled = { lower: interval.lower * factor, upper: interval.upper * factor };
    found.set(tag, { avg: proven(value, scaled, Infinity) });
  }
  return found;
}
