import type { MetricResult, MetricResults } from "../metrics/compute_results.ts";

/** The statistics of a metric as AIPerf's JSON has them, keys in its order. */
export function metricObject(result: MetricResult): Record<string, unknown> {
  const { unit } = result.metric;
  if ("value" in result) return { "unit": unit, "avg": result.value };
  const { summary } = result;
  return {
    "unit": unit,
    "avg": summary.avg,
    "p1": summary.p1,
    "p5": summary.p5,
    "p10": summary.p10,
    "p25": summary.p25,
    "p50": summary.p50,
    "p75": summary.p75,
    "p90": summary.p90,
    "p95": summary.p95,
    "p99": summary.p99,
    "min": summary.min,
    "max": summary.max,
    "std": summary.std,
    "count": summary.count,
    "sum": summary.sum,
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
