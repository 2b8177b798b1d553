import type { Chart } from "../../core/chart/chart.ts";
import { meanOf, type PointResults } from "../sweep/point_results.ts";
import { sweepLoadChart } from "./sweep_load_chart.ts";

const STATISTICS = ["p50", "p95"] as const;

/** Durations of sessions over the load; undefined unless one load varies, or without sessions. */
export function sweepSessionsChart(points: readonly PointResults[]): Chart | undefined {
  const lines = STATISTICS.map((statistic) => ({
    label: statistic,
    valueOf: (point: PointResults) => meanOf(point, `session_duration_${statistic}`),
  }));
  return sweepLoadChart(points, lines, {
    id: "sessions-load",
    subject: "Duration of sessions",
    caption: "Median and 95th percentile of the duration of completed sessions over the load",
    y: { label: "duration", unit: "s" },
  });
}
