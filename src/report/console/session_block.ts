import {
  distributionOf,
  type MetricResults,
  valueOf,
} from "../../measurement/metrics/metric_results.ts";
import type { AgentResults, SessionResults } from "../../measurement/metrics/session_results.ts";
import { judged } from "../../measurement/own_error/measurement_error.ts";
import type { ProfileReport } from "../model/profile_report.ts";
import { compactTable } from "./compact_table.ts";
import { knownText, wholeNumber } from "./number_text.ts";
import { outcomeCells } from "./outcome_cells.ts";
import { printableText } from "./printable_text.ts";

/** Most kinds of agents that a screen shows. */
const MAX_KINDS = 12;
const COLUMNS = ["requests", "TTFT ms", "ITL ms", "ISL", "OSL", "hit %"];
const TIMES = ["time_to_first_token", "inter_token_latency"] as const;
const DISPENSABLE = ["OSL", "requests"];
const PARTS = [
  ["model", "model"],
  ["tools", "tool"],
  ["users", "user"],
  ["agents", "agent"],
  ["waiting", "wait"],
] as const;

/**
 * Returns the block about sessions: outcomes, durations, critical path, calls, cache hits and the
 * client's error, then a table by depth and one by kind of agent. Empty if sessions are one request.
 */
export function sessionBlock(report: ProfileReport, width: number): string[] {
  const { sessions, results } = report;
  if (sessions === undefined) return submissionLine(report);
  const { depths, kinds } = sessions;
  return [
    `sessions: ${outcomesText(sessions)}`,
    ...durationLine(sessions, results),
    ...callsLine(sessions),
    ...hitLine(results),
    ...ownErrorLine(results),
    ...submissionLine(report),
    ...agentTable("depth", depths, ({ depth }) => String(depth), width),
    ...agentTable(
      "agents",
      kinds.slice(0, MAX_KINDS),
      ({ kind = "" }) => printableText(kind),
      width,
    ),
    ...(kinds.length > MAX_KINDS
      ? [`and ${kinds.length - MAX_KINDS} more kinds, see the JSON`]
      : []),
    ...(depths.length > 0 ? ["times: p50; tokens: mean; hit: cached prompt tokens by usage"] : []),
  ];
}

/** Whether a run with a scenario is a valid submission, and the window whose results are checked. */
function submissionLine({ submission }: ProfileReport): string[] {
  if (submission === undefined || submission === null) return [];
  const { isValid, reasons, scenario: { name, version }, window } = submission;
  const verdict = isValid ? "valid" : `not valid: ${reasons.join(", ")}`;
  const part = window === "steady" ? "the steady window" : "the whole run";
  return [`submission to ${name} ${version}, by ${part}: ${verdict}`];
}

function outcomesText({ started, completed, failed, cutOff }: SessionResults): string {
  return [
    `${wholeNumber(completed)} of ${wholeNumber(started)} completed`,
    ...(failed > 0 ? [`${wholeNumber(failed)} failed`] : []),
    ...(cutOff > 0 ? [`${wholeNumber(cutOff)} cut off by the end of the run`] : []),
  ].join(", ");
}

/** How long whole sessions took, and where their time went; nothing if there is none. */
function durationLine({ path }: SessionResults, results: MetricResults): string[] {
  const duration = distributionOf(results, "session_duration");
  if (duration === undefined) return [];
  const shares = PARTS.flatMap(([name, part]) =>
    path[part] >= 0.05 ? [`${name} ${path[part].toFixed(1)} %`] : []
  );
  const { p50, p95, max } = duration;
  return [
    `session duration: p50 ${knownText(p50)}, p95 ${knownText(p95)}, max ${knownText(max)} s; ` +
    shares.join(", "),
  ];
}

function callsLine({ calls, depths, peakParallel, resets }: SessionResults): string[] {
  // Turns that follow each other are counted in the table of turns.
  if (depths.length === 0 && resets === 0) return [];
  return [
    `calls per session: mean ${knownText(calls.avg, 1)}, max ${wholeNumber(calls.max)}; ` +
    `at most ${wholeNumber(peakParallel)} in flight; ` +
    `${wholeNumber(resets)} ${resets === 1 ? "reset" : "resets"} of the prompt`,
  ];
}

function hitLine(results: MetricResults): string[] {
  const [ideal, achieved, share] = [
    valueOf(results, "session_ideal_hit_rate"),
    valueOf(results, "session_hit_rate"),
    valueOf(results, "session_hit_share"),
  ];
  if (ideal === undefined) return [];
  if (achieved === undefined) {
    return [`cache hits within sessions: ideal ${knownText(ideal, 1)} %; replies report none`];
  }
  return [
    `cache hits: ${knownText(achieved, 1)} %; ideal within sessions: ${knownText(ideal, 1)} %` +
    (share === undefined ? "" : `, ${knownText(share, 1)} % of it achieved`),
  ];
}

/** The client's lateness over whole sessions; nothing if it is not known. */
function ownErrorLine(results: MetricResults): string[] {
  const [error, duration] = [
    distributionOf(results, "session_own_error"),
    distributionOf(results, "session_duration"),
  ];
  if (error === undefined || duration === undefined) return [];
  const value = duration.p50 * 1e3;
  const { verdict } = judged(value, { lower: Math.max(0, value - error.p99), upper: value });
  return [
    `client error of a session's duration: p99 ${knownText(error.p99)}, max ${
      knownText(error.max)
    } ms (${verdict})`,
  ];
}

function agentTable(
  title: string,
  groups: readonly AgentResults[],
  label: (group: AgentResults) => string,
  width: number,
): string[] {
  if (groups.length === 0) return [];
  const rows = groups.map((group) => ({
    label: label(group),
    unit: "",
    cells: outcomeCells(group, TIMES),
  }));
  return compactTable({ title, columns: COLUMNS, rows, dispensable: DISPENSABLE }, width);
}
