/**
 * Takes in the records of a run, phase by phase, and makes the report of it.
 */

import type { PayloadTable } from "../dataset/payload_table.ts";
import type { EndpointType } from "../endpoint/endpoint_type.ts";
import { inputConfig } from "../export/input_config.ts";
import { computeResults, type MetricResults } from "../metrics/compute_results.ts";
import type { FullRecord } from "../metrics/full_record.ts";
import type { MetricContext } from "../metrics/metric.ts";
import { RECORD_METRICS } from "../metrics/record_metrics.ts";
import { RecordTable, type ResolvedObjective } from "../metrics/record_table.ts";
import { MAX_EXACT_SPANS } from "../metrics/span_pool.ts";
import type { RunPlan } from "../plan/run_plan.ts";
import { fallbackEndpoint } from "../scrape/metrics_endpoint.ts";
import { clientHealth } from "../report/client_health.ts";
import { ErrorGroups } from "../report/error_groups.ts";
import { reconcile } from "../report/reconciliation.ts";
import type { ServerMetricsReport } from "../report/server_metrics_report.ts";
import type { ProfileReport, TimeSlice } from "../report/profile_report.ts";
import { QuantileSketch } from "../statistics/quantile_sketch.ts";
import type { RunSummary } from "./messages.ts";

/** Records of a run. */
export class ResultsStore {
  readonly #plan: RunPlan;
  readonly #baseEpochNs: bigint;
  readonly #tokenizerName: string;
  readonly profiling: RecordTable;
  readonly warmup: RecordTable;
  readonly #values: Float64Array;
  readonly #errors = new ErrorGroups();
  readonly #ttft = new QuantileSketch();
  readonly #itl = new QuantileSketch();
  readonly #ttftIndex: number;
  readonly #itlIndex: number;
  #contentChunks = 0;
  #coalescedChunks = 0;
  #retried = 0;

  constructor(
    plan: RunPlan,
    type: EndpointType,
    payloads: PayloadTable,
    baseEpochNs: bigint,
    tokenizerName: string,
  ) {
    this.#plan = plan;
    this.#baseEpochNs = baseEpochNs;
    this.#tokenizerName = tokenizerName;
    const options = {
      context: metricContext(plan, type, payloads),
      objectives: resolveObjectives(plan),
      thresholds: plan.thresholds,
    };
    this.profiling = new RecordTable(options);
    this.warmup = new RecordTable(options);
    this.#values = new Float64Array(this.profiling.metrics.length);
    const tags = this.profiling.metrics.map(({ tag }) => tag);
    this.#ttftIndex = tags.indexOf("time_to_first_token");
    this.#itlIndex = tags.indexOf("inter_token_latency");
  }

  /** Takes in a record; returns the values of the run's metrics, valid until the next call. */
  add(full: FullRecord): Float64Array {
    const { record } = full;
    const values = this.#values;
    if (record.phase === 0) {
      this.warmup.add(record, values);
      return values;
    }
    this.profiling.add(record, values);
    this.#contentChunks += record.chunkCount || 0;
    this.#coalescedChunks += record.coalescedChunks || 0;
    this.#retried += record.retried || 0;
    if (full.error !== undefined) this.#errors.add(record.errorKind, record.status, full.error);
    const ttft = values[this.#ttftIndex] ?? NaN;
    const itl = values[this.#itlIndex] ?? NaN;
    if (!Number.isNaN(ttft)) this.#ttft.add(ttft);
    if (!Number.isNaN(itl)) this.#itl.add(itl);
    return values;
  }

  /** Medians so far, in milliseconds. */
  get progress(): { readonly ttftP50Ms: number; readonly itlP50Ms: number } {
    return { ttftP50Ms: this.#ttft.percentile(50), itlP50Ms: this.#itl.percentile(50) };
  }

  /** Makes the report. */
  report(
    summary: RunSummary,
    files: readonly string[],
    metrics: ServerMetricsReport | undefined,
  ): ProfileReport {
    const isLast = this.#plan.output.sliceNs === undefined;
    const results = computeResults(this.profiling, this.#baseEpochNs, { isLast });
    const { length, validCount } = this.profiling;
    const requests = {
      sent: summary.sent,
      succeeded: validCount,
      failed: length - validCount,
      unsentArrivals: summary.unsentArrivals,
      retried: this.#retried,
    };
    return {
      benchmarkId: this.#plan.benchmarkId,
      model: this.#plan.model,
      endpointType: this.#plan.endpointType,
      results,
      warmupResults: this.warmup.length > 0
        ? computeResults(this.warmup, this.#baseEpochNs)
        : undefined,
      slices: this.#slices(summary),
      errors: this.#errors.all,
      requests,
      // An interrupted run has no last scrape: the server knows more than was asked.
      reconciliation: metrics === undefined || summary.wasCancelled
        ? []
        : reconcile(results, requests, metrics, this.#ownMetricsUrls()),
      clientHealth: clientHealth({
        loopLagMs: summary.loopLagMs,
        sendSlipMs: present(this.profiling.column("send_slip")),
        queueWaitMs: this.profiling.options.context.arrivalProcess
          ? present(this.profiling.column("queue_wait"))
          : undefined,
        contentChunks: this.#contentChunks,
        coalescedChunks: this.#coalescedChunks,
        cpuCores: summary.cpuCores,
        cores: summary.cores,
        ttftP50Ms: medianOf(results, "time_to_first_token"),
        itlP50Ms: medianOf(results, "inter_token_latency"),
      }),
      wasCancelled: summary.wasCancelled,
      isComplete: summary.isComplete,
      startEpochNs: this.#baseEpochNs + BigInt(summary.startNs),
      endEpochNs: this.#baseEpochNs + BigInt(summary.endNs),
      tokenizer: this.#tokenizerName,
      notes: [...summary.notes, ...unsentNotes(summary), ...this.#notes(results)],
      cliCommand: this.#plan.cliCommand,
      inputConfig: inputConfig(this.#plan),
      files,
    };
  }

  #ownMetricsUrls(): Set<string> {
    const own = (this.#plan.serverMetrics?.endpoints ?? []).filter(({ named }) => !named);
    // Some turn out to be at the other usual path.
    const moved = own.flatMap((endpoint) => fallbackEndpoint(endpoint) ?? []);
    return new Set([...own, ...moved].map(({ redactedUrl }) => redactedUrl));
  }

  #notes(results: MetricResults): string[] {
    const notes: string[] = [];
    const countOf = (tag: string): number => {
      const result = results.get(tag);
      return result !== undefined && "value" in result ? Number(result.value) : 0;
    };
    const { usageDiffPct } = this.#plan.thresholds;
    const discrepant = countOf("usage_discrepancy_count");
    const total = this.profiling.validCount;
    if (discrepant > 0) {
      notes.push(
        `Token counts of ${discrepant} of ${total} requests differ by more than ${usageDiffPct} % ` +
          `from the server's: give the model's tokenizer (--tokenizer) or --use-server-token-count`,
      );
    }
    const mismatched = countOf("osl_mismatch_count");
    if (mismatched > 0) {
      notes.push(
        `${mismatched} of ${total} outputs are not as long as asked for: to have the server ` +
          `honour the length, add --extra-inputs ignore_eos:true`,
      );
    }
    if (!this.profiling.chunkGaps.isExact) {
      notes.push(
        `Percentiles of inter_chunk_latency are within 0.1 %, not exact: there were more than ` +
          `${MAX_EXACT_SPANS / 1e6} million gaps`,
      );
    }
    return notes;
  }

  /**
   * Slices of equal width from the first request's start. A request belongs to the slice in which
   * it started; slices without requests are left out; the last one ends with the run.
   */
  #slices(summary: RunSummary): TimeSlice[] {
    const { sliceNs } = this.#plan.output;
    const starts = this.profiling.allStartNs.values;
    if (sliceNs === undefined || !starts.some((start) => start >= 0)) return [];
    const firstNs = starts.reduce((first, start) => start < first ? start : first, Infinity);
    const rowsOf = new Map<number, number[]>();
    starts.forEach((start, row) => {
      // When the requests of a thread that died were started nobody knows.
      if (Number.isNaN(start)) return;
      const slice = Math.floor((start - firstNs) / sliceNs);
      const rows = rowsOf.get(slice);
      if (rows === undefined) rowsOf.set(slice, [row]);
      else rows.push(row);
    });
    const lastNs = this.profiling.contentEndNs.values.reduce(
      (last, end) => end > last ? end : last,
      firstNs,
    );
    const endOfRunNs = lastNs > firstNs ? lastNs : summary.endNs;
    return [...rowsOf].sort(([a], [b]) => a - b).map(([slice, rows]) => {
      const startNs = firstNs + slice * sliceNs;
      const endNs = Math.min(startNs + sliceNs, Math.max(endOfRunNs, startNs));
      return {
        startNs: this.#baseEpochNs + BigInt(startNs),
        endNs: this.#baseEpochNs + BigInt(endNs),
        isComplete: endNs === startNs + sliceNs,
        results: computeResults(this.profiling, this.#baseEpochNs, {
          rows,
          windowSeconds: (endNs - startNs) / 1e9,
        }),
      };
    });
  }
}

/** Arrivals that never became requests are in no figure, and they are those that waited longest. */
function unsentNotes({ unsentArrivals, sent }: RunSummary): string[] {
  if (unsentArrivals === 0) return [];
  const arrivals = unsentArrivals + sent;
  return [
    `${unsentArrivals} of ${arrivals} arrivals found no free slot before the end: the server did ` +
    `not keep up with the rate within the cap, and what they would have waited is in no figure`,
  ];
}

function metricContext(
  plan: RunPlan,
  type: EndpointType,
  payloads: PayloadTable,
): MetricContext {
  return {
    streaming: plan.body.streaming,
    producesTokens: type.producesTokens,
    tokenizesInput: type.tokenizesInput,
    images: payloads.data.images.some((images) => images > 0),
    goodput: plan.objectives.length > 0,
    httpTrace: plan.transport === "socket",
    usageDiff: !plan.useServerTokenCount,
    arrivalProcess: plan.phases.some((phase) =>
      phase.kind === "profiling" && phase.load.loop === "open"
    ),
  };
}

function resolveObjectives(plan: RunPlan): ResolvedObjective[] {
  return plan.objectives.map(({ tag, threshold }) => {
    const metric = RECORD_METRICS.find((metric) => metric.tag === tag);
    if (metric === undefined) throw new RangeError(`There is no metric "${tag}"`);
    return { metric, threshold };
  });
}

function medianOf(results: MetricResults, tag: string): number {
  const result = results.get(tag);
  return result !== undefined && "summary" in result ? result.summary.p50 : NaN;
}

function present(values: Float64Array | undefined): Float64Array {
  return values?.filter((value) => !Number.isNaN(value)) ?? new Float64Array(0);
}
