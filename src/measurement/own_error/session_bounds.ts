import { summarize } from "../../core/statistics/summarize.ts";
import type { MetricTag } from "../metrics/metric_tag.ts";
import type { RecordTable } from "../metrics/record_table.ts";
import { wholeSessions } from "../metrics/session_results.ts";
import { BOUNDED_STATISTICS, type BoundedStatistic } from "./bounded_statistics.ts";
import { judged, type StatisticError } from "./measurement_error.ts";

/**
 * Bounds of the durations of sessions by the client's lateness: between those that were measured and
 * those of a client that sends each request punctually and receives the same replies. The latter are
 * longer where only the first request was late. Empty where lateness is not known.
 */
export function sessionBounds(
  table: RecordTable,
): Map<MetricTag, Record<BoundedStatistic, StatisticError>> {
  const sessions = wholeSessions(table);
  const seconds = (value: (session: typeof sessions[number]) => number) =>
    summarize(Float64Array.from(sessions, (session) => value(session) / 1e9));
  const bounds = new Map<MetricTag, Record<BoundedStatistic, StatisticError>>();
  if (sessions.length === 0 || sessions.some(({ ownErrorNs }) => Number.isNaN(ownErrorNs))) {
    return bounds;
  }
  const measured = seconds(({ startNs, endNs }) => endNs - startNs);
  const punctual = seconds(({ startNs, endNs, ownErrorNs }) => endNs - startNs - ownErrorNs);
  bounds.set(
    "session_duration",
    Object.fromEntries(BOUNDED_STATISTICS.map((name) => [
      name,
      judged(measured[name], {
        lower: Math.min(measured[name], punctual[name]),
        upper: Math.max(measured[name], punctual[name]),
      }),
    ])) as Record<BoundedStatistic, StatisticError>,
  );
  return bounds;
}
