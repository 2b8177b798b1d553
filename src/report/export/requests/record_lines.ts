import { hasSessions, type PayloadSource } from "../../../load/dataset/payloads/payload_table.ts";
import type { Metric } from "../../../measurement/metrics/metric.ts";
import {
  ERROR_ISL,
  INTER_CHUNK_LATENCY,
  type RecordMetric,
} from "../../../measurement/metrics/record_metrics.ts";
import { isGood, type ResolvedObjective } from "../../../measurement/metrics/objectives.ts";
import {
  isCancelled,
  isValid,
  type RequestRecord,
  wasCut,
} from "../../../measurement/metrics/request_record.ts";
import { COUNT_METRICS } from "../../../measurement/metrics/run_metrics.ts";
import type { Target } from "../../../config/plan/run_plan.ts";
import type { FullRecord } from "../../../measurement/metrics/full_record.ts";
import { errorDetails } from "../../model/error_details.ts";
import { errorObject } from "../error_object.ts";
import type { JsonBytes } from "../json_bytes.ts";
import { jsonText } from "../../../core/files/json_text.ts";
import { isDecided, VERDICT } from "../../../client/record/verdict.ts";
import { anomalyKinds } from "../../../measurement/answers/anomaly_kinds.ts";
import { INVALID_REASONS, INVALID_REPLY } from "../../../measurement/answers/invalid_reason.ts";
import { EpochTime } from "./epoch_time.ts";
import { phaseFields } from "./phase_fields.ts";
import { traceData } from "./trace_json.ts";
import { writeCall } from "./write_call.ts";

/** Context of all lines of a run. */
export interface RecordJsonOptions {
  /** The start of the run's clock, nanoseconds since 1970. */
  readonly baseEpochNs: bigint;
  readonly payloads: PayloadSource;
  readonly targets: readonly Target[];
  readonly models: readonly string[];
  /** The metrics whose values {@linkcode RecordLines.write} gets, in their order. */
  readonly metrics: readonly RecordMetric[];
  /** Objectives that a request must meet to count as good; empty if there are none. */
  readonly objectives: readonly ResolvedObjective[];
  readonly chunkGaps: boolean;
  readonly httpTrace: boolean;
  /** Tokens of a block of prefix caches. */
  readonly blockTokens: number;
  /** Position of each phase in the run. */
  readonly phaseIndex: { readonly warmup: number; readonly profiling: number };
}

const encoder = new TextEncoder();
const PHASES = ["warmup", "profiling"] as const;

/** A metric's entry, around its value: that of the first one, and of those behind it. */
interface Entry {
  readonly first: Uint8Array;
  readonly next: Uint8Array;
  readonly after: Uint8Array;
  readonly isKnownEarly: boolean;
}

/** Writes the lines of `profile_export.jsonl`. */
export class RecordLines {
  readonly #options: RecordJsonOptions;
  readonly #time: EpochTime;
  readonly #entries: readonly Entry[];
  readonly #good = entryOf(COUNT_METRICS.goodRequestCount);
  readonly #gaps = entryOf(INTER_CHUNK_LATENCY);
  readonly #errorIsl = entryOf(ERROR_ISL);

  constructor(options: RecordJsonOptions) {
    this.#options = options;
    this.#time = new EpochTime(options.baseEpochNs);
    this.#entries = options.metrics.map(entryOf);
  }

  /** Writes one line, without its line end. */
  write(out: JsonBytes, full: FullRecord, values: Float64Array): void {
    const { record } = full;
    out.text('{"metadata":');
    this.writeMetadata(out, full);
    out.text(',"metrics":{');
    this.#writeMetrics(out, record, values);
    out.text("}");
    if (this.#options.httpTrace) {
      out.text(`,"trace_data":${traceData(record, this.#options.baseEpochNs)}`);
    }
    if (full.error !== undefined) out.text(`,"error":${recordError(record, full.error)}`);
    out.text("}");
  }

  /** Writes the `metadata` object of a record. */
  writeMetadata(out: JsonBytes, full: FullRecord): void {
    const { record, requestId, correlationId = requestId } = full;
    const { models, payloads, phaseIndex, targets } = this.#options;
    const phase = PHASES[record.phase === 0 ? 0 : 1];
    const cancelled = wasCut(record);
    const endNs = Number.isNaN(record.lastEventNs) ? record.endNs : record.lastEventNs;
    const { table, entry } = payloads.locate(record.entry);
    out.text('{"session_num":');
    out.number(sessionOf(record));
    out.text(',"x_request_id":"');
    out.text(requestId);
    out.text('","x_correlation_id":"');
    out.text(correlationId);
    out.text('","conversation_id":');
    out.string(table.sessionIdOf(entry));
    out.text(',"turn_index":');
    out.number(record.turn || 0);
    // Requests that died with their worker do not say which call they were.
    if (hasSessions(table.data) && !Number.isNaN(record.session)) {
      writeCall(out, record, { table, entry }, this.#options);
    }
    this.#writeTime(out, ',"credit_issued_ns":', record.intendedNs);
    this.#writeTime(out, ',"request_start_ns":', record.startNs);
    this.#writeTime(out, ',"request_ack_ns":', record.headNs);
    this.#writeTime(out, ',"request_end_ns":', endNs);
    out.text(',"worker_id":"worker_');
    out.number(record.worker);
    out.text('","record_processor_id":"results",');
    out.text(phaseFields(phase, phaseIndex[phase]));
    out.text(cancelled ? ',"was_cancelled":true' : ',"was_cancelled":false');
    if (cancelled) this.#writeTime(out, ',"cancellation_time_ns":', record.endNs);
    out.text(',"finish_reason":');
    if (full.finishReason === null) out.text("null");
    else out.string(full.finishReason);
    this.#writeAnswer(out, full);
    if (!Number.isNaN(record.serverWorker)) {
      out.text(`,"server_worker":"${record.serverWorker.toString(16).padStart(8, "0")}"`);
    }
    out.text(',"url":');
    out.string(targets[record.target]?.redactedUrl ?? "");
    if (models.length > 1 && !Number.isNaN(record.model)) {
      out.text(',"model":');
      out.string(models[record.model] ?? "");
    }
    out.text("}");
  }

  /** Writes the outcomes of the checks of its answer, if there are any besides a lack of anomalies. */
  #writeAnswer(
    out: JsonBytes,
    { record: { anomalies, correct, invalidReason, valid }, flaw }: FullRecord,
  ): void {
    const hasAnomalies = anomalies > 0;
    if (Number.isNaN(correct) && Number.isNaN(valid) && !hasAnomalies) return;
    const checks = {
      ...(isDecided(correct) ? { "correct": correct === VERDICT.yes } : {}),
      ...(isDecided(valid) ? { "valid": valid === VERDICT.yes } : {}),
      ...(valid === VERDICT.no
        ? { "kind": INVALID_REPLY, "reason": INVALID_REASONS[invalidReason] }
        : {}),
      ...(flaw === undefined ? {} : { "flaw": flaw }),
      ...(hasAnomalies ? { "anomalies": anomalyKinds(anomalies) } : {}),
    };
    out.text(`,"answer":${jsonText(checks, 0)}`);
  }

  #writeTime(out: JsonBytes, name: string, ns: number): void {
    if (Number.isNaN(ns)) return;
    out.text(name);
    this.#time.write(out, ns);
  }

  #writeMetrics(out: JsonBytes, record: RequestRecord, values: Float64Array): void {
    const { chunkGaps, metrics, objectives } = this.#options;
    const valid = isValid(record);
    const cut = wasCut(record);
    let isFirst = true;
    for (let index = 0; index < this.#entries.length; index++) {
      const entry = this.#entries[index] as Entry;
      const value = values[index] as number;
      if (!Number.isFinite(value) || !(valid || (entry.isKnownEarly && cut))) continue;
      writeEntry(out, entry, value, isFirst);
      isFirst = false;
    }
    if (valid && objectives.length > 0) {
      writeEntry(out, this.#good, isGood(record, objectives, metrics) ? 1 : 0, isFirst);
      isFirst = false;
    }
    if ((valid || cut) && chunkGaps && record.chunkNs.length > 1) {
      out.raw(isFirst ? this.#gaps.first : this.#gaps.next);
      out.text("[");
      out.gapsInMilliseconds(record.chunkNs);
      out.text("]");
      out.raw(this.#gaps.after);
      isFirst = false;
    }
    if (!valid && !isCancelled(record) && Number.isFinite(record.inputTokens)) {
      writeEntry(out, this.#errorIsl, record.inputTokens, isFirst);
    }
  }
}

function writeEntry(out: JsonBytes, entry: Entry, value: number, isFirst: boolean): void {
  out.raw(isFirst ? entry.first : entry.next);
  out.number(value);
  out.raw(entry.after);
}

function entryOf(metric: Metric & Pick<Partial<RecordMetric>, "isKnownEarly">): Entry {
  const next = encoder.encode(`,"${metric.tag}":{"value":`);
  return {
    first: next.subarray(1),
    next,
    after: encoder.encode(`,"unit":"${metric.unit}"}`),
    isKnownEarly: metric.isKnownEarly === true,
  };
}

/** Number of a record's session; that of the request where it is not known. */
export function sessionOf({ index, session }: Pick<RequestRecord, "index" | "session">): number {
  return Number.isNaN(session) ? index : session;
}

/** The `error` object of a failed record. */
export function recordError(record: RequestRecord, message: string): string {
  return jsonText(errorObject(errorDetails(record.errorKind, record.status, message)), 0);
}
