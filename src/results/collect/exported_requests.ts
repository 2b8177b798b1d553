/** The requests of a run from the lines that it exported, as its pictures need them. */

import type { FailureKind, RequestTable, ShownError } from "../../report/html/run_view.ts";
import { RECORD_METRICS, type RecordMetricTag } from "../../measurement/metrics/record_metrics.ts";
import { type KeptRequest, KeptRequests, someChunks } from "../../report/model/kept_requests.ts";
import { FloatColumn } from "../../core/statistics/float_column.ts";
import { redactedJson, type Redactor } from "../../core/secrets/redactor.ts";
import { inOwnUnit, type JsonObject, linesOf, objectOf } from "./exported_files.ts";
import { RunFolderError } from "./run_folder.ts";

const TAGS = RECORD_METRICS.map(({ tag }) => tag as RecordMetricTag);
/** Parts of a request that do not fit into its latency by more than this were before it. */
const SLACK_NS = 1e6;

/** The requests of one phase. */
class ExportedTable implements RequestTable {
  readonly allStartNs = new FloatColumn();
  readonly allEndNs = new FloatColumn();
  readonly contentEndNs = new FloatColumn();
  readonly #cancelled = new FloatColumn();
  readonly #columns = new Map<RecordMetricTag, FloatColumn>();

  get length(): number {
    return this.allStartNs.length;
  }

  column(tag: RecordMetricTag): Float64Array | undefined {
    const column = this.#columns.get(tag);
    column?.padTo(this.length);
    return column?.values;
  }

  counts(_name: "cancelled"): Float64Array {
    return this.#cancelled.values;
  }

  add(request: ExportedRequest): void {
    const row = this.length;
    const { startNs, endNs, outcome, value } = request;
    this.allStartNs.push(startNs);
    this.allEndNs.push(endNs);
    this.contentEndNs.push(outcome === "valid" ? endNs : NaN);
    this.#cancelled.push(outcome === "cancelled" ? 1 : 0);
    if (outcome !== "valid") return;
    for (const tag of TAGS) {
      const number = value(tag);
      if (Number.isNaN(number)) continue;
      let column = this.#columns.get(tag);
      if (column === undefined) this.#columns.set(tag, column = new FloatColumn());
      column.padTo(row);
      column.push(number);
    }
  }
}

/** A line; times are nanoseconds after the base. */
interface ExportedRequest {
  readonly startNs: number;
  readonly endNs: number;
  readonly outcome: "valid" | "failed" | "cancelled";
  readonly error: JsonObject | undefined;
  value(tag: string): number;
}

/** See the module's comment. */
export interface ExportedRequests {
  /** Zero of their times, nanoseconds since 1970. */
  readonly baseEpochNs: bigint;
  readonly warmup: RequestTable;
  readonly profiling: RequestTable;
  readonly kept: readonly KeptRequest[];
  readonly failures: readonly FailureKind[];
  readonly errors: readonly ShownError[];
}

/**
 * Reads the lines of requests.
 * @param redact takes secrets out of them
 * @throws {RunFolderError} if one cannot be read
 */
export async function exportedRequests(
  path: string,
  redact: Redactor,
): Promise<ExportedRequests> {
  const tables = { warmup: new ExportedTable(), profiling: new ExportedTable() };
  const kept = new KeptRequests();
  const failures = new Failures();
  let baseNs: number | undefined;
  let number = 0;
  try {
    for await (const line of linesOf(path)) {
      number++;
      if (line.trim() === "") continue;
      const record = objectOf(JSON.parse(redactedJson(line, redact))) ?? {};
      const metadata = objectOf(record["metadata"]) ?? {};
      const epochNs = Number(metadata["request_start_ns"]);
      if (Number.isNaN(epochNs)) continue;
      baseNs ??= epochNs;
      const request = requestOf(record, metadata, epochNs - baseNs, baseNs);
      const isWarmup = metadata["benchmark_phase"] === "warmup";
      tables[isWarmup ? "warmup" : "profiling"].add(request);
      if (isWarmup) continue;
      const latency = request.outcome === "valid" ? request.endNs - request.startNs : undefined;
      const index = number - 1;
      kept.offer(index, latency, () => keptRequest(index, request, record, metadata));
      if (request.outcome === "failed") failures.add(request);
    }
  } catch (error) {
    throw new RunFolderError(`${path}, line ${number}: ${(error as Error).message}`);
  }
  return {
    baseEpochNs: BigInt(Math.round(baseNs ?? 0)),
    ...tables,
    kept: kept.all,
    failures: failures.kinds,
    errors: failures.groups,
  };
}

function requestOf(
  { metrics, error: told }: JsonObject,
  metadata: JsonObject,
  startNs: number,
  baseNs: number,
): ExportedRequest {
  const values = objectOf(metrics) ?? {};
  const value = (tag: string): number => inOwnUnit(objectOf(values[tag]), tag);
  const latencyMs = value("request_latency");
  const error = objectOf(told);
  const isCut = error?.["kind"] === "cut_off";
  const outcome = metadata["was_cancelled"] === true && !isCut
    ? "cancelled"
    : error !== undefined || Number.isNaN(latencyMs)
    ? "failed"
    : "valid";
  const endNs = outcome === "valid"
    ? startNs + latencyMs * 1e6
    : Number(metadata["request_end_ns"] ?? NaN) - baseNs;
  return { startNs, endNs, outcome, error, value };
}

/** What went wrong, as the line says it. */
function failureOf({ error }: ExportedRequest): Omit<ShownError, "count"> {
  const { code, type, message, kind } = error ?? {};
  const status = typeof code === "number" ? code : null;
  const name = typeof type === "string" && type !== "" ? type : "no result";
  return {
    kind: typeof kind === "string" ? kind : name,
    status,
    type: name,
    message: typeof message === "string" ? message : "The line has neither a latency nor an error",
  };
}

/** Failures by kind, and those that read the same but for their numbers. */
class Failures {
  readonly #times = new Map<string, number[]>();
  readonly #groups = new Map<string, ShownError & { count: number; firstNs: number }>();

  add(request: ExportedRequest): void {
    const { endNs } = request;
    const failure = failureOf(request);
    if (!Number.isNaN(endNs)) {
      const times = this.#times.get(failure.kind);
      if (times === undefined) this.#times.set(failure.kind, [endNs]);
      else times.push(endNs);
    }
    const key = `${failure.kind}\n${failure.status}\n${failure.message.replace(/\d+/g, "0")}`;
    const known = this.#groups.get(key);
    if (known === undefined) this.#groups.set(key, { ...failure, count: 1, firstNs: endNs });
    else {
      known.count++;
      if (endNs < known.firstNs) known.firstNs = endNs;
    }
  }

  get kinds(): FailureKind[] {
    return [...this.#times].map(([kind, times]) => ({
      kind,
      timesNs: Float64Array.from(times).sort(),
    })).sort((a, b) => b.timesNs.length - a.timesNs.length);
  }

  get groups(): ShownError[] {
    return [...this.#groups.values()].sort((a, b) => b.count - a.count);
  }
}

function keptRequest(
  index: number,
  request: ExportedRequest,
  { metrics }: JsonObject,
  metadata: JsonObject,
): KeptRequest {
  const { startNs, endNs, outcome, value } = request;
  const ns = (tag: string): number => value(tag) * 1e6;
  const ttftNs = ns("time_to_first_token");
  const known = (tag: string): number => ns(tag) || 0;
  const before = known("http_req_blocked") + known("http_req_dns_lookup") +
    known("http_req_connecting");
  const sending = ns("http_req_sending");
  const exchange = sending + ns("http_req_waiting") + ns("http_req_receiving");
  const isInside = before + exchange <= endNs - startNs + SLACK_NS;
  const sendEndNs = startNs + (isInside ? before : 0) + sending;
  const chunkNs = chunksOf(objectOf(metrics) ?? {}, startNs + ttftNs);
  const { kind, status, message } = failureOf(request);
  return {
    index,
    requestId: String(metadata["x_request_id"] ?? ""),
    error: outcome === "valid" ? undefined : {
      kind: outcome === "cancelled" ? "cancelled" : kind,
      status,
      message: message.slice(0, 300),
    },
    startNs,
    endNs,
    ttftNs,
    inputTokens: value("input_sequence_length"),
    outputTokens: value("output_sequence_length"),
    queuedNs: 0,
    blockedNs: isInside ? ns("http_req_blocked") : NaN,
    dnsNs: isInside ? ns("http_req_dns_lookup") : NaN,
    connectingNs: isInside ? ns("http_req_connecting") : NaN,
    sendEndNs,
    // Without the parts of the exchange: up to the first token.
    headNs: Number.isNaN(exchange) ? startNs + ttftNs : sendEndNs + ns("http_req_waiting"),
    chunkNs: someChunks(chunkNs),
    chunks: chunkNs.length,
  };
}

/** When content came: the first token, and the gaps after it if the line has them. */
function chunksOf(metrics: JsonObject, firstNs: number): number[] {
  if (Number.isNaN(firstNs)) return [];
  const gaps = objectOf(metrics["inter_chunk_latency"])?.["value"];
  const times = [firstNs];
  for (const gap of Array.isArray(gaps) ? gaps : []) {
    if (typeof gap === "number") times.push((times.at(-1) as number) + gap * 1e6);
  }
  return times;
}
