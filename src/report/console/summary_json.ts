import { cellVerdict, SHOWN_CELLS } from "../../measurement/sampling/cell_verdict.ts";
import { distributionOf, figuresOf } from "../../measurement/metrics/metric_results.ts";
import { UNBOUNDED } from "../../core/statistics/unbounded.ts";
import type { Bounds } from "../../measurement/own_error/bounded_statistics.ts";
import type { GateResult } from "../../config/gate/judge_slos.ts";
import { evidenceOf } from "../model/evidence_of.ts";
import { largestError } from "../model/largest_error.ts";
import type { ProfileReport } from "../model/profile_report.ts";
import { profilingPhase } from "../model/profiling_phase.ts";
import { publishability } from "../model/publish_checklist.ts";
import { judgedWindow, type ShownWindow, shownWindow } from "../model/shown_window.ts";
import { answersObject } from "../model/answers_report.ts";
import { serverTruthObject } from "../model/server_truth_object.ts";
import { steadyResults } from "../model/steady_state.ts";
import { timeParts } from "../model/time_parts.ts";
import { serverName } from "../server_info/server_info.ts";
import type { ConsoleOptions } from "./console_options.ts";
import { gateOutcome } from "./gate_outcome.ts";

const SCHEMA = "inferometer.summary/1";

/**
 * The answers of a run as one JSON object on a line, for scripts: load, window, diagnosis, metrics with
 * intervals and verdicts, objectives, and whether the results can be published. `null` means not known.
 * `exit` is null until the process ends.
 */
export function summaryJson(report: ProfileReport, options: ConsoleOptions): string {
  const shown = shownWindow(report);
  const parts = timeParts(evidenceOf(report, options.serverMetrics));
  return `${
    JSON.stringify({
      "schema": SCHEMA,
      "run": report.benchmarkId,
      "folder": options.directory,
      "load": loadObject(report, shown),
      "window": windowObject(report, shown),
      "diagnosis": diagnosisObject(report),
      "time_ms": parts.length === 0
        ? null
        : Object.fromEntries(parts.map(({ ms, name }) => [name.replaceAll(" ", "_"), ms])),
      "metrics": metricObjects(shown),
      ...serverTruthObject(report.serverTruth),
      ...answersObject(report.answers),
      "objectives": report.gates.map(objectiveObject),
      "publishable": publishableObject(report),
      "requests": {
        "sent": report.requests.sent,
        "succeeded": report.requests.succeeded,
        "failed": report.requests.failed,
      },
      "ended_early": report.endedEarly ?? null,
      "exit": null,
    })
  }\n`;
}

function loadObject(report: ProfileReport, { results }: ShownWindow): Record<string, unknown> {
  const phase = profilingPhase(report);
  const gpus = report.ownConfig["gpus"] as { readonly total: number } | undefined;
  const [engine] = report.servers.flatMap((server) => serverName(server) ?? []);
  const meanOf = (...tags: readonly Parameters<typeof distributionOf>[1][]): number | null =>
    tags.map((tag) => distributionOf(results, tag)?.avg).find((avg) => avg !== undefined) ?? null;
  return {
    "loop": report.load?.loop ?? (phase?.rate === undefined ? "closed" : "open"),
    "concurrency": phase?.concurrency ?? null,
    "request_rate": phase?.rate ?? null,
    "duration_s": Number(report.endEpochNs - report.startEpochNs) / 1e9,
    "sent": report.requests.sent,
    "model": report.model,
    "engine": engine ?? null,
    "gpus": gpus?.total ?? null,
    "isl": meanOf("input_sequence_length", "usage_prompt_tokens"),
    "osl": meanOf("output_sequence_length", "usage_completion_tokens"),
  };
}

function windowObject(report: ProfileReport, shown: ShownWindow): Record<string, unknown> {
  const steady = shown.name === "steady" ? steadyResults(report.steady) : undefined;
  const secondsAt = (epochNs: bigint): number => Number(epochNs - report.startEpochNs) / 1e9;
  const latency = distributionOf(shown.results, "request_latency");
  return {
    "from_s": steady === undefined ? 0 : secondsAt(steady.startEpochNs),
    "to_s": secondsAt(steady?.endEpochNs ?? report.endEpochNs),
    "requests": latency?.count ?? null,
    "steady": steady !== undefined,
  };
}

function diagnosisObject({ diagnosis }: ProfileReport): Record<string, unknown> | null {
  if (diagnosis === undefined) return null;
  const { cause = null, code, evidence, text, try: remedies, unknown } = diagnosis;
  return { code, "headline": text, cause, evidence, unknown, "try": remedies };
}

function metricObjects(shown: ShownWindow): Record<string, unknown>[] {
  const window = judgedWindow(shown);
  return SHOWN_CELLS.flatMap(([tag, statistic]) => {
    const result = shown.results.get(tag);
    const value = result === undefined ? undefined : figuresOf(result)[statistic];
    if (result === undefined || value === undefined) return [];
    const error = largestError(shown.measurementError, tag, statistic, Number(value));
    const share = error === undefined ? NaN : error / Number(value);
    return [{
      "metric": tag,
      statistic,
      "unit": result.metric.unit,
      "value": Number(value),
      "sampling_95": rangeObject(shown.sampling.get(tag)?.[statistic]),
      "client_error": Number.isFinite(share) ? share : null,
      "verdict": cellVerdict(window, [tag, statistic]) ?? null,
    }];
  });
}

function rangeObject(range: Bounds | undefined): [number, number | null] | null {
  if (range === undefined) return null;
  return [range.lower, range.upper >= UNBOUNDED ? null : range.upper];
}

function objectiveObject(gate: GateResult): Record<string, unknown> {
  const { condition, conclusive, figures: { lower, upper, value }, name } = gate;
  return {
    "text": `${name} ${condition}`,
    "value": value ?? null,
    "result": gateOutcome(gate),
    "met": gate.met,
    conclusive,
    "possible": lower === undefined || upper === undefined
      ? null
      : [lower, Number(upper) >= UNBOUNDED ? null : upper],
  };
}

function publishableObject(report: ProfileReport): Record<string, unknown> | null {
  if (report.sampling === undefined) return null;
  const { checklist, state, validity } = publishability(report);
  return {
    state,
    "proven": validity.proven,
    "of": validity.of,
    "blockers": checklist.filter(({ isMet }) => !isMet).map(({ name }) => name),
  };
}
