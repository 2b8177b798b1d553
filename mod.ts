/**
 * inferometer as a library: parse event streams, responses and metrics endpoints, compute exact
 * statistics and estimates, run a benchmark.
 *
 * @module
 */

export { EventStreamParser, type StreamItem } from "./src/client/sse/event_stream_parser.ts";
export { percentile } from "./src/core/statistics/percentile.ts";
export { summarize, type SummarizeOptions, type Summary } from "./src/core/statistics/summarize.ts";
export {
  type ChoiceVerdict,
  readReply,
  type RecordedReply,
  type ReplyVerdict,
} from "./src/client/endpoint/read_reply.ts";
export type { ReplyError } from "./src/client/endpoint/protocol/reply_protocol.ts";
export type { ErrorKind } from "./src/client/record/error_kind.ts";
export type {
  FamilyType,
  MetricFamily,
  MetricSample,
  ParseProblem,
} from "./src/telemetry/prometheus/exposition.ts";
export {
  type ParsedExposition,
  parseExposition,
  type ParseExpositionOptions,
  PrometheusSyntaxError,
} from "./src/telemetry/prometheus/parse_exposition.ts";
export type { HistogramEstimatorName } from "./src/core/statistics/histogram/histogram_estimator.ts";
export type { PercentileBounds } from "./src/core/statistics/histogram/percentile_bounds.ts";
export {
  boundHistogramPercentiles,
  estimateHistogramPercentiles,
  type PlainHistogram,
} from "./src/telemetry/timeseries/estimate_histogram_percentiles.ts";
export { inferUnit } from "./src/telemetry/prometheus/infer_unit.ts";
export { profile } from "./src/run/runner/profile.ts";
export type {
  MetricStatistics,
  ProfileHooks,
  ProfileResult,
} from "./src/run/runner/profile_result.ts";
export type { ProfileOptions } from "./src/config/options/profile/profile_types.ts";
export type { PromptOptions } from "./src/config/options/profile/prompt_types.ts";
export type {
  MetricsFileOptions,
  ScrapeOptions,
  ServerMetricsOptions,
} from "./src/config/options/profile/server_metrics_types.ts";
export type { ArrivalPattern, LoadPlan, PhasePlan } from "./src/config/plan/run_plan.ts";
export type { EndReason } from "./src/core/run_end/end_reason.ts";
export type { ErrorDetails } from "./src/report/model/error_details.ts";
export type { ExportOutcome } from "./src/report/model/export_outcome.ts";
export type { RunProgress } from "./src/report/model/run_progress.ts";
export type { ClientHealth, ErrorGroup, RequestCounts } from "./src/report/model/profile_report.ts";
export { UsageError } from "./src/config/options/usage_error.ts";
export { DatasetError } from "./src/core/files/dataset_error.ts";
export { ExportError } from "./src/report/export/export_error.ts";
export { ServerUnavailableError } from "./src/run/runner/server_probe.ts";
