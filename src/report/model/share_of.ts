import type { KeyShare } from "../../telemetry/engines/server_kinds.ts";
import { seriesTotal } from "./series_total.ts";
import type { ServerMetricsReport } from "./server_metrics_report.ts";

/** A share over all series of its metrics; undefined if one is missing or nothing was counted. */
export function shareOf(
  report: ServerMetricsReport,
  { part, whole }: KeyShare,
): number | undefined {
  const total = (names: readonly string[]): number =>
    names.reduce((sum, wanted) => {
      const metric = report.metrics.find(({ name }) => name === wanted);
      return sum + (metric === undefined ? NaN : seriesTotal(metric.series, "sum"));
    }, 0);
  const counted = total(whole);
  const share = total(part) / counted;
  return counted > 0 && Number.isFinite(share) ? share : undefined;
}
