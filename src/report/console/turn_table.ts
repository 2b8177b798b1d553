import type { ProfileReport } from "../model/profile_report.ts";
import { compactTable } from "./compact_table.ts";
import { outcomeCells } from "./outcome_cells.ts";

/** Most turns that a screen shows. */
const MAX_ROWS = 12;
const COLUMNS = ["requests", "TTFT ms", "ITL ms", "latency ms", "ISL", "OSL", "cached %"];
const TIMES = ["time_to_first_token", "inter_token_latency", "request_latency"] as const;
const DISPENSABLE = ["latency ms", "OSL", "requests"];

/**
 * Returns the changes from turn to turn: medians of times, means of tokens, and the prefix cache
 * hit rate of the server. Empty if sessions have one turn each, or several agents.
 */
export function turnTable({ sessions }: ProfileReport, width: number): string[] {
  // Calls of several agents are not turns after one another.
  if (sessions === undefined || sessions.depths.length > 0) return [];
  const shown = sessions.turns.slice(0, MAX_ROWS);
  const rows = shown.map((turn) => ({
    label: String(turn.turn),
    unit: "",
    cells: outcomeCells(turn, TIMES),
  }));
  const left = sessions.turns.length - shown.length;
  return [
    ...compactTable({ title: "turn", columns: COLUMNS, rows, dispensable: DISPENSABLE }, width),
    ...(left > 0 ? [`and ${left} more ${left === 1 ? "turn" : "turns"}, see the JSON`] : []),
    "times: p50; tokens: mean",
  ];
}
