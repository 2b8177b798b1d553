import { summarize } from "../../core/statistics/summarize.ts";
import { described, type MetricResult, type MetricResults, valueOf } from "./metric_results.ts";
import type { MetricTag } from "./metric_tag.ts";
import type { RecordMetricTag } from "./record_metrics.ts";
import type { RecordTable } from "./record_table.ts";
import { SHARE_METRICS } from "./run_metrics.ts";

/**
 * Maximum number of turns that are reported separately; later ones are only in the values of the
 * whole run.
 */
export const MAX_TURNS = 100;

/** The metrics that are given for each turn. */
const TURN_METRICS = [
  "time_to_first_token",
  "inter_token_latency",
  "request_latency",
  "input_sequence_length",
  "output_sequence_length",
  "usage_prompt_tokens",
  "usage_prompt_cache_read_tokens",
] as const satisfies readonly RecordMetricTag[];

/** The requests that were the same turn of their sessions. */
export interface TurnResults {
  /** From 1. */
  readonly turn: number;
  readonly succeeded: number;
  readonly failed: number;
  /** Available results of {@linkcode TURN_METRICS}, and the percentage of tokens from caches. */
  readonly results: MetricResults;
}

/** Results of the sessions of a phase. */
export interface SessionResults {
  readonly started: number;
  /** Sessions whose last turn succeeded. */
  readonly completed: number;
  /** Sessions that ended with a turn that failed, those that were cut off included. */
  readonly failed: number;
  /** Turns that were not sent because their session had ended. */
  readonly unsentTurns: number;
  readonly turns: readonly TurnResults[];
}

/** Returns the results of the table's sessions; undefined if each is one request. */
export function sessionResults(table: RecordTable): SessionResults | undefined {
  if (!table.hasTurns) return undefined;
  const places = table.turns.values;
  const lengths = table.sessionTurns.values;
  const cancelled = table.counts("cancelled");
  const valid = table.startNs.values;
  const rowsOf: number[][] = [];
  const failures: number[] = [];
  const counts = { started: 0, completed: 0, failed: 0 };
  let planned = 0;
  let sent = 0;
  for (let row = 0; row < table.length; row++) {
    const turn = places[row] as number;
    const length = lengths[row] as number;
    const isValid = !Number.isNaN(valid[row]);
    if (!isValid && cancelled[row] === 0) {
      counts.failed++;
      if (turn < MAX_TURNS) failures[turn] = (failures[turn] ?? 0) + 1;
    }
    // A dead thread leaves open which turn a request was, and how many were to follow it.
    if (Number.isNaN(turn)) continue;
    sent++;
    if (turn === 0) {
      counts.started++;
      planned += length;
    }
    if (!isValid) continue;
    if (turn === length - 1) counts.completed++;
    if (turn < MAX_TURNS) (rowsOf[turn] ??= []).push(row);
  }
  const most = Math.max(rowsOf.length, failures.length);
  return {
    ...counts,
    unsentTurns: Math.max(0, planned - sent),
    turns: Array.from({ length: most }, (_, turn) => {
      const rows = rowsOf[turn] ?? [];
      return {
        turn: turn + 1,
        succeeded: rows.length,
        failed: failures[turn] ?? 0,
        results: turnResults(table, rows),
      };
    }),
  };
}

function turnResults(table: RecordTable, rows: readonly number[]): MetricResults {
  const results = new Map<MetricTag, MetricResult>();
  for (const tag of TURN_METRICS) {
    const metric = table.metrics.find((metric) => metric.tag === tag);
    const column = table.column(tag);
    if (metric === undefined || column === undefined) continue;
    const values = Float64Array.from(rows, (row) => column[row] ?? NaN)
      .filter((value) => !Number.isNaN(value));
    const summary = summarize(values);
    if (summary.count > 0) results.set(tag, { metric: described(metric), summary });
  }
  const cached = sumOf(results, "usage_prompt_cache_read_tokens");
  const value = cached / sumOf(results, "usage_prompt_tokens") * 100;
  const metric = SHARE_METRICS.promptCacheReadPct;
  if (Number.isFinite(value)) results.set(metric.tag, { metric: described(metric), value });
  return results;
}

function sumOf(results: MetricResults, tag: MetricTag): number {
  const result = results.get(tag);
  return result !== undefined && "summary" in result ? result.summary.sum : NaN;
}

/** Share of a turn's prompt tokens that came from caches, in percent; undefined if none tells. */
export function cachedShare({ results }: TurnResults): number | undefined {
  return valueOf(results, SHARE_METRICS.promptCacheReadPct.tag);
}
