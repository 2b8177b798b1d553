import type { ProfileReport } from "./profile_report.ts";
import type { ServerFiguresOfPart, ServerMetricsReport } from "./server_metrics_report.ts";
import { steadyResults } from "./steady_state.ts";

/**
 * What servers reported in the window of a run that is shown, see `shownWindow`; of a run of which only
 * statistics are known, in the whole run.
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
