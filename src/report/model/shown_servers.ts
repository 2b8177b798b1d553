import type { ProfileReport } from "./profile_report.ts";
import type { ServerFiguresOfPart, ServerMetricsReport } from "./server_metrics_report.ts";
import { steadyResults } from "./steady_state.ts";

/**
 * Returns the servers' metrics in the window of a run that is shown, see `shownWindow`; if only
 * statistics are known, the metrics of the whole run.
 */
export function shownServers(
  metrics: ServerMetricsReport,
  run: Partial<Pick<ProfileReport, "steady" | "isWholeRunShown">>,
): ServerFiguresOfPart {
  const steady = run.isWholeRunShown === true ? undefined : steadyResults(run.steady);
  const { endNs, metrics: named, roles, startNs, within } = metrics;
  const part = steady === undefined
    ? { startNs, endNs }
    : { startNs: steady.startEpochNs, endNs: steady.endEpochNs };
  return within?.(part) ?? { series: named.flatMap(({ series }) => series), roles };
}
