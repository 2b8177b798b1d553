import { summarize } from "../../core/statistics/summarize.ts";
import { described, type MetricResult, type MetricResults } from "./metric_results.ts";
import type { MetricTag } from "./metric_tag.ts";
import type { RecordMetricTag } from "./record_metrics.ts";
import type { RecordTable } from "./record_table.ts";
import { interactivity } from "./interactivity.ts";
import { RATE_METRICS, SHARE_METRICS } from "./run_metrics.ts";

/** The distributions that are given for each model. */
const MODEL_METRICS = [
  "time_to_first_token",
  "inter_token_latency",
  "request_latency",
  "output_token_throughput_per_user",
  "input_sequence_length",
  "output_sequence_length",
] as const satisfies readonly RecordMetricTag[];

/** The requests that asked the same model. */
export interface ModelResults {
  readonly model: string;
  readonly succeeded: number;
  readonly failed: number;
  /** {@linkcode MODEL_METRICS}, and rates over the duration of the whole run. */
  readonly results: MetricResults;
}

/**
 * Returns the results of the requests to each of several models; undefined if there is one.
 * @param seconds duration of the run, by which rates divide
 */
export function modelResults(
  table: RecordTable,
  models: readonly string[],
  seconds: number | undefined,
): readonly ModelResults[] | undefined {
  if (models.length < 2) return undefined;
  const asked = table.models.values;
  // Bodies of an input file name their own, and records of earlier versions say nothing.
  if (asked.every((model) => Number.isNaN(model))) return undefined;
  const cancelled = table.counts("cancelled");
  const valid = table.startNs.values;
  const rowsOf: number[][] = models.map(() => []);
  const failures = models.map(() => 0);
  asked.forEach((model, row) => {
    const rows = rowsOf[model];
    if (rows === undefined || cancelled[row] === 1) return;
    if (Number.isNaN(valid[row])) failures[model] = (failures[model] ?? 0) + 1;
    else rows.push(row);
  });
  return models.map((model, at) => {
    const rows = rowsOf[at] as number[];
    const failed = failures[at] as number;
    return {
      model,
      succeeded: rows.length,
      failed,
      results: resultsOf(table, rows, failed, seconds),
    };
  });
}

function resultsOf(
  table: RecordTable,
  rows: readonly number[],
  failed: number,
  seconds: number | undefined,
): MetricResults {
  const results = new Map<MetricTag, MetricResult>();
  const addValue = (metric: MetricResult["metric"], value: number): void => {
    if (Number.isFinite(value)) results.set(metric.tag, { metric: described(metric), value });
  };
  let tokens = NaN;
  for (const tag of MODEL_METRICS) {
    const metric = table.metrics.find((metric) => metric.tag === tag);
    const column = table.column(tag);
    if (metric === undefined || column === undefined) continue;
    const summary = summarize(
      Float64Array.from(rows, (row) => column[row] ?? NaN).filter((value) => !Number.isNaN(value)),
    );
    if (summary.count === 0) continue;
    if (tag === "output_sequence_length") tokens = summary.sum;
    results.set(tag, { metric: described(metric), summary });
  }
  addValue(RATE_METRICS.interactivity, interactivity(table, rows));
  addValue(SHARE_METRICS.requestErrorRate, failed / (rows.length + failed) * 100);
  if (seconds !== undefined && seconds > 0) {
    addValue(RATE_METRICS.requestThroughput, rows.length / seconds);
    addValue(RATE_METRICS.outputTokenThroughput, tokens / seconds);
  }
  return results;
}
