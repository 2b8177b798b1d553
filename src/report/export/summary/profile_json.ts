import type { ModelResults } from "../../../measurement/metrics/model_results.ts";
import type { ItlDialectResult } from "../../../measurement/metrics/itl_dialects.ts";
import { efficiencyObjects, telemetryObject } from "./gpu_telemetry_json.ts";
import type { MetricTag } from "../../../measurement/metrics/metric_tag.ts";
import { USER_AGENT } from "../../../config/plan/version.ts";
import { incompleteText } from "../../model/incomplete_tag.ts";
import type { Summary } from "../../../core/statistics/summarize.ts";
import type { ServerInfo } from "../../server_info/server_info.ts";
import { evidenceObject } from "../../diagnosis/evidence_json.ts";
import { errorObject } from "../error_object.ts";
import type { ProfileReport, Reconciliation, RequestCounts } from "../../model/profile_report.ts";
import { jsonText } from "../../../core/files/json_text.ts";
import { measurementErrorObject } from "./measurement_error_object.ts";
import { metricObjects } from "../metric_object.ts";
import { isoTime } from "../iso_time.ts";
import { answersObject, type AnswersReport } from "../../model/answers_report.ts";
import { serverTruthObject } from "../../model/server_truth_object.ts";
import { sessionsObject } from "./sessions_object.ts";
import { diagnosisObject, loadObject } from "./load_objects.ts";
import { samplingErrorObject, steadyStateObject, validityObject } from "./steady_state_object.ts";

/** Version of the layout, as AIPerf counts it. */
export const PROFILE_SCHEMA_VERSION = "1.4";

/** Metrics that precede everything else, in AIPerf's order. */
const LEADING_METRICS: readonly MetricTag[] = [
  "request_throughput",
  "request_latency",
  "request_count",
  "time_to_first_token",
  "time_to_second_token",
  "inter_token_latency",
  "output_token_throughput",
  "output_token_throughput_per_user",
  "output_sequence_length",
  "input_sequence_length",
  "goodput",
  "good_request_count",
  "output_token_count",
  "reasoning_token_count",
  "inter_chunk_latency",
  "total_output_tokens",
  "total_reasoning_tokens",
  "benchmark_duration",
  "total_isl",
  "total_osl",
  "error_request_count",
  "error_isl",
  "total_error_isl",
];

/** Groups of failures, problems and notes in the shortest summary, and characters of each. */
const MOST_OF_A_KIND = 3;
const MOST_CHARACTERS = 300;

/**
 * `profile_export_aiperf.json`: AIPerf's keys in its order, and after them our own.
 * @param indent spaces a level; 0 for one line
 */
export function profileJson(report: ProfileReport, indent = 2): string {
  const incomplete = incompleteText(report.tags);
  const metrics = metricObjects(report.results);
  const leading: Record<string, unknown> = {};
  for (const tag of LEADING_METRICS) {
    if (tag in metrics) leading[tag] = metrics[tag];
    delete metrics[tag];
  }
  return jsonText({
    "schema_version": PROFILE_SCHEMA_VERSION,
    "aiperf_version": USER_AGENT,
    "benchmark_id": report.benchmarkId,
    ...leading,
    "input_config": report.inputConfig,
    "run_info": {
      "benchmark_id": report.benchmarkId,
      "random_seed": report.seed,
      "trial": 0,
      "cli_command": report.cliCommand,
    },
    "was_cancelled": report.wasCancelled,
    ...submissionObject(report),
    ...(report.priming === undefined ? {} : { "priming": report.priming }),
    "is_complete": report.isComplete,
    ...(incomplete === undefined ? {} : { "incomplete": incomplete }),
    "error_summary": report.errors.map((group) => ({
      "error_details": errorObject(group),
      "count": group.count,
    })),
    "start_time": isoTime(report.startEpochNs),
    "end_time": isoTime(report.endEpochNs),
    ...(report.warmupResults === undefined
      ? {}
      : { "warmup_metrics": metricObjects(report.warmupResults) }),
    ...metrics,
    ...(report.gpu === undefined ? {} : {
      ...efficiencyObjects(report.gpu.efficiency),
      "telemetry_data": telemetryObject(report.gpu.report),
    }),
    ...(report.itlDialects === undefined
      ? {}
      : { "itl_dialects": dialectObjects(report.itlDialects) }),
    "requests": requestsObject(report.requests),
    ...sessionsObject(report),
    ...(report.models === undefined ? {} : { "per_model": report.models.map(modelObject) }),
    "ended_early": report.endedEarly ?? null,
    "ended_early_reason": report.endReason ?? null,
    "client_health": clientHealthObject(report),
    ...measurementErrorObject(report.measurementError),
    ...samplingErrorObject(report.sampling),
    ...steadyStateObject(report),
    ...validityObject(report),
    ...loadObject(report.load),
    ...diagnosisObject(report.diagnosis),
    ...(report.evidence === undefined ? {} : { "evidence": evidenceObject(report.evidence) }),
    "server_reconciliation": report.reconciliation.map(reconciliationObject),
    ...serverTruthObject(report.serverTruth),
    ...answersObject(report.answers),
    "tokenizer": report.tokenizer,
    ...(report.tokenSource === undefined ? {} : {
      "token_source": { "input": report.tokenSource.input, "output": report.tokenSource.output },
    }),
    "inferometer": report.ownConfig,
    ...(report.tags.length === 0 ? {} : { "tags": Object.fromEntries(report.tags) }),
    ...(report.servers.length === 0 ? {} : { "server_info": report.servers.map(serverObject) }),
    "notes": report.notes,
  }, indent) + "\n";
}

function requestsObject(requests: RequestCounts): Record<string, unknown> {
  return {
    "sent": requests.sent,
    "succeeded": requests.succeeded,
    "failed": requests.failed,
    "cancelled": requests.cancelled,
    "cancelled_on_purpose": requests.cancelledOnPurpose,
    "rate_limit_replies": requests.rateLimitReplies,
    "rate_limit_seconds": requests.rateLimitSeconds,
    "unsent_arrivals": requests.unsentArrivals,
    "retried": requests.retried,
  };
}

function modelObject({ model, succeeded, failed, results }: ModelResults): unknown {
  return {
    ...{ "model": model, "succeeded": succeeded, "failed": failed },
    "metrics": metricObjects(results),
  };
}

function dialectObjects(dialects: readonly ItlDialectResult[]): unknown[] {
  return dialects.map(({ tool, metric, rule, count, avg, p50, p90, p95, p99, std }) => ({
    ...{ "tool": tool, "metric": metric, "rule": rule, "unit": "ms", "count": count },
    ...{ "avg": avg, "p50": p50, "p90": p90, "p95": p95, "p99": p99, "std": std },
  }));
}

/**
 * Returns a summary of less than 8 kB for a full disk: the main metrics, and the most frequent
 * failures.
 */
export function shortestProfileJson(report: ProfileReport): string {
  const { clientHealth, errors, measurementError: shift, notes, results } = report;
  return profileJson({
    ...report,
    results: new Map(LEADING_METRICS.flatMap((tag) => {
      const result = results.get(tag);
      return result === undefined ? [] : [[tag, result]];
    })),
    warmupResults: undefined,
    itlDialects: undefined,
    models: undefined,
    sessions: report.sessions && { ...report.sessions, turns: [], depths: [], kinds: [] },
    agentSampling: undefined,
    answers: report.answers && withoutExamples(report.answers),
    errors: errors.slice(0, MOST_OF_A_KIND)
      .map((group) => ({ ...group, message: beginningOf(group.message) })),
    // Its verdict and why, without the bounds of each statistic.
    measurementError: shift && {
      verdict: shift.verdict,
      metrics: new Map(),
      reasons: shift.reasons.slice(0, MOST_OF_A_KIND).map(beginningOf),
    },
    sampling: undefined,
    steady: undefined,
    diagnosis: undefined,
    evidence: undefined,
    reconciliation: [],
    serverTruth: undefined,
    gpu: undefined,
    servers: [],
    tags: report.tags.slice(0, MOST_OF_A_KIND),
    clientHealth: {
      ...clientHealth,
      problems: clientHealth.problems.slice(0, MOST_OF_A_KIND).map(beginningOf),
      loopLagMs: [],
      stalls: clientHealth.stalls.slice(0, MOST_OF_A_KIND),
    },
    cliCommand: beginningOf(report.cliCommand),
    notes: [
      "There was no room on the disk for all metrics",
      ...notes.slice(0, MOST_OF_A_KIND).map(beginningOf),
    ],
  }, 0);
}

function withoutExamples(answers: AnswersReport): AnswersReport {
  const { invalid, wrong } = answers;
  return { ...answers, wrong: wrong && [], invalid: invalid && { ...invalid, examples: [] } };
}

function beginningOf(text: string): string {
  return text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS)}...`;
}

function serverObject({ url, facts, asked }: ServerInfo): Record<string, unknown> {
  return {
    "url": url,
    "facts": Object.fromEntries(facts),
    "asked": Object.fromEntries(asked),
  };
}

function reconciliationObject(row: Reconciliation): Record<string, unknown> {
  const [clientSource, serverSource] = row.sources ?? ["client", "server metrics"];
  return {
    "quantity": row.quantity,
    "unit": row.unit,
    "client": row.client,
    "server": row.server,
    "client_source": clientSource,
    "server_source": serverSource,
    "server_is_estimated": row.estimated,
    "server_bounds": row.serverBounds,
    "doubt": row.doubt ?? null,
  };
}

function clientHealthObject(
  { clientHealth, measurementError }: ProfileReport,
): Record<string, unknown> {
  const verdict = measurementError?.verdict ?? "valid";
  const problems = [
    ...clientHealth.problems,
    // Nothing is ok beside an error that was measured.
    ...(verdict === "valid" ? [] : [`the client's own error is ${verdict}: see measurement_error`]),
  ];
  return {
    "ok": problems.length === 0,
    "problems": problems,
    "loop_lag_ms": clientHealth.loopLagMs.map(summaryObject),
    "send_slip_ms": summaryObject(clientHealth.sendSlipMs),
    ...(clientHealth.queueWaitMs === undefined
      ? {}
      : { "queue_wait_ms": summaryObject(clientHealth.queueWaitMs) }),
    "coalesced_chunk_share": clientHealth.coalescedShare,
    "cpu_cores_used": clientHealth.cpuCores,
    "cpu_cores": clientHealth.cores,
    "stalls": clientHealth.stalls.map(({ startSeconds, seconds }) => ({
      "start_seconds": startSeconds,
      "seconds": seconds,
    })),
  };
}

function summaryObject(
  { count, avg, min, max, p50, p90, p95, p99, std }: Summary,
): Record<string, number> {
  return { count, avg, min, max, p50, p90, p95, p99, std };
}

/** Whether a run of recorded sessions is a valid submission, and comparable with others. */
function submissionObject(
  { submission, lengthMismatch }: ProfileReport,
): Record<string, unknown> {
  return {
    ...(submission === undefined ? {} : submission === null ? { "submission_valid": null } : {
      "scenario": {
        "name": submission.scenario.name,
        "version": submission.scenario.version,
        "window": submission.window,
      },
      "submission_valid": submission.isValid,
      "submission_reasons": submission.reasons,
    }),
    ...(lengthMismatch === undefined ? {} : {
      "length_mismatch": {
        "checked": lengthMismatch.checked,
        "mismatched": lengthMismatch.mismatched,
        "comparable": lengthMismatch.isComparable,
      },
    }),
  };
}
