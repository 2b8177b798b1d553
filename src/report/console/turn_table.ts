import { distributionOf, type MetricResults } from "../../measurement/metrics/metric_results.ts";
import { cachedShare, type SessionResults } from "../../measurement/metrics/session_results.ts";
import type { ProfileReport } from "../model/profile_report.ts";
import { compactTable } from "./compact_table.ts";
import { knownText, wholeNumber } from "./number_text.ts";

/** Most turns that a screen shows. */
const MAX_ROWS = 12;
const COLUMNS = ["requests", "TTFT ms", "ITL ms", "latency ms", "ISL", "OSL", "cached %"];
const DISPENSABLE = ["latency ms", "OSL", "requests"];

/**
 * Returns the changes from turn to turn: medians of times, means of tokens, and the prefix cache
 * hit rate of the server. Empty if sessions have one turn each.
 */
export function turnTable({ sessions, results }: ProfileReport, width: number): string[] {
  if (sessions === undefined) return [];
  const shown = sessions.turns.slice(0, MAX_ROWS);
  const rows = shown.map((turn) => {
    const { results, succeeded } = turn;
    const time = (tag: Parameters<typeof distributionOf>[1]): string =>
      knownText(distributionOf(results, tag)?.p50);
    const tokens = (tag: Parameters<typeof distributionOf>[1]): string =>
      knownText(distributionOf(results, tag)?.avg, 0);
    return {
      label: String(turn.turn),
      unit: "",
      cells: [
        wholeNumber(succeeded),
        time("time_to_first_token"),
        time("inter_token_latency"),
        time("request_latency"),
        tokens("input_sequence_length"),
        tokens("output_sequence_length"),
        knownText(cachedShare(turn), 1),
      ],
    };
  });
  const left = sessions.turns.length - shown.length;
  return [
    ...compactTable({ title: "turn", columns: COLUMNS, rows, dispensable: DISPENSABLE }, width),
    ...(left > 0 ? [`and ${left} more ${left === 1 ? "turn" : "turns"}, see the JSON`] : []),
    `times: p50; tokens: mean; ${sessionsText(sessions)}`,
    ...durationLine(results),
  ];
}

function sessionsText({ started, completed }: SessionResults): string {
  return `${wholeNumber(completed)} of ${wholeNumber(started)} sessions completed`;
}

/** How long completed sessions took, and where their time went; nothing if none was completed. */
function durationLine(results: MetricResults): string[] {
  const duration = distributionOf(results, "session_duration");
  if (duration === undefined) return [];
  const shares = PARTS.flatMap(([name, tag]) => {
    const percent = (distributionOf(results, tag)?.sum ?? 0) / duration.sum * 100;
    return percent >= 0.05 ? [`${name} ${percent.toFixed(1)} %`] : [];
  });
  const { p50, p95, max } = duration;
  return [
    `session duration: p50 ${knownText(p50)}, p95 ${knownText(p95)}, max ${knownText(max)} s; ` +
    shares.join(", "),
  ];
}

const PARTS = [
  ["model", "session_model_time"],
  ["tools", "session_tool_time"],
  ["users", "session_user_time"],
  ["agents", "session_agent_time"],
  ["waiting", "session_wait_time"],
] as const;
