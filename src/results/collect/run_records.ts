/**
 * The records of a run as they are taken in, one after another, from the load workers or from a run
 * folder: the same records give the same results.
 */

import { AnswerTally } from "../../measurement/answers/answer_tally.ts";
import { CanaryLog } from "../../measurement/canary/canary_log.ts";
import type { EndpointType } from "../../client/endpoint/protocol/endpoint_type.ts";
import { isDescriptorLimit } from "../../client/http/descriptor_limit.ts";
import type { FullRecord } from "../../measurement/metrics/full_record.ts";
import type { MetricContext } from "../../measurement/metrics/metric.ts";
import { RECORD_METRICS } from "../../measurement/metrics/record_metrics.ts";
import type { ResolvedObjective } from "../../measurement/metrics/objectives.ts";
import { PositionTally } from "../../measurement/metrics/position_tally.ts";
import { RecordTable } from "../../measurement/metrics/record_table.ts";
import { ERROR_KINDS } from "../../client/record/error_kind.ts";
import {
  isCancelled,
  isValid,
  outputSequenceLength,
  type RequestRecord,
} from "../../measurement/metrics/request_record.ts";
import type { RowsCursor } from "../../measurement/metrics/rows_cursor.ts";
import { RECORD_FIELD, type RecordField } from "../../client/record/request_fields.ts";
import type { ResultsProgress } from "./messages.ts";
import type { RunPlan } from "../../config/plan/run_plan.ts";
import { KeptRequests } from "../../report/model/kept_requests.ts";
import { ErrorGroups } from "../../report/model/error_groups.ts";
import { ReplyCheck } from "../../report/model/reply_check.ts";
import { TokenCheck } from "../../report/model/token_check.ts";
import type { NumberStore } from "../../core/statistics/number_store.ts";
import { QuantileSketch } from "../../core/statistics/quantile_sketch.ts";
import type { TimeWindow } from "../../core/statistics/sample_window.ts";

const UNEXPECTED_REPLY = ERROR_KINDS.indexOf("unexpected_reply");

/** See the module's comment. */
export class RunRecords {
  readonly profiling: RecordTable;
  readonly warmup: RecordTable;
  readonly canaries = new CanaryLog();
  readonly errors = new ErrorGroups();
  readonly tokens: TokenCheck;
  readonly replies: ReplyCheck;
  /** Anomalies of replies in the profiling phase. */
  readonly answers = new AnswerTally();
  /** Accepted tokens of the profiling phase by their positions in drafts. */
  readonly positions = new PositionTally();
  /** Single requests of the profiling phase. */
  readonly kept = new KeptRequests();
  readonly #values: Float64Array;
  readonly #ttft = new QuantileSketch();
  readonly #itl = new QuantileSketch();
  readonly #ttftIndex: number;
  readonly #itlIndex: number;
  /** Output tokens of replies that have both, and their chunks. */
  #tokens = 0;
  #tokenChunks = 0;
  /** Content chunks of the profiling phase, and those that came with the same read as another. */
  contentChunks = 0;
  coalescedChunks = 0;
  /** Requests sent twice because a pooled connection turned out to be closed. */
  retried = 0;
  /** Requests for which this process could not open one more file. */
  descriptorFailures = 0;
  /** Replies of 429 that were waited for, and how long that took in all. */
  rateLimitReplies = 0;
  rateLimitWaitNs = 0;
  /** Requests of the phase under way that failed by what their replies say. */
  #unexpected = { phase: 0, count: 0 };
  #lastEndNs = -Infinity;

  /**
   * @param hasImages whether any prompt carries images, or replies are images
   * @param store where columns lie; in memory if there is none
   * @param poolsGaps whether gaps between chunks of the profiling phase are pooled
   */
  constructor(
    plan: RunPlan,
    type: EndpointType,
    hasImages: boolean,
    store?: NumberStore,
    poolsGaps = true,
  ) {
    const options = {
      context: metricContext(plan, type, hasImages),
      objectives: resolveObjectives(plan),
      thresholds: plan.thresholds,
    };
    this.profiling = new RecordTable({ ...options, poolsGaps }, store);
    this.warmup = new RecordTable(options, store);
    this.tokens = new TokenCheck(plan);
    this.replies = new ReplyCheck(plan.body.streaming);
    this.#values = new Float64Array(this.profiling.metrics.length);
    const tags = this.profiling.metrics.map(({ tag }) => tag);
    this.#ttftIndex = tags.indexOf("time_to_first_token");
    this.#itlIndex = tags.indexOf("inter_token_latency");
  }

  /** Takes in a record; returns the values of the run's metrics, valid until the next call. */
  add(full: FullRecord): Float64Array {
    const { record } = full;
    const values = this.#values;
    const { phase } = record;
    if (this.#unexpected.phase !== phase) this.#unexpected = { phase, count: 0 };
    if (record.errorKind === UNEXPECTED_REPLY) this.#unexpected.count++;
    if (record.phase === 0) {
      this.warmup.add(record, values);
      return values;
    }
    this.profiling.add(record, values);
    this.kept.add(full);
    this.contentChunks += record.chunkCount || 0;
    this.coalescedChunks += record.coalescedChunks || 0;
    this.retried += record.retried || 0;
    this.rateLimitReplies += record.limitedCount || 0;
    this.rateLimitWaitNs += record.limitedNs || 0;
    if (record.endNs > this.#lastEndNs) this.#lastEndNs = record.endNs;
    this.replies.add(record);
    this.answers.add(record, full.flaw, full.flawTexts);
    this.positions.add(record);
    if (full.error === undefined) this.tokens.add(record);
    else this.#addFailure(record, full.error);
    const tokens = outputSequenceLength(record);
    if (tokens > 0 && record.chunkCount > 0) {
      this.#tokens += tokens;
      this.#tokenChunks += record.chunkCount;
    }
    if (!isValid(record)) return values;
    const ttft = values[this.#ttftIndex] ?? NaN;
    const itl = values[this.#itlIndex] ?? NaN;
    if (!Number.isNaN(ttft)) this.#ttft.add(ttft);
    if (!Number.isNaN(itl)) this.#itl.add(itl);
    return values;
  }

  /**
   * Takes in the records of a cursor, one column after another: the same as {@linkcode add} of each,
   * but for {@linkcode progress}, which is that of a run under way.
   */
  addRows(cursor: RowsCursor): void {
    for (let start = cursor.start; start < cursor.end;) {
      const { phase, end } = phaseEnd(cursor, start);
      if (phase === 0) this.warmup.addRows(cursor, start, end);
      else this.#addProfiling(cursor, start, end);
      start = end;
    }
  }

  /** Adds requests that started outside of the part of the profiling phase that is looked at. */
  addStraddling(cursor: RowsCursor): void {
    const ends = cursor.rows.columns[RECORD_FIELD.endNs] as Float64Array;
    for (let start = cursor.start; start < cursor.end;) {
      const { phase, end } = phaseEnd(cursor, start);
      if (phase !== 0) {
        this.profiling.addStraddling(cursor, start, end);
        for (let at = start; at < end; at++) {
          if ((ends[at] as number) > this.#lastEndNs) this.#lastEndNs = ends[at] as number;
        }
      }
      start = end;
    }
  }

  #addProfiling(cursor: RowsCursor, start: number, end: number): void {
    const { record } = cursor;
    this.profiling.addRows(cursor, start, end);
    this.kept.addRows(cursor, start, end);
    const sum = (field: RecordField): number => sumOf(cursor, field, start, end);
    this.contentChunks += sum("chunkCount");
    this.coalescedChunks += sum("coalescedChunks");
    this.retried += sum("retried");
    this.rateLimitReplies += sum("limitedCount");
    const ends = cursor.rows.columns[RECORD_FIELD.endNs] as Float64Array;
    const isLimited = !Number.isNaN(cursor.rows.same(RECORD_FIELD.limitedNs) ?? 0);
    for (let at = start; at < end; at++) {
      const endNs = ends[at] as number;
      if (endNs > this.#lastEndNs) this.#lastEndNs = endNs;
      cursor.at = at;
      if (isLimited) this.rateLimitWaitNs += record.limitedNs || 0;
      this.replies.add(record);
      const isChecked = !Number.isNaN(record.valid) || !Number.isNaN(record.correct);
      if (isChecked) this.answers.add(record, cursor.flaw, cursor.flawTexts);
      else this.answers.add(record);
      this.positions.add(record);
      const { error } = cursor;
      if (error === undefined) this.tokens.add(record);
      else this.#addFailure(record, error);
    }
  }

  #addFailure(record: RequestRecord, error: string): void {
    if (!isCancelled(record)) {
      this.errors.add(record.errorKind, record.status, error, record.endNs);
    }
    // Only where no connection came about are the words those of the operating system alone.
    const isOfSystem = ERROR_KINDS[record.errorKind] === "connect";
    if (isOfSystem && isDescriptorLimit(error)) this.descriptorFailures++;
  }

  /**
   * The profiling phase up to its last response: where it goes on without any request, as at the end
   * of a duration, nothing is measured.
   */
  profilingWindow({ startNs, endNs, goesOn }: TimeWindow): TimeWindow {
    const lastNs = this.#lastEndNs > startNs ? Math.min(this.#lastEndNs, endNs) : endNs;
    return { startNs, endNs: lastNs, goesOn };
  }

  /** What is known so far. */
  get progress(): ResultsProgress {
    return {
      ttftP50Ms: this.#ttft.percentile(50),
      itlP50Ms: this.#itl.percentile(50),
      unexpected: this.#unexpected.count,
      tokensPerChunk: this.#tokens > 0 ? this.#tokens / this.#tokenChunks : 1,
    };
  }
}

/** The sum of a count, which is no time: so it is the same in any order. */
function sumOf({ rows }: RowsCursor, field: RecordField, start: number, end: number): number {
  const same = rows.same(RECORD_FIELD[field]);
  if (same !== undefined) return (same || 0) * (end - start);
  const values = rows.columns[RECORD_FIELD[field]] as Float64Array;
  let sum = 0;
  for (let at = start; at < end; at++) sum += (values[at] as number) || 0;
  return sum;
}

/** The phase of a record, and the place behind the last of those of the same phase that follow it. */
export function phaseEnd(
  { rows, end: last }: RowsCursor,
  start: number,
): { readonly phase: number; readonly end: number } {
  const phases = rows.columns[RECORD_FIELD.phase] as Float64Array;
  const phase = phases[start] as number;
  let end = start + 1;
  while (end < last && phases[end] === phase) end++;
  return { phase, end };
}

/** What metrics depend on of a run. */
export function metricContext(
  plan: RunPlan,
  type: EndpointType,
  hasImages: boolean,
): MetricContext {
  return {
    streaming: plan.body.streaming,
    producesTokens: type.producesTokens,
    tokenizesInput: type.tokenizesInput,
    images: hasImages,
    goodput: plan.objectives.length > 0,
    needsCorrect: plan.objectives.some(({ tag }) => tag === "good_answer"),
    httpTrace: plan.transport === "socket",
    usageDiff: !plan.useServerTokenCount && plan.prefersUsage !== true,
    arrivalProcess: plan.phases.some((phase) =>
      phase.kind === "profiling" && (phase.load.loop === "open" || phase.prefill !== undefined)
    ),
    takesJobs: type.writer.job !== undefined,
    costPerHour: plan.costPerHour,
    gpus: plan.gpus?.total,
    cacheBlockTokens: plan.dataset.source === "file" ? plan.dataset.blockSize : undefined,
    itlDialects: plan.output.itlDialects,
    itlDialect: plan.itlDialect,
  };
}

function resolveObjectives(plan: RunPlan): ResolvedObjective[] {
  return plan.objectives.map(({ tag, threshold }) => {
    const metric = RECORD_METRICS.find((metric) => metric.tag === tag);
    if (metric === undefined) throw new RangeError(`There is no metric "${tag}"`);
    return { metric, threshold };
  });
}
