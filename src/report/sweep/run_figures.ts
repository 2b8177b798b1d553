/**
 * Metrics of a run from its summary file. All combined results are computed from these, so that
 * they can be recomputed.
 */

import { truthFigures } from "../../config/gate/truth_figure.ts";
import { type EndReason, isFailure, isServerGone } from "../../core/run_end/end_reason.ts";
import { storedEndReason } from "../../core/run_end/stored_end_reason.ts";
import type { Evidence } from "../diagnosis/evidence.ts";
import { readEvidence } from "../diagnosis/evidence_json.ts";
import { answerFigures } from "../model/answer_figures.ts";
import { objectIn, type ShownFigures, shownFigures } from "./shown_figures.ts";
import { artifactNames } from "../export/artifact_names.ts";

/** A metric's unit and statistics. */
export interface MetricFigures {
  readonly unit: string;
  readonly stats: Readonly<Record<string, number>>;
}

/** The range in which a true statistic lies. */
export interface FigureError {
  readonly lower: number;
  readonly upper: number;
  readonly verdict: string;
}

/** The client's own error of a run, or of several. */
export interface RunError {
  readonly verdict: string;
  /** By metric and statistic. */
  readonly metrics: Readonly<Record<string, Readonly<Record<string, FigureError>>>>;
  readonly reasons: readonly string[];
}

/** See the module's comment. */
export interface RunFigures {
  readonly metrics: ReadonlyMap<string, MetricFigures>;
  readonly requests: {
    readonly sent: number;
    readonly succeeded: number;
    readonly failed: number;
  };
  /** Whether none of its requests found a server that listened. */
  readonly isAllRefused: boolean;
  readonly wasCancelled: boolean;
  /** Reason why the run ended early; undefined if it completed. */
  readonly endedEarly: string | undefined;
  /** Code of why it did not do all that was planned; undefined if it did. */
  readonly endReason: EndReason | undefined;
  /** undefined if it was not measured. */
  readonly error: RunError | undefined;
  readonly model: string;
  readonly endpointType: string;
  /** Part of the run that is shown and ranked. */
  readonly shown: ShownFigures;
  /** The load, and what limits the run; undefined in files of older versions. */
  readonly load: RunLoad | undefined;
  readonly diagnosis: Readonly<Record<string, unknown>> | undefined;
  /** Measurements from which the diagnosis follows; undefined in files of older versions. */
  readonly evidence: Evidence | undefined;
  /** Worst verdict of the statistics that are shown; undefined in files of older versions. */
  readonly verdict: string | undefined;
  /** GPUs behind the servers; undefined if they are not stated. */
  readonly gpus: number | undefined;
  /** Sessions by their ends; undefined where each session is one request. */
  readonly sessions: SessionCounts | undefined;
}

/** Sessions by their ends. */
export interface SessionCounts {
  readonly started: number;
  readonly completed: number;
  readonly failed: number;
  readonly cutOff: number;
}

/** The key `load` of a summary. */
export type RunLoad = Readonly<Record<string, unknown>>;

/** Statistics in the order of AIPerf's tables. */
export const STATISTICS = [
  ...["avg", "min", "max", "sum", "p1", "p5", "p10", "p25"],
  ...["p50", "p75", "p90", "p95", "p99", "std"],
] as const;

/**
 * Reads the metrics of a run.
 * @param prefix the user's own beginning of the files' names
 * @returns undefined if there is no summary, or it cannot be read
 */
export async function readRunFigures(
  folder: string,
  prefix: string | undefined,
): Promise<RunFigures | undefined> {
  let text: string;
  try {
    text = await Deno.readTextFile(`${folder}/${artifactNames(prefix).json}`);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) {
      return undefined;
    }
    throw error;
  }
  return parseRunFigures(text);
}

/** Parses the metrics of a summary file's text; undefined if it is not a summary. */
export function parseRunFigures(text: string): RunFigures | undefined {
  let summary: Record<string, unknown>;
  try {
    summary = JSON.parse(text);
  } catch {
    return undefined;
  }
  const requests = summary?.["requests"] as RunFigures["requests"] | undefined;
  if (typeof requests?.succeeded !== "number") return undefined;
  const metrics = new Map<string, MetricFigures>();
  for (const [tag, value] of Object.entries(summary)) {
    if (typeof value !== "object" || value === null) continue;
    const { unit, ...stats } = value as Record<string, unknown>;
    if (typeof unit !== "string" || typeof stats["avg"] !== "number") continue;
    metrics.set(tag, { unit, stats: stats as Record<string, number> });
  }
  for (const [name, { unit, value }] of truthFigures(summary["server_truth"])) {
    if (value !== undefined) metrics.set(name.replace(".", "_"), { unit, stats: { "avg": value } });
  }
  for (const [tag, figures] of answerFigures(objectOf(summary["answers"]))) {
    metrics.set(tag, figures);
  }
  const config = summary["input_config"] as InputConfig | undefined;
  const endedEarly = summary["ended_early"];
  const verdict = objectIn(summary, "validity")["verdict"];
  const evidence = objectOf(summary["evidence"]);
  const gpus = objectIn(objectIn(summary, "inferometer"), "gpus")["total"];
  return {
    metrics,
    requests,
    isAllRefused: requests.succeeded === 0 && areRefusals(summary["error_summary"]),
    wasCancelled: summary["was_cancelled"] === true,
    endedEarly: typeof endedEarly === "string" ? endedEarly : undefined,
    endReason: storedEndReason({
      code: summary["ended_early_reason"],
      text: endedEarly,
      wasCancelled: summary["was_cancelled"],
    }),
    error: summary["measurement_error"] as RunError | undefined,
    model: config?.models?.items?.[0]?.name ?? "",
    endpointType: config?.endpoint?.type ?? "",
    shown: shownFigures(summary),
    load: objectOf(summary["load"]),
    diagnosis: objectOf(summary["diagnosis"]),
    evidence: evidence && readEvidence(evidence),
    verdict: typeof verdict === "string" ? verdict : undefined,
    gpus: typeof gpus === "number" ? gpus : undefined,
    sessions: sessionCounts(objectOf(summary["sessions"])),
  };
}

function sessionCounts(sessions: RunLoad | undefined): SessionCounts | undefined {
  if (sessions === undefined) return undefined;
  const count = (name: string): number => Number(sessions[name] ?? 0);
  return {
    started: count("started"),
    completed: count("completed"),
    failed: count("failed"),
    cutOff: count("cut_off"),
  };
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === "object" && value !== null
    ? value as Readonly<Record<string, unknown>>
    : undefined;
}

interface InputConfig {
  readonly models?: { readonly items?: readonly { readonly name?: string }[] };
  readonly endpoint?: { readonly type?: string };
}

/** Whether all errors of a summary are connections that did not come about, and there are some. */
function areRefusals(errors: unknown): boolean {
  return Array.isArray(errors) && errors.length > 0 &&
    errors.every((error) => error?.["error_details"]?.["kind"] === "connect");
}

/** Whether no server was reachable, so that the run has no results about one. */
export function foundNoServer({ endReason, isAllRefused }: RunFigures): boolean {
  return isAllRefused || isServerGone(endReason);
}

/**
 * Whether a run's metrics are used: it was not interrupted, a request succeeded, and it was not
 * stopped because of failures.
 */
export function isSuccessful({ wasCancelled, requests, endReason }: RunFigures): boolean {
  return !wasCancelled && requests.succeeded > 0 && !isFailure(endReason);
}

/** The value of a statistic; undefined where a run has none. */
export function figureOf(
  figures: RunFigures,
  metric: string,
  statistic: string,
): number | undefined {
  const value = figures.metrics.get(metric)?.stats[statistic];
  return value !== undefined && Number.isFinite(value) ? value : undefined;
}
