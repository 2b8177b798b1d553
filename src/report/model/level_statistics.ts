import { summarize, SUMMARY_PERCENTILES } from "../../core/statistics/summarize.ts";

/** Statistics of the samples of a level, by the names that files have for them. */
export function levelStatistics(values: Float64Array): Record<string, number> {
  const { avg, min, max, std, ...rest } = summarize(values, { ddof: 1 });
  const stats: Record<string, number> = {
    ...{ "avg": avg, "min": min, "max": max },
    "std": values.length === 1 ? 0 : std,
  };
  for (const p of SUMMARY_PERCENTILES) stats[`p${p}`] = rest[`p${p}`];
  return stats;
}
