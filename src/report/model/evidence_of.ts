import {
  distributionOf,
  type MetricResults,
  valueOf,
} from "../../measurement/metrics/metric_results.ts";
import type { MeasurementError } from "../../measurement/own_error/measurement_error.ts";
import type { Evidence } from "../diagnosis/evidence.ts";
import type { LoadReport } from "./load_report.ts";
import type { ProfileReport, TimeSlice } from "./profile_report.ts";
import { profilingPhase } from "./profiling_phase.ts";
import { isOfPair, type ServerTruth } from "./server_truth.ts";
import { serverEvidence } from "./server_evidence.ts";
import type { ServerMetricsReport } from "./server_metrics_report.ts";
import { shownServers } from "./shown_servers.ts";
import { shownWindow } from "./shown_window.ts";
import { steadyResults } from "./steady_state.ts";

/**
 * The evidence of a run that its diagnosis follows from.
 * @param metrics the servers' metrics; undefined if they were not collected
 */
export function evidenceOf(
  report: Omit<ProfileReport, "gates" | "diagnosis">,
  metrics: ServerMetricsReport | undefined,
): Evidence {
  const { errors, load, requests } = report;
  const { measurementError, results } = shownWindow(report);
  const steady = steadyResults(report.steady);
  const cutOff = errors.reduce((sum, { count, kind }) => kind === "cut_off" ? sum + count : sum, 0);
  const [first] = errors.toSorted((a, b) => b.count - a.count);
  return {
    ...(metrics && serverEvidence(shownServers(metrics, report).roles)),
    ...loadEvidence(load),
    ...clientEvidence(results, measurementError),
    ...truthEvidence(report.serverTruth),
    hasTurns: report.sessions !== undefined,
    sent: requests.sent,
    succeeded: requests.succeeded,
    // The client itself ended what was cut off.
    failed: requests.failed - cutOff,
    // Without the server's own words, which may quote a prompt.
    topError: first && (first.status === null ? first.kind : `${first.status} ${first.type}`),
    unsent: waitedForSlots(report) ? undefined : requests.unsentArrivals,
    // A part that was chosen is the window itself.
    steadySeconds: steady?.seconds ?? report.chosenSeconds,
    steadyRequests: steady === undefined && report.chosenSeconds === undefined
      ? undefined
      : distributionOf(steady?.results ?? results, "request_latency")?.count,
  };
}

/** Whether arrivals may wait for a free slot: then it is not the client that is late. */
function waitedForSlots(report: Pick<ProfileReport, "inputConfig">): boolean {
  const phase = profilingPhase(report);
  return phase?.concurrency !== undefined || phase?.prefill_concurrency !== undefined;
}

/**
 * The evidence of a slice of a run.
 * @param metrics the servers' metrics of the whole run; undefined if they were not collected
 */
export function sliceEvidence(
  slice: TimeSlice,
  metrics: ServerMetricsReport | undefined,
): Evidence {
  const { endNs, load, measurementError, results, startNs } = slice;
  const servers = metrics?.within?.({ startNs, endNs });
  const succeeded = valueOf(results, "request_count") ?? 0;
  const failed = valueOf(results, "error_request_count") ?? 0;
  return {
    ...(servers && serverEvidence(servers.roles)),
    ...loadEvidence(load),
    ...clientEvidence(results, measurementError),
    isSlice: true,
    sent: succeeded + failed,
    ...{ succeeded, failed },
    steadySeconds: Number(endNs - startNs) / 1e9,
    steadyRequests: succeeded,
  };
}

function loadEvidence(load: LoadReport | undefined): Evidence {
  return {
    loop: load === undefined || load.loop === "varying" ? undefined : load.loop,
    isVarying: load?.loop === "varying",
    stalledSeconds: load?.stall?.seconds,
    stalledFromSeconds: load?.stall?.startSeconds,
    isStallShown: load?.stall?.isInWindow,
    clientStarved: known(load?.starvedShare),
    concurrency: load?.targetInFlight,
    inFlight: known(load?.meanInFlight),
    offeredPerSecond: known(load?.offeredPerSecond),
    servedPerSecond: known(load?.servedPerSecond),
    backlogPerSecond: known(load?.backlog?.perSecond),
    backlogPerSecondLower: known(load?.backlog?.lower),
  };
}

/** Times of requests by the client's clock, and the client's error. */
function clientEvidence(
  results: MetricResults,
  measurementError: MeasurementError | undefined,
): Evidence {
  const latency = distributionOf(results, "request_latency");
  const ttft = distributionOf(results, "time_to_first_token");
  const bounds = measurementError?.metrics.get("request_latency")?.p50;
  return {
    clientError: bounds === undefined || latency === undefined
      ? undefined
      : Math.max(latency.p50 - bounds.lower, bounds.upper - latency.p50) / latency.p50,
    latencyMs: latency?.avg,
    ttftMs: ttft?.avg,
    decodeMs: latency === undefined || ttft === undefined ? undefined : latency.avg - ttft.avg,
    cachedShare: cachedShareOf(results),
    promptTokens: distributionOf(results, "input_sequence_length")?.avg,
    itlMs: distributionOf(results, "inter_token_latency")?.avg,
  };
}

/** Evidence that only servers have. */
function truthEvidence(truth: ServerTruth | undefined): Evidence {
  if (truth === undefined) return {};
  const { basis, parts } = truth.shownTtft;
  const drafts = truth.speculation.values;
  return {
    // Replies of a pair do not tell cached tokens from transferred ones.
    ...(isOfPair(truth) ? { cachedShare: truth.cache.values.hit_rate ?? undefined } : {}),
    ...(basis !== undefined
      ? { ttftParts: Object.fromEntries(parts.map(({ ms, name }) => [name, ms])) }
      : {}),
    acceptanceRate: drafts.acceptance_rate ?? undefined,
    acceptanceLength: drafts.acceptance_length ?? undefined,
    tokensPerStep: drafts.tokens_per_step ?? undefined,
  };
}

function cachedShareOf(results: ProfileReport["results"]): number | undefined {
  const percent = valueOf(results, "overall_usage_prompt_cache_read_pct");
  return percent === undefined ? undefined : percent / 100;
}

function known(value: number | undefined): number | undefined {
  return value === undefined || !Number.isFinite(value) ? undefined : value;
}
