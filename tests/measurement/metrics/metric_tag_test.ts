import assert from "node:assert/strict";
import { LEVEL_METRICS } from "../../../src/measurement/metrics/level_metrics.ts";
import type { MetricResults } from "../../../src/measurement/metrics/metric_results.ts";
import type { MetricTag } from "../../../src/measurement/metrics/metric_tag.ts";
import type { Metric } from "../../../src/measurement/metrics/metric.ts";
import {
  ERROR_ISL,
  INTER_CHUNK_LATENCY,
  RECORD_METRICS,
} from "../../../src/measurement/metrics/record_metrics.ts";
import type { RecordTable } from "../../../src/measurement/metrics/record_table.ts";
import {
  COUNT_METRICS,
  RATE_METRICS,
  SHARE_METRICS,
  TOTAL_METRICS,
} from "../../../src/measurement/metrics/run_metrics.ts";
import type { Objective } from "../../../src/config/plan/run_plan.ts";
import { resultsOf, someRecords } from "../../support/reports.ts";

/** Never called: each line must be refused by the compiler, or this file does not compile. */
export function misspelt(results: MetricResults, table: RecordTable): unknown[] {
  // @ts-expect-error no such metric
  const tag: MetricTag = "time_to_frist_token";
  return [
    tag,
    // @ts-expect-error no such metric
    results.get("request_latencies"),
    // @ts-expect-error no such metric
    results.has("osl_missmatch_diff_pct"),
    // @ts-expect-error a metric of the whole run has no column
    table.column("goodput"),
    // @ts-expect-error no such metric
    { tag: "ttft", threshold: 1 } satisfies Objective,
  ];
}

Deno.test("MetricTag has the tags of every metric, and no two metrics share one", () => {
  const some: readonly MetricTag[] = [
    "time_to_first_token",
    "inter_chunk_latency",
    "error_isl",
    "total_osl",
    "request_count",
    "goodput",
  ];
  const tags = [
    ...RECORD_METRICS,
    INTER_CHUNK_LATENCY,
    ERROR_ISL,
    ...TOTAL_METRICS,
    ...Object.values<Metric<MetricTag>>(COUNT_METRICS),
    ...Object.values<Metric<MetricTag>>(RATE_METRICS),
    ...Object.values<Metric<MetricTag>>(SHARE_METRICS),
    ...LEVEL_METRICS,
  ].map(({ tag }): MetricTag => tag);
  assert.equal(new Set(tags).size, tags.length);
  for (const tag of some) assert.ok(tags.includes(tag), tag);
  for (const tag of resultsOf(someRecords()).keys()) assert.ok(tags.includes(tag), tag);
});
