/**
 * inferometer as a library: read event streams, replies and metrics pages, compute exact statistics
 * and estimates, run a benchmark.
 *
 * @module
 */

export { EventStreamParser, type StreamItem } from "./src/sse/event_stream_parser.ts";
export { percentile } from "./src/statistics/percentile.ts";
export { summarize, type SummarizeOptions, type Summary } from "./src/statistics/summarize.ts";
export {
  type ChoiceVerdict,
  readReply,
  type RecordedReply,
  type ReplyVerdict,
} from "./src/endpoint/read_reply.ts";
export type { ReplyError } from "./src/endpoint/protocol/reply_protocol.ts";
export type { ErrorKind } from "./src/record/error_kind.ts";
export type {
  FamilyType,
  MetricFamily,
  MetricSample,
  ParseProblem,
} from "./src/prometheus/exposition.ts";
export {
  type ParsedExposition,
  parseExposition,
  type ParseExpositionOptions,
  PrometheusSyntaxError,
} from "./src/prometheus/parse_exposition.ts";
export type { HistogramEstimatorName } from "./src/statistics/histogram/histogram_estimator.ts";
export type { PercentileBounds } from "./src/statistics/histogram/percentile_bounds.ts";
export {
  boundHistogramPercentiles,
  estimateHistogramPercentiles,
  type PlainHistogram,
} from "./src/statistics/histogram/estimate_histogram_percentiles.ts";
export { inferUnit } from "./src/prometheus/infer_unit.ts";
export {
  type MetricStatistics,
  profile,
  type ProfileHooks,
  type ProfileResult,
} from "./src/run/profile.ts";
export type { ProfileOptions } from "./src/options/profile/profile_types.ts";
export type { PromptOptions } from "./src/options/profile/prompt_types.ts";
export type {
  MetricsFileOptions,
  ScrapeOptions,
  ServerMetricsOptions,
} from "./src/options/profile/server_metrics_types.ts";
export type { ArrivalPattern, LoadPlan, PhasePlan } from "./src/plan/run_plan.ts";
export type { ErrorDetails } from "./src/report/error_details.ts";
export type { ExportOutcome } from "./src/report/export_outcome.ts";
export type { RunProgress } from "./src/report/run_progress.ts";
export type { ClientHealth, ErrorGroup, RequestCounts } from "./src/report/profile_report.ts";
export { UsageError } from "./src/options/usage_error.ts";
export { DatasetError } from "./src/files/dataset_error.ts";
export { ExportError } from "./src/export/export_error.ts";
export { ServerUnavailableError } from "./src/run/server_probe.ts";
