import { distributionOf } from "../../measurement/metrics/compute_results.ts";
import type { Evidence } from "../diagnosis/evidence.ts";
import type { ProfileReport } from "./profile_report.ts";
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
  const latency = distributionOf(results, "request_latency");
  const ttft = distributionOf(results, "time_to_first_token");
  const bounds = measurementError?.metrics.get("request_latency")?.p50;
  const cutOff = errors.reduce((sum, { count, kind }) => kind === "cut_off" ? sum + count : sum, 0);
  const [first] = errors.toSorted((a, b) => b.count - a.count);
  return {
    ...(metrics && serverEvidence(shownServers(metrics, report).roles)),
    loop: load === undefined || load.loop === "varying" ? undefined : load.loop,
    isVarying: load?.loop === "varying",
    sent: requests.sent,
    succeeded: requests.succeeded,
    // The client itself ended what was cut off.
    failed: requests.failed - cutOff,
    // Without the server's own words, which may quote a prompt.
    topError: first && (first.status === null ? first.kind : `${first.status} ${first.type}`),
    unsent: requests.unsentArrivals,
    stalledSeconds: load?.stall?.seconds,
    stalledFromSeconds: load?.stall?.startSeconds,
    isStallShown: load?.stall?.isInWindow,
    clientError: bounds === undefined || latency === undefined
      ? undefined
      : Math.max(latency.p50 - bounds.lower, bounds.upper - latency.p50) / latency.p50,
    clientStarved: known(load?.starvedShare),
    concurrency: load?.targetInFlight,
    inFlight: known(load?.meanInFlight),
    offeredPerSecond: known(load?.offeredPerSecond),
    servedPerSecond: known(load?.servedPerSecond),
    backlogPerSecond: known(load?.backlog?.perSecond),
    backlogPerSecondLower: known(load?.backlog?.lower),
    steadySeconds: steady?.seconds,
    steadyRequests: steady && distributionOf(steady.results, "request_latency")?.count,
    latencyMs: latency?.avg,
    ttftMs: ttft?.avg,
    decodeMs: latency === undefined || ttft === undefined ? undefined : latency.avg - ttft.avg,
    cachedShare: cachedShareOf(results),
    promptTokens: distributionOf(results, "input_sequence_length")?.avg,
    itlMs: distributionOf(results, "inter_token_latency")?.avg,
  };
}

function cachedShareOf(results: ProfileReport["results"]): number | undefined {
  const result = results.get("overall_usage_prompt_cache_read_pct");
  return result !== undefined && "value" in result ? Number(result.value) / 100 : undefined;
}

function known(value: number | undefined): number | undefined {
  return value === undefined || !Number.isFinite(value) ? undefined : value;
}
