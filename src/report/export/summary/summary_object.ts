import type { Summary } from "../../../core/statistics/summarize.ts";

/** The figures of a summary that matter of the client's own measurements. */
export function summaryObject(summary: Summary): Record<string, number> {
  const { count, avg, min, max, p50, p90, p95, p99, std } = summary;
  return { count, avg, min, max, p50, p90, p95, p99, std };
}
