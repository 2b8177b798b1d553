/** Client metrics that objectives may name, and the words for them. */

import {
  NETWORK_ADJUSTED_METRICS,
  NETWORK_RTT,
} from "../../measurement/metrics/network_metrics.ts";
import {
  ERROR_ISL,
  INTER_CHUNK_LATENCY,
  RECORD_METRICS,
} from "../../measurement/metrics/record_metrics.ts";
import { ANSWER_METRICS } from "../../measurement/answers/answer_metrics.ts";
import { LEVEL_METRICS } from "../../measurement/metrics/level_metrics.ts";
import type { Metric } from "../../measurement/metrics/metric.ts";
import { SESSION_METRICS, SESSION_TOTALS } from "../../measurement/metrics/session_metrics.ts";
import {
  COST_METRICS,
  COUNT_METRICS,
  RATE_METRICS,
  SHARE_METRICS,
  TOTAL_METRICS,
} from "../../measurement/metrics/run_metrics.ts";
import { SUMMARY_PERCENTILES } from "../../core/statistics/summarize.ts";

/** Properties of a catalog metric that objectives need. */
interface Judged {
  readonly metric: Metric;
  /** Statistics of the metric; undefined if it has one value. */
  readonly statistics: readonly string[] | undefined;
}

/** Statistics of metrics that requests, sessions and GPUs have. */
export const SUMMARY_STATISTICS: readonly string[] = [
  ...["avg", "min", "max", "std", "count", "sum"],
  ...SUMMARY_PERCENTILES.map((p) => `p${p}`),
];
const LEVEL_STATISTICS = ["avg", "min", "max", "std", "p50", "p90", "p95", "p99"];

/** Other words for statistics. */
export const SYNONYMS: ReadonlyMap<string, string> = new Map([["mean", "avg"], ["median", "p50"]]);

/** Every metric of the catalog by its tag. */
export const CATALOG: ReadonlyMap<string, Judged> = new Map(
  [
    ...[...RECORD_METRICS, INTER_CHUNK_LATENCY, ERROR_ISL, ...NETWORK_ADJUSTED_METRICS].map((
      metric,
    ) => (
      { metric, statistics: SUMMARY_STATISTICS }
    )),
    ...SESSION_METRICS.map((metric) => ({ metric, statistics: SUMMARY_STATISTICS })),
    ...Object.values(ANSWER_METRICS).map((metric) => ({ metric, statistics: undefined })),
    ...Object.values(SESSION_TOTALS).map((metric) => ({ metric, statistics: undefined })),
    ...LEVEL_METRICS.map((metric) => ({ metric, statistics: LEVEL_STATISTICS })),
    ...[
      ...TOTAL_METRICS,
      ...Object.values(COUNT_METRICS),
      ...Object.values(SHARE_METRICS),
      ...Object.values(RATE_METRICS),
      ...Object.values(COST_METRICS),
      NETWORK_RTT,
    ].map((metric) => ({ metric, statistics: undefined })),
  ].map((judged: Judged) => [judged.metric.tag, judged]),
);

/** Units of metrics, among them such as `count` and `currency`, which fit nothing else. */
export const OWN_UNITS: ReadonlySet<string> = new Set(
  [...CATALOG.values()].map(({ metric }) => metric.unit),
);

/** Words that people use for metrics, besides those of the catalog. */
export const SHORT_NAMES: ReadonlyMap<string, string> = new Map([
  ...[...CATALOG.values()].flatMap(({ metric }): [string, string][] =>
    metric.shortTag === undefined ? [] : [[metric.shortTag, metric.tag]]
  ),
  ["gap", "inter_chunk_latency"],
  ["chunk_gap", "inter_chunk_latency"],
  ["throughput", "output_token_throughput"],
  ["tps", "output_token_throughput"],
  ["rps", "request_throughput"],
  ["error_rate", "request_error_rate"],
  ["errors", "error_request_count"],
  ["requests", "request_count"],
  ["good", "good_request_fraction"],
  ["duration", "benchmark_duration"],
  ["concurrency", "effective_concurrency"],
]);
