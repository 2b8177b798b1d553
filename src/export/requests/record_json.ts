import type { PayloadSource } from "../../dataset/payloads/payload_table.ts";
import type { Metric } from "../../metrics/metric.ts";
import {
  ERROR_ISL,
  INTER_CHUNK_LATENCY,
  isMeasured,
  type RecordMetric,
} from "../../metrics/record_metrics.ts";
import { isGood, type ResolvedObjective } from "../../metrics/objectives.ts";
import { isCancelled, isValid, type RequestRecord, wasCut } from "../../metrics/request_record.ts";
import { COUNT_METRICS } from "../../metrics/run_metrics.ts";
import type { Target } from "../../plan/run_plan.ts";
import type { FullRecord } from "../../metrics/full_record.ts";
import { errorDetails } from "../../report/error_details.ts";
import { errorObject } from "../error_object.ts";
import { jsonText } from "../json_text.ts";
import { gapsInMilliseconds } from "./milliseconds_list.ts";
import { phaseFields } from "./phase_fields.ts";
import { traceData } from "./trace_json.ts";

/** Context of all lines of a run. */
export interface RecordJsonOptions {
  /** The start of the run's clock, nanoseconds since 1970. */
  readonly baseEpochNs: bigint;
  readonly payloads: PayloadSource;
  readonly targets: readonly Target[];
  readonly models: readonly string[];
  /** The metrics whose values {@linkcode recordLine} gets, in their order. */
  readonly metrics: readonly RecordMetric[];
  /** What a request must meet to count as good; empty if nothing was asked for. */
  readonly objectives: readonly ResolvedObjective[];
  readonly chunkGaps: boolean;
  readonly httpTrace: boolean;
  /** Position of each phase in the run. */
  readonly phaseIndex: { readonly warmup: number; readonly profiling: number };
}

/** One line of `profile_export.jsonl`, without its line end. */
export function recordLine(
  full: FullRecord,
  values: Float64Array,
  options: RecordJsonOptions,
): string {
  const { record } = full;
  const parts = [`{"metadata":${recordMetadata(full, options)}`];
  parts.push(`,"metrics":{${recordMetrics(record, values, options)}}`);
  if (options.httpTrace) parts.push(`,"trace_data":${traceData(record, options.baseEpochNs)}`);
  if (full.error !== undefined) parts.push(`,"error":${recordError(record, full.error)}`);
  parts.push("}");
  return parts.join("");
}

/** The `metadata` object of a record. */
export function recordMetadata(full: FullRecord, options: RecordJsonOptions): string {
  const { record, requestId, correlationId = requestId } = full;
  const phase = record.phase === 0 ? "warmup" : "profiling";
  const cancelled = wasCut(record);
  const at = (ns: number): bigint => options.baseEpochNs + BigInt(ns);
  const endNs = Number.isNaN(record.lastEventNs) ? record.endNs : record.lastEventNs;
  const time = (name: string, ns: number): string => Number.isNaN(ns) ? "" : `,"${name}":${at(ns)}`;
  const { table, entry } = options.payloads.locate(record.entry);
  const conversation = jsonText(table.sessionIdOf(entry), 0);
  const target = options.targets[record.target]?.redactedUrl ?? "";
  const isOneOfSeveral = options.models.length > 1 && !Number.isNaN(record.model);
  const model = isOneOfSeveral ? `,"model":${jsonText(options.models[record.model] ?? "", 0)}` : "";
  return `{"session_num":${sessionOf(record)},"x_request_id":"${requestId}",` +
    `"x_correlation_id":"${correlationId}","conversation_id":${conversation},` +
    `"turn_index":${record.turn || 0}` +
    time("credit_issued_ns", record.intendedNs) +
    time("request_start_ns", record.startNs) +
    time("request_ack_ns", record.headNs) +
    time("request_end_ns", endNs) +
    `,"worker_id":"worker_${record.worker}","record_processor_id":"results"` +
    `,${phaseFields(phase, options.phaseIndex[phase])},"was_cancelled":${cancelled}` +
    (cancelled ? time("cancellation_time_ns", record.endNs) : "") +
    `,"finish_reason":${jsonText(full.finishReason, 0)},"url":${jsonText(target, 0)}${model}}`;
}

/** Number of a record's session; that of the request where it is not known. */
export function sessionOf({ index, session }: RequestRecord): number {
  return Number.isNaN(session) ? index : session;
}

/** The `error` object of a failed record. */
export function recordError(record: RequestRecord, message: string): string {
  return jsonText(errorObject(errorDetails(record.errorKind, record.status, message)), 0);
}

function recordMetrics(
  record: RequestRecord,
  values: Float64Array,
  options: RecordJsonOptions,
): string {
  const entries: string[] = [];
  options.metrics.forEach((metric, index) => {
    const value = values[index] as number;
    if (Number.isFinite(value) && isMeasured(metric, record)) {
      entries.push(metricEntry(metric, value));
    }
  });
  if (isValid(record) && options.objectives.length > 0) {
    const isGoodRequest = isGood(record, options.objectives, options.metrics);
    entries.push(metricEntry(COUNT_METRICS.goodRequestCount, isGoodRequest ? 1 : 0));
  }
  const hasGaps = isValid(record) || wasCut(record);
  if (hasGaps && options.chunkGaps && record.chunkNs.length > 1) {
    entries.push(
      metricEntry(INTER_CHUNK_LATENCY, `[${gapsInMilliseconds(record.chunkNs)}]`),
    );
  }
  if (!isValid(record) && !isCancelled(record) && Number.isFinite(record.inputTokens)) {
    entries.push(metricEntry(ERROR_ISL, record.inputTokens));
  }
  return entries.join(",");
}

function metricEntry({ tag, unit }: Metric, value: number | string): string {
  return `"${tag}":{"value":${value},"unit":"${unit}"}`;
}
