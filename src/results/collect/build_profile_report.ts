import { cachedShareNote } from "../../report/model/cached_share_note.ts";
import { tokenSource } from "../../report/model/token_source.ts";
import { meanRttNs } from "../../telemetry/network_latency/network_sample.ts";
import { type ClientTotals, gpuEfficiency, NO_TOTALS } from "../../telemetry/gpu/gpu_efficiency.ts";
import type { GpuTelemetryReport } from "../../telemetry/gpu/gpu_report.ts";
import { inputConfig, ownConfig } from "../../report/export/summary/input_config.ts";
import { judgeSlos } from "../../config/gate/judge_slos.ts";
import {
  distributionOf,
  type MetricResults,
  valueOf,
} from "../../measurement/metrics/metric_results.ts";
import type { FoundAhead } from "../../measurement/metrics/found_ahead.ts";
import { computeResults } from "../../measurement/metrics/compute_results.ts";
import type { RecordTable } from "../../measurement/metrics/record_table.ts";
import { type SessionResults, sessionResults } from "../../measurement/metrics/session_results.ts";
import { requestSampling } from "../../measurement/sampling/session_sampling.ts";
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
import { offeredLoadOf } from "./offered_load_of.ts";
import { reportNotes } from "./report_notes.ts";
import type { RunFacts, RunSummary } from "./run_manifest.ts";
import type { RunRecords } from "./run_records.ts";
import { timeSlices } from "./time_slices.ts";
import { computeRun } from "./compute_run.ts";
import { submissionOfRun } from "./submission_of_run.ts";

/** Slices up to which each is diagnosed with the servers' metrics. */
const MAX_SLICES_WITH_SERVERS = 500;

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
  const computed = computeRun(records, facts, summary, { networkRttMs, ahead });
  const { results, measurementError, circumstances, sampling, steady, load } = computed;
  const sessions = sessionResults(profiling);
  const hasAll = hasAllRequests(plan, summary);
  const requests = requestCounts(records, summary);
  const totals = hasAll ? clientTotals(results, plan) : NO_TOTALS;
  const roles = hasAll ? metrics?.roles : undefined;
  const agents = plan.dataset.source === "file" ? plan.dataset.agents : undefined;
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
    reconciliation: metrics === undefined || !hasAll
      ? []
      : reconciled({ plan, records, results, requests, summary }, metrics),
    serverTruth: truth,
    answers: answersOf(records, summary),
    clientHealth: healthOf(records, results, facts, summary, {
      stalls,
      isErrorMeasured: measurementError !== undefined,
    }),
    submission: agents && submissionOfRun(agents.scenario, {
      ...{ records, summary, requests },
      window: agents.scenario?.endsWithFirstIdle === true
        ? shownWindow({ results, measurementError, sampling, steady, isWholeRunShown: false })
        : window,
    }),
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

/** How the requests agree with the counts of the servers; empty if they cannot be compared. */
function reconciled(
  { plan, records, results, requests, summary }: {
    readonly plan: RunPlan;
    readonly records: RunRecords;
    readonly results: MetricResults;
    readonly requests: RequestCounts;
    readonly summary: RunSummary;
  },
  metrics: ServerMetricsReport,
): ProfileReport["reconciliation"] {
  // An interrupted run has no last scrape.
  if (summary.wasCancelled || isSampleUncounted(plan, summary)) return [];
  return reconcile(results, requests, metrics, ownMetricsUrls(plan), {
    unmeasuredRequests: records.warmup.length + (summary.priming?.sent ?? 0),
    sample: summary.drift?.traffic,
    mayRepeat: ["n", "best_of", "use_beam_search"].some((key) => key in plan.body.extraInputs),
  });
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
