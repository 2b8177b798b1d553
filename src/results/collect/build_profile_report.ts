import type { SessionFacts } from "../../measurement/metrics/session_book.ts";
import { cachedShareNote } from "../../report/model/cached_share_note.ts";
import { tokenSource } from "../../report/model/token_source.ts";
import { modelResults } from "../../measurement/metrics/model_results.ts";
import { meanRttNs } from "../../telemetry/network_latency/network_sample.ts";
import { type ClientTotals, gpuEfficiency, NO_TOTALS } from "../../telemetry/gpu/gpu_efficiency.ts";
import type { GpuTelemetryReport } from "../../telemetry/gpu/gpu_report.ts";
import { inputConfig, ownConfig } from "../../report/export/summary/input_config.ts";
import { judgeSlos } from "../../config/gate/judge_slos.ts";
import {
  distributionOf,
  figuresOf,
  type MetricResults,
  valueOf,
} from "../../measurement/metrics/metric_results.ts";
import type { FoundAhead } from "../../measurement/metrics/found_ahead.ts";
import { computeResults } from "../../measurement/metrics/compute_results.ts";
import type { RecordTable } from "../../measurement/metrics/record_table.ts";
import { type SessionResults, sessionResults } from "../../measurement/metrics/session_results.ts";
import { sessionBounds } from "../../measurement/own_error/session_bounds.ts";
import { type DelaysByKind, delaysByKind } from "../../measurement/own_error/delays_by_kind.ts";
import type { ErrorCircumstances } from "../../measurement/own_error/error_reasons.ts";
import { explainedError } from "../../measurement/own_error/explained_error.ts";
import { requestSampling, sessionSampling } from "../../measurement/sampling/session_sampling.ts";
import { windowSampling } from "../../measurement/sampling/window_sampling.ts";
import {
  loadWithin,
  type SteadyWindow,
  steadyWindow,
} from "../../measurement/steady/steady_window.ts";
import { runValidity } from "../../report/model/run_validity.ts";
import { submissionOf, type SubmittedRun } from "../../report/model/submission.ts";
import type { RunPlan } from "../../config/plan/run_plan.ts";
import { clientHealth, type ClientMeasurements } from "../../report/model/client_health.ts";
import { INCOMPLETE_TAG } from "../../report/model/incomplete_tag.ts";
import { diagnose } from "../../report/diagnosis/diagnose.ts";
import { evidenceOf, sliceEvidence } from "../../report/model/evidence_of.ts";
import { judgedRun } from "../../report/model/judged_run.ts";
import type {
  ClientHealth,
  ProfileReport,
  RequestCounts,
} from "../../report/model/profile_report.ts";
import { reconcile } from "../../report/model/reconciliation.ts";
import { agentName } from "../../report/model/agent_figures.ts";
import { cacheShape } from "../../report/model/cache_shape.ts";
import { acceptanceNote } from "../../report/model/acceptance_note.ts";
import { serverTruth } from "../../report/model/server_truth.ts";
import { shownServers } from "../../report/model/shown_servers.ts";
import { shownWindow } from "../../report/model/shown_window.ts";
import type { ServerMetricsReport } from "../../report/model/server_metrics_report.ts";
import { alternativeEndpoints } from "../../telemetry/scrape/metrics_endpoint.ts";
import { collectGarbage } from "../../core/thread/collect_garbage.ts";
import { LARGE_RUN } from "./large_run.ts";
import { firstStartNs, loadReportOf } from "./load_report_of.ts";
import { offeredLoadOf } from "./offered_load_of.ts";
import { reportNotes } from "./report_notes.ts";
import type { RunFacts, RunSummary } from "./run_manifest.ts";
import type { RunRecords } from "./run_records.ts";
import { steadyStateOf } from "./steady_state_of.ts";
import { timeSlices } from "./time_slices.ts";

/** Slices up to which each is diagnosed with the servers' metrics. */
const MAX_SLICES_WITH_SERVERS = 500;
/** Instead of the steady state of a part of a run that was chosen with recompute. */
const CHOSEN_WINDOW: SteadyWindow = { none: "--from or --to selected this part of the run" };

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
  const { profiling } = records;
  profiling.cacheBlockTokens = cacheShape(metrics?.roles).blockSize ?? profiling.cacheBlockTokens;
  const stalls = stallsOf(summary);
  const networkRttMs = networkRttMsOf(plan, summary);
  const computed = computedFrom(records, facts, summary, { networkRttMs, ahead });
  const { results, measurementError, circumstances, sampling, steady, load } = computed;
  const sessions = sessionResults(profiling);
  const hasAll = hasAllRequests(plan, summary);
  const requests = requestCounts(records, summary);
  const totals = hasAll ? clientTotals(results, plan) : NO_TOTALS;
  const roles = hasAll ? metrics?.roles : undefined;
  const agents = plan.dataset.source === "file" ? plan.dataset.agents : undefined;
  const scenario = agents?.scenario;
  const isWholeRunShown = plan.shownWindow === "run";
  const window = shownWindow({ results, measurementError, sampling, steady, isWholeRunShown });
  const shown = {
    ...window,
    roles: roles && metrics && shownServers(metrics, { steady, isWholeRunShown }).roles,
  };
  const truth = serverTruth({
    plan,
    results,
    requests,
    roles,
    shown,
    hasTurns: sessions !== undefined,
    acceptedAt: records.positions.acceptedAt,
    prefix: summary.prefix,
  });
  const report: Omit<ProfileReport, "gates" | "diagnosis" | "evidence"> = {
    ...knownBefore(facts),
    results,
    tokenSource: tokenSource(results, plan),
    warmupResults: records.warmup.length > 0
      ? computeResults(records.warmup, baseEpochNs)
      : undefined,
    sessions,
    agentSampling: agentSampling(profiling, sessions),
    slices: timeSlices(profiling, {
      ...{ facts, summary, circumstances, networkRttMs, load },
      offered: offeredLoadOf(facts, summary, profiling.hasTurns),
    }),
    ...{ measurementError, sampling, steady, load },
    chosenSeconds: summary.within && (summary.within.endNs - summary.within.startNs) / 1e9,
    isWholeRunShown,
    errors: records.errors.all,
    requests,
    // An interrupted run has no last scrape.
    reconciliation:
      metrics === undefined || summary.wasCancelled || !hasAll || isSampleUncounted(plan, summary)
        ? []
        : reconcile(results, requests, metrics, ownMetricsUrls(plan), {
          warmupRequests: records.warmup.length,
          sample: summary.drift?.traffic,
          mayRepeat: ["n", "best_of", "use_beam_search"].some((key) =>
            key in plan.body.extraInputs
          ),
        }),
    serverTruth: truth,
    answers: answersOf(records, summary),
    clientHealth: healthOf(records, results, facts, summary, {
      stalls,
      isErrorMeasured: measurementError !== undefined,
    }),
    submission: agents && (scenario === undefined ? null : submissionOf(scenario, {
      requests,
      errors: records.errors.all,
      isCutShort: summary.wasCancelled || summary.endedEarly !== undefined,
      seconds: (summary.endNs - summary.startNs) / 1e9,
      lengthMismatch: records.tokens.lengthMismatch,
      ...replayFacts(profiling, results),
      isOwnErrorExceeded: runValidity(window).verdict === "invalid",
    })),
    lengthMismatch: records.tokens.lengthMismatch,
    priming: summary.priming,
    wasCancelled: summary.wasCancelled,
    endedEarly: summary.endedEarly,
    endReason: summary.endReason,
    isComplete: summary.isComplete,
    startEpochNs: baseEpochNs + BigInt(summary.startNs),
    endEpochNs: baseEpochNs + BigInt(summary.endNs),
    notes: reportNotes({
      ...{ plan, summary, records, results, requests, sessions, stalls, load },
      cacheNote: cachedShareNote({ plan, results, metrics: hasAll ? metrics : undefined }),
      acceptanceNote: acceptanceNote(plan, truth),
      gpuNotes: gpu?.notes ?? [],
      servers: facts.servers ?? [],
      hasMetrics: metrics !== undefined || gpu !== undefined,
      areGapsExact: (ahead?.gaps ?? profiling.chunkGaps.pool).isExact,
    }),
    servers: [...facts.servers ?? [], ...metrics?.info ?? []],
    files,
    itlDialects: computed.itlDialects,
    models: computed.models,
    gpu: gpu && { report: gpu, efficiency: gpuEfficiency(gpu, totals) },
  };
  const { slos = [] } = plan;
  const evidence = evidenceOf(report, metrics);
  return {
    ...report,
    evidence,
    diagnosis: diagnose(evidence),
    gates: judgeSlos(slos, judgedRun(report, metrics)),
    slices: diagnosedSlices(report, metrics),
  };
}

/** Confidence intervals by depth and by kind of agent. */
function agentSampling(
  table: RecordTable,
  sessions: SessionResults | undefined,
): ProfileReport["agentSampling"] {
  const groups = [...sessions?.depths ?? [], ...sessions?.kinds ?? []];
  return new Map(
    groups.map((group) => [agentName(group), requestSampling(table, group.rows, group.results)]),
  );
}

/** How sessions were replayed, as scenarios limit it. */
function replayFacts(
  { sessionBook }: RecordTable,
  results: MetricResults,
): Pick<SubmittedRun, "outputShare" | "hasWrapped"> {
  let [tokens, calls, hasWrapped] = [0, 0, false];
  for (const line of sessionBook.lines()) {
    const { recordedOutput = NaN, calls: names = [], pass } = JSON.parse(line) as SessionFacts;
    tokens += recordedOutput * names.length;
    calls += names.length;
    hasWrapped ||= pass > 0;
  }
  const mean = distributionOf(results, "output_sequence_length")?.avg ?? NaN;
  return { outputShare: mean / (tokens / calls), hasWrapped };
}

/** Slices with what limits each of them; the servers' metrics of very many slices take too long to find. */
function diagnosedSlices(
  { slices, sessions }: Pick<ProfileReport, "slices" | "sessions">,
  metrics: ServerMetricsReport | undefined,
): ProfileReport["slices"] {
  const hasTurns = sessions !== undefined;
  const servers = slices.length > MAX_SLICES_WITH_SERVERS ? undefined : metrics;
  return slices.map((slice) => ({
    ...slice,
    diagnosis: diagnose({ ...sliceEvidence(slice, servers), hasTurns }),
  }));
}

/** What was known of the run before it began. */
function knownBefore(
  { plan, tokenizer }: RunFacts,
): Pick<
  ProfileReport,
  | "benchmarkId"
  | "model"
  | "endpointType"
  | "tokenizer"
  | "cliCommand"
  | "seed"
  | "tags"
  | "inputConfig"
  | "ownConfig"
> {
  return {
    benchmarkId: plan.benchmarkId,
    model: plan.models.join(", "),
    endpointType: plan.endpointType,
    tokenizer,
    cliCommand: plan.cliCommand,
    seed: plan.seed,
    tags: plan.tags ?? [],
    inputConfig: inputConfig(plan),
    ownConfig: ownConfig(plan),
  };
}

/** What a large run needs much memory for; it is given back between the steps. */
function computedFrom(
  records: RunRecords,
  facts: RunFacts,
  summary: RunSummary,
  known: { readonly networkRttMs: number | undefined; readonly ahead: FoundAhead | undefined },
) {
  const { plan, baseEpochNs } = facts;
  const { profiling } = records;
  const offered = offeredLoadOf(facts, summary, profiling.hasTurns);
  const { within } = summary;
  const { window, facts: loadFacts } = within === undefined
    ? steadyWindow(profiling, offered)
    : { window: CHOSEN_WINDOW, facts: loadWithin(profiling, offered, within) };
  const hasSteady = !("none" in window);
  // Slices and the steady state need the gaps between chunks again.
  const isLast = plan.output.sliceNs === undefined && !hasSteady;
  const isLarge = profiling.length >= LARGE_RUN;
  const tidy = (): void => {
    profiling.release();
    if (isLarge) collectGarbage();
  };
  tidy();
  const results = computeResults(profiling, baseEpochNs, {
    ...{ isLast, ...known },
    ...(within === undefined ? {} : { inside: within }),
  });
  const also = new Set(plan.slos?.map(({ metric }) => metric));
  const whole = within ?? { startNs: firstStartNs(profiling), endNs: profiling.lastEndNs() };
  const sampling = new Map([
    ...windowSampling({ ...{ table: profiling, results, also }, ...whole }),
    ...sessionSampling(profiling, results, whole),
  ]);
  const models = modelResults(profiling, plan.models, valueOf(results, "benchmark_duration"));
  const gaps = distributionOf(results, "inter_chunk_latency");
  const itlDialects = profiling.itlDialects?.results(gaps);
  const delays = delaysByKind(records.canaries, {
    isByFetch: plan.transport === "fetch",
    areCanariesOther: plan.canaryTransport !== undefined,
    itlMs: distributionOf(results, "inter_token_latency")?.p50,
  });
  tidy();
  const circumstances = circumstancesOf(delays, results, facts, summary);
  const requestError = explainedError(
    {
      ...{ table: profiling, delays, results, hasCanaries: plan.canaries },
      hasFixedWindow: within !== undefined,
    },
    circumstances,
  );
  const measurementError = requestError && {
    ...requestError,
    metrics: new Map([...requestError.metrics, ...sessionBounds(profiling)]),
  };
  tidy();
  const steady = steadyStateOf(profiling, window, {
    ...{ baseEpochNs, circumstances, hasCanaries: plan.canaries, also },
    networkRttMs: known.networkRttMs,
  });
  tidy();
  const load = loadReportOf(profiling, results, {
    ...{ facts: loadFacts, loop: offered.loop, starvedShare: delays.lost.share },
    window: within ?? (hasSteady ? window : undefined),
  });
  return { results, models, itlDialects, circumstances, measurementError, sampling, steady, load };
}

/** Whether servers count requests of the sample of --verify, but it is not known how many. */
function isSampleUncounted({ verify }: RunPlan, { drift }: RunSummary): boolean {
  return verify?.sample !== undefined && drift?.traffic === undefined;
}

/** Results of the checks of the answers. */
function answersOf(
  { answers }: RunRecords,
  { drift }: RunSummary,
): ProfileReport["answers"] {
  const { correct, counts, invalid, uncheckedForm, valid, wrong } = answers;
  return counts && { anomalies: counts, drift, correct, wrong, valid, invalid, uncheckedForm };
}

function requestCounts(records: RunRecords, summary: RunSummary): RequestCounts {
  const { cancelledCount, cancelledOnPurpose, length, validCount } = records.profiling;
  return {
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
}

function healthOf(
  records: RunRecords,
  results: MetricResults,
  { machine }: RunFacts,
  summary: RunSummary,
  found: Pick<ClientMeasurements, "stalls" | "isErrorMeasured">,
): ClientHealth {
  return clientHealth({
    loopLagMs: summary.loopLagMs,
    sendSlipMs: distributionOf(results, "send_slip"),
    queueWaitMs: distributionOf(results, "queue_wait"),
    contentChunks: records.contentChunks,
    coalescedChunks: records.coalescedChunks,
    cpuCores: summary.cpuCores,
    cores: machine.cores,
    descriptorFailures: records.descriptorFailures,
    ttftP50Ms: distributionOf(results, "time_to_first_token")?.p50 ?? NaN,
    itlP50Ms: distributionOf(results, "inter_token_latency")?.p50 ?? NaN,
    ...found,
  });
}

/** Whether the requests are all that servers and GPUs worked for: not those of one shard of a run. */
function hasAllRequests({ shard, tags = [] }: RunPlan, { isPart }: RunSummary): boolean {
  return isPart !== true && (shard?.count ?? 1) <= 1 &&
    !tags.some(([name]) => name === INCOMPLETE_TAG);
}

/** What the client's error can come from, in the whole profiling phase. */
function circumstancesOf(
  delays: DelaysByKind,
  results: MetricResults,
  { machine, plan, processes = 1 }: RunFacts,
  { cpuCores, endNs, startNs }: RunSummary,
): Omit<ErrorCircumstances, "verdict"> {
  const streams = results.get("effective_concurrency");
  return {
    ...{ delays, window: { startNs, endNs }, originNs: startNs, cpuCores },
    ...{ workers: plan.workers, processes },
    streams: streams === undefined ? NaN : Number(figuresOf(streams).avg),
    cores: machine.cores,
  };
}

/** The network's round trip; undefined if it is not known. */
function networkRttMsOf(
  { networkLatency }: RunPlan,
  { networkSamples = [] }: RunSummary,
): number | undefined {
  const rttNs = networkLatency?.kind === "fixed" ? networkLatency.rttNs : meanRttNs(networkSamples);
  return rttNs === undefined ? undefined : rttNs / 1e6;
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
  const moved = own.flatMap(alternativeEndpoints);
  return new Set([...own, ...moved].map(({ redactedUrl }) => redactedUrl));
}

/** When the process stood still, as readers count time. */
function stallsOf({ stalls = [], startNs }: RunSummary): ClientHealth["stalls"] {
  return stalls.map((stall) => ({
    startSeconds: (stall.startNs - startNs) / 1e9,
    seconds: (stall.endNs - stall.startNs) / 1e9,
  }));
}
