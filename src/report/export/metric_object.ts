import {
  figuresOf,
  type MetricResult,
  type MetricResults,
} from "../../measurement/metrics/metric_results.ts";

/** The statistics of a metric, in the order of AIPerf's JSON. */
const STATS = [
  ...["avg", "p1", "p5", "p10", "p25", "p50", "p75", "p90", "p95", "p99"] as const,
  ...["min", "max", "std", "count", "sum"] as const,
];

/** The statistics of a metric as AIPerf's JSON has them; those that it has not are left out. */
export function metricObject(result: MetricResult): Record<string, unknown> {
  const figures = figuresOf(result);
  return {
    "unit": result.metric.unit,
    ...Object.fromEntries(
      STATS.filter((stat) => stat in figures).map((stat) => [stat, figures[stat]]),
    ),
  };
}

/** All metrics of a set of results, those that a file may have. */
export function metricObjects(results: MetricResults): Record<string, unknown> {
  return Object.fromEntries(
    [...results].filter(([, result]) => isExported(result)).map(([tag, result]) => [
      tag,
      metricObject(result),
    ]),
  );
}

/** Whether a result belongs into files. */
export function isExported(result: MetricResult): boolean {
  return !result.metric.flags.includes("INTERNAL");
}
