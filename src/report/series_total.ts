import type { SeriesReport } from "./server_metrics_report.ts";

/** What some series counted in a run, in sum: of histograms their observations or those' sum. */
export function seriesTotal(
  series: readonly SeriesReport[],
  ofHistogram: "count" | "sum",
): number {
  return series.reduce(
    (sum, { type, stats }) => sum + (stats[type === "histogram" ? ofHistogram : "total"] ?? 0),
    0,
  );
}
