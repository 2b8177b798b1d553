import type { LevelSummary } from "../../core/statistics/level_summary.ts";
import type { Summary } from "../../core/statistics/summarize.ts";
import type { Metric } from "./metric.ts";
import type { MetricTag } from "./metric_tag.ts";

/** The result of a metric: a distribution over requests or over time, or one value of the run. */
export type MetricResult =
  | { readonly metric: Metric<MetricTag>; readonly summary: Summary }
  | { readonly metric: Metric<MetricTag>; readonly level: LevelSummary }
  | { readonly metric: Metric<MetricTag>; readonly value: number | bigint };

/** Results by tag. */
export type MetricResults = ReadonlyMap<MetricTag, MetricResult>;

/** The statistics that a result has. */
export function figuresOf(
  result: MetricResult,
): Readonly<Partial<Record<keyof Summary, number | bigint>>> {
  if ("summary" in result) return result.summary;
  return "level" in result ? result.level : { avg: result.value };
}

/** The distribution of a metric; undefined if it has none. */
export function distributionOf(results: MetricResults, tag: MetricTag): Summary | undefined {
  const result = results.get(tag);
  return result !== undefined && "summary" in result ? result.summary : undefined;
}

/** The one value of a metric of the run; undefined if it has none. */
export function valueOf(results: MetricResults, tag: MetricTag): number | undefined {
  const result = results.get(tag);
  return result !== undefined && "value" in result ? Number(result.value) : undefined;
}

/** A metric without its formula, so that results can be posted to another thread. */
export function described(
  { tag, header, unit, flags, consoleOrder }: Metric<MetricTag>,
): Metric<MetricTag> {
  return { tag, header, unit, flags, ...(consoleOrder === undefined ? {} : { consoleOrder }) };
}
