import type { SeriesReport } from "./server_metrics_report.ts";

/** Sum over some series of a run: of counters, or of histograms' observations or sums. */
export function seriesTotal(
  series: readonly SeriesReport[],
  ofHistogram: "count" | "sum",
): number {
  return series.reduce(
    (sum, { type, stats }) => sum + (stats[type === "histogram" ? ofHistogram : "total"] ?? 0),
    0,
  );
}
