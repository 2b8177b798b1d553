import { modelResults } from "../metrics/model_results.ts";
import { meanRttNs } from "../network_latency/network_sample.ts";
import { type ClientTotals, gpuEfficiency, NO_TOTALS } from "../gpu_telemetry/gpu_efficiency.ts";
import type { GpuTelemetryReport } from "../gpu_telemetry/gpu_report.ts";
import { inputConfig, ownConfig } from "../export/summary/input_config.ts";
import { judgeSlos } from "../gate/judge_slos.ts";
import {
  computeResults,
  distributionOf,
  figuresOf,
  type FoundAhead,
  type MetricResults,
  valueOf,
} from "../metrics/compute_results.ts";
import { type SessionResults, sessionResults } from "../metrics/session_results.ts";
import { MAX_EXACT_SPANS } from "../metrics/span_pool.ts";
import { type DelaysByKind, delaysByKind } from "../own_error/delays_by_kind.ts";
import { type ErrorCircumstances, errorReasons } from "../own_error/error_reasons.ts";
import { type MeasuredRequests, measureError } from "../own_error/measure_error.ts";
import type { MeasurementError } from "../own_error/measurement_error.ts";
import { shardName } from "../partition/shard.ts";
import type { PhasePlan, RunPlan } from "../plan/run_plan.ts";
import { clientHealth } from "../report/client_health.ts";
import { INCOMPLETE_TAG } from "../report/incomplete_tag.ts";
import { judgedRun } from "../report/judged_run.ts";
import { loadChangeNotes } from "../report/load_change.ts";
import type { ClientHealth, ProfileReport, TimeSlice } from "../report/profile_report.ts";
import { reconcile } from "../report/reconciliation.ts";
import type { ServerMetricsReport } from "../report/server_metrics_report.ts";
import { alternativeEndpoint } from "../scrape/metrics_endpoint.ts";
import { collectGarbage } from "../thread/collect_garbage.ts";
import { LARGE_RUN } from "./large_run.ts";
import type { RunFacts, RunSummary } from "./run_manifest.ts";
import type { RunRecords } from "./run_records.ts";
import { stoodStill } from "./stood_still.ts";

/**
 * Makes the report of a run.
 * @param records are used up: nothing may be added, and no other report made of them
 * @param files names of the run's files
 * @param metrics the servers' metrics; undefined if they were not collected
 * @param gpu what the GPUs did; undefined if there were none
 * @param ahead what was found of the profiling phase before
 */
export function buildProfileReport(
  records: RunRecords,
  facts: RunFacts,
  summary: RunSummary,
  files: readonly string[],
  metrics: ServerMetricsReport | undefined,
  gpu?: GpuTelemetryReport,
  ahead?: FoundAhead,
): ProfileReport {
  const { plan, baseEpochNs } = facts;
  const stalls = stallsOf(summary);
  const isLast = plan.output.sliceNs === undefined;
  const isLarge = records.profiling.length >= LARGE_RUN;
  const tidy = (): void => {
    records.profiling.release();
    if (isLarge) collectGarbage();
  };
  tidy();
  const results = computeResults(records.profiling, baseEpochNs, {
    isLast,
    networkRttMs: networkRttMs(facts, summary),
    ahead,
  });
  const models = modelResults(
    records.profiling,
    plan.models,
    valueOf(results, "benchmark_duration"),
  );
  const itlDialects = records.profiling.itlDialects?.results(
    distributionOf(results, "inter_chunk_latency"),
  );
  const delays = delaysByKind(records.canaries);
  tidy();
  const circumstances = circumstancesOf(delays, results, facts, summary);
  const measurementError = errorOf(
    { table: records.profiling, delays, results, hasCanaries: plan.canaries },
    circumstances,
  );
  tidy();
  const sessions = sessionResults(records.profiling);
  const hasAll = hasAllRequests(plan, summary);
  const { cancelledCount, cancelledOnPurpose, length, validCount } = records.profiling;
  const requests = {
    sent: summary.sent,
    succeeded: validCount,
    failed: length - validCount - cancelledCount,
    cancelled: cancelledCount - cancelledOnPurpose,
    cancelledOnPurpose,
    rateLimitReplies: records.rateLimitReplies,
    rateLimitSeconds: records.rateLimitWaitNs / 1e9,
    unsentArrivals: summary.unsentArrivals,
    retried: records.retried,
  };
  const totals = hasAll ? clientTotals(results, plan) : NO_TOTALS;
  const report: Omit<ProfileReport, "gates"> = {
    benchmarkId: plan.benchmarkId,
    model: plan.models.join(", "),
    endpointType: plan.endpointType,
    results,
    warmupResults: records.warmup.length > 0
      ? computeResults(records.warmup, baseEpochNs)
      : undefined,
    sessions,
    slices: slicesOf(records, circumstances, facts, summary),
    measurementError,
    errors: records.errors.all,
    requests,
    // An interrupted run has no last scrape: the server knows more than was asked.
    reconciliation: metrics === undefined || summary.wasCancelled || !hasAll
      ? []
      : reconcile(results, requests, metrics, ownMetricsUrls(plan)),
    clientHealth: clientHealth({
      loopLagMs: summary.loopLagMs,
      sendSlipMs: distributionOf(results, "send_slip"),
      queueWaitMs: distributionOf(results, "queue_wait"),
      contentChunks: records.contentChunks,
      coalescedChunks: records.coalescedChunks,
      cpuCores: summary.cpuCores,
      cores: facts.machine.cores,
      stalls,
      descriptorFailures: records.descriptorFailures,
      isErrorMeasured: measurementError !== undefined,
      ttftP50Ms: distributionOf(results, "time_to_first_token")?.p50 ?? NaN,
      itlP50Ms: distributionOf(results, "inter_token_latency")?.p50 ?? NaN,
    }),
    wasCancelled: summary.wasCancelled,
    endedEarly: summary.endedEarly,
    isComplete: summary.isComplete,
    startEpochNs: baseEpochNs + BigInt(summary.startNs),
    endEpochNs: baseEpochNs + BigInt(summary.endNs),
    tokenizer: facts.tokenizer,
    notes: [
      ...(summary.endedEarly === undefined ? [] : [`The run ended early: ${summary.endedEarly}`]),
      ...loadChangeNotes(summary.changes ?? [], summary.startNs),
      ...stallNotes(stalls),
      ...summary.notes,
      ...unsentNotes(summary, plan),
      ...lostRecordNotes(summary, requests),
      ...sessionNotes(sessions, requests),
      ...gpu?.notes ?? [],
      ...shardNotes(plan, metrics !== undefined || gpu !== undefined),
      ...networkNotes(plan, summary),
      ...notesOf(records, results, ahead?.gaps ?? records.profiling.chunkGaps),
    ],
    cliCommand: plan.cliCommand,
    seed: plan.seed,
    tags: plan.tags ?? [],
    servers: [...facts.servers ?? [], ...metrics?.info ?? []],
    inputConfig: inputConfig(plan),
    ownConfig: ownConfig(plan),
    files,
    itlDialects,
    models,
    gpu: gpu && { report: gpu, efficiency: gpuEfficiency(gpu, totals) },
  };
  const { slos = [], requireValid = false } = plan;
  return { ...report, gates: judgeSlos(slos, judgedRun(report, metrics), { requireValid }) };
}

/** Whether the requests are all that servers and GPUs worked for: not those of one shard of a run. */
function hasAllRequests({ shard, tags = [] }: RunPlan, { isPart }: RunSummary): boolean {
  return isPart !== true && !isOneOfSeveral(shard) &&
    !tags.some(([name]) => name === INCOMPLETE_TAG);
}

function isOneOfSeveral(shard: RunPlan["shard"]): boolean {
  return shard !== undefined && shard.count > 1;
}

/** Whose figures these are, where they are not those of the load that the report names. */
function shardNotes({ shard }: RunPlan, hasMetrics: boolean): string[] {
  if (shard === undefined || !isOneOfSeveral(shard)) return [];
  const metrics = hasMetrics ? ", but metrics of servers and GPUs are of the load of all" : "";
  return [
    `These are the results of ${shardName(shard)}${metrics}: merge makes one result of the shards`,
  ];
}

/** The client's own error; undefined where it was not measured. */
function errorOf(
  measured: MeasuredRequests,
  circumstances: Omit<ErrorCircumstances, "verdict">,
): MeasurementError | undefined {
  const error = measureError(measured);
  return error &&
    { ...error, reasons: errorReasons({ ...circumstances, verdict: error.verdict }) };
}

/** What the client's error can come from, in the whole profiling phase. */
function circumstancesOf(
  delays: DelaysByKind,
  results: MetricResults,
  { machine, plan }: RunFacts,
  { cpuCores, endNs, startNs }: RunSummary,
): Omit<ErrorCircumstances, "verdict"> {
  const streams = results.get("effective_concurrency");
  return {
    ...{ delays, window: { startNs, endNs }, originNs: startNs, cpuCores },
    workers: plan.workers,
    streams: streams === undefined ? NaN : Number(figuresOf(streams).avg),
    cores: machine.cores,
  };
}

/** The network's round trip; undefined if it is not known. */
function networkRttMs(
  { plan: { networkLatency } }: Pick<RunFacts, "plan">,
  { networkSamples = [] }: RunSummary,
): number | undefined {
  const rttNs = networkLatency?.kind === "fixed" ? networkLatency.rttNs : meanRttNs(networkSamples);
  return rttNs === undefined ? undefined : rttNs / 1e6;
}

function networkNotes({ networkLatency }: RunPlan, { networkSamples = [] }: RunSummary): string[] {
  if (networkLatency?.kind !== "probe") return [];
  const failed = networkSamples.filter(({ rttNs }) => rttNs === undefined);
  const reason = failed[0]?.error ?? "there was no probe";
  if (failed.length === networkSamples.length) {
    return [`The network's latency is not known, nothing is adjusted: ${reason}`];
  }
  return failed.length === 0 ? [] : [
    `${failed.length} of ${networkSamples.length} probes of the network failed: ${reason}`,
  ];
}

function clientTotals(results: MetricResults, plan: RunPlan): ClientTotals {
  const load = plan.phases.findLast(({ kind }) => kind === "profiling")?.load;
  return {
    outputTokens: valueOf(results, "total_osl"),
    inputTokens: valueOf(results, "total_isl"),
    requests: valueOf(results, "request_count"),
    latencyMs: distributionOf(results, "request_latency")?.avg,
    requestsPerSecond: valueOf(results, "request_throughput"),
    outputTokensPerSecond: valueOf(results, "output_token_throughput"),
    goodRequestsPerSecond: valueOf(results, "goodput"),
    concurrency: load?.loop === "closed" ? load.concurrency : undefined,
  };
}

function ownMetricsUrls(plan: RunPlan): Set<string> {
  const own = (plan.serverMetrics?.endpoints ?? []).filter(({ named }) => !named);
  // Some turn out to be at the other usual path.
  const moved = own.flatMap((endpoint) => alternativeEndpoint(endpoint) ?? []);
  return new Set([...own, ...moved].map(({ redactedUrl }) => redactedUrl));
}

/** When the process stood still, as readers count time. */
function stallsOf({ stalls = [], startNs }: RunSummary): ClientHealth["stalls"] {
  return stalls.map((stall) => ({
    startSeconds: (stall.startNs - startNs) / 1e9,
    seconds: (stall.endNs - stall.startNs) / 1e9,
  }));
}

function stallNotes(stalls: ClientHealth["stalls"]): string[] {
  const [first, ...others] = stalls.toSorted((a, b) => b.seconds - a.seconds);
  if (first === undefined) return [];
  const longest = `for ${first.seconds.toFixed(1)} s at ${first.startSeconds.toFixed(1)} s`;
  const stopped = "The machine or a debugger stopped this process";
  if (others.length === 0) return [`${stopped} ${longest}: results of that time are affected`];
  const seconds = stalls.reduce((sum, stall) => sum + stall.seconds, 0);
  return [
    `${stopped} ${stalls.length} times, for ${seconds.toFixed(1)} s in all, the longest time ` +
    `${longest}: results of those times are affected`,
  ];
}

function notesOf(
  { profiling, replies, tokens }: RunRecords,
  results: MetricResults,
  gaps: { readonly isExact: boolean },
): string[] {
  const discrepancies = valueOf(results, "usage_discrepancy_count") ?? 0;
  const notes = [
    ...replies.notes(),
    ...tokens.notes(discrepancies, profiling.validCount),
  ];
  if (!gaps.isExact) {
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
function slicesOf(
  { profiling: table }: RunRecords,
  circumstances: Omit<ErrorCircumstances, "verdict">,
  { plan, baseEpochNs }: RunFacts,
  summary: RunSummary,
): TimeSlice[] {
  const { sliceNs } = plan.output;
  const { delays } = circumstances;
  const starts = table.allStartNs.values;
  if (sliceNs === undefined || !starts.some((start) => start >= 0)) return [];
  const firstNs = starts.reduce((first, start) => start < first ? start : first, Infinity);
  const rowsOf = new Map<number, number[]>();
  starts.forEach((start, row) => {
    // The start of a dead thread's requests is unknown.
    if (Number.isNaN(start)) return;
    const slice = Math.floor((start - firstNs) / sliceNs);
    const rows = rowsOf.get(slice);
    if (rows === undefined) rowsOf.set(slice, [row]);
    else rows.push(row);
  });
  const lastNs = table.contentEndNs.values.reduce(
    (last, end) => end > last ? end : last,
    firstNs,
  );
  const endOfRunNs = lastNs > firstNs ? lastNs : summary.endNs;
  return [...rowsOf].sort(([a], [b]) => a - b).map(([slice, rows]) => {
    const startNs = firstNs + slice * sliceNs;
    const endNs = Math.min(startNs + sliceNs, Math.max(endOfRunNs, startNs));
    const results = computeResults(table, baseEpochNs, {
      rows,
      networkRttMs: networkRttMs({ plan }, summary),
      windowSeconds: (endNs - startNs) / 1e9,
    });
    return {
      startNs: baseEpochNs + BigInt(startNs),
      endNs: baseEpochNs + BigInt(endNs),
      isComplete: endNs === startNs + sliceNs,
      results,
      measurementError: errorOf(
        {
          ...{ table, delays, results, rows },
          hasFixedWindow: true,
          hasCanaries: plan.canaries,
        },
        { ...circumstances, window: { startNs, endNs } },
      ),
    };
  });
}

/** Arrivals that never became requests are in no figure, and they are those that waited longest. */
function unsentNotes(summary: RunSummary, { phases }: Pick<RunPlan, "phases">): string[] {
  const { unsentArrivals, sent, endedEarly, changes } = summary;
  if (unsentArrivals === 0 || endedEarly !== undefined) return [];
  const arrivals = unsentArrivals + sent;
  const waited = "no figure includes how long they waited";
  // Whether the server or the hand was too slow is then not known.
  const byHand = changes?.some(({ phase, action }) =>
    phase === "profiling" && (action === "pause" || action === "concurrency")
  );
  if (stoodStill(summary)) {
    return [
      `${unsentArrivals} of ${arrivals} arrivals were not sent before the end: this process stood ` +
      `still; ${waited}`,
    ];
  }
  if (byHand !== true && !hasSlots(phases.findLast(({ kind }) => kind === "profiling"))) {
    return [
      `${unsentArrivals} of ${arrivals} arrivals were not sent before the end: this client was ` +
      `late, for nothing limits its requests in flight; ${waited}`,
    ];
  }
  return [
    byHand === true
      ? `${unsentArrivals} of ${arrivals} arrivals were not sent before the end: the load was ` +
        `changed by hand; ${waited}`
      : `${unsentArrivals} of ${arrivals} arrivals found no free slot before the end: the server ` +
        `did not keep up with the rate at this concurrency; ${waited}`,
  ];
}

/** Whether arrivals wait for a slot. */
function hasSlots(phase: PhasePlan | undefined): boolean {
  return phase?.prefill !== undefined || phase?.load.concurrency !== Infinity;
}

/** Records that were written and are not there: the figures are then of the other requests. */
function lostRecordNotes(
  { isComplete, sent }: RunSummary,
  { succeeded, failed, cancelled, cancelledOnPurpose }: ProfileReport["requests"],
): string[] {
  const lost = sent - succeeded - failed - cancelled - cancelledOnPurpose;
  if (!isComplete || lost <= 0) return [];
  return [
    `${lost} of ${sent} requests have no record, and are in no figure: run/records.bin is damaged`,
  ];
}

/** Turns that their sessions did not come to are in no figure. */
function sessionNotes(
  sessions: SessionResults | undefined,
  { cancelledOnPurpose }: ProfileReport["requests"],
): string[] {
  if (sessions === undefined || sessions.unsentTurns === 0) return [];
  const { failed, unsentTurns } = sessions;
  const turns = unsentTurns === 1 ? "1 turn was" : `${unsentTurns} turns were`;
  const ended = failed + cancelledOnPurpose;
  if (ended === 0) return [`${turns} not sent: the run ended before their sessions did`];
  const what = [
    ...(failed > 0 ? ["fails"] : []),
    ...(cancelledOnPurpose > 0 ? ["is cancelled on purpose"] : []),
  ].join(" or ");
  const count = ended === 1 ? "1 session" : `${ended} sessions`;
  return [
    `${turns} not sent: a session ends with a request that ${what}, as ${count} did, and with the run`,
  ];
}
