/** Results of a whole table that other threads, or earlier passes, find ahead of the rest. */

import type { RecordField } from "../../client/record/request_fields.ts";
import type { LevelSummary } from "../../core/statistics/level_summary.ts";
import { summarizeOwn, type Summary } from "../../core/statistics/summarize.ts";
import { closedGaps, withoutGaps } from "../../core/statistics/without_gaps.ts";
import { LEVEL_METRICS, type LevelMetricTag, levelResults } from "./level_metrics.ts";
import { applies } from "./metric.ts";
import type { RecordMetricTag } from "./record_metrics.ts";
import type { RecordTable } from "./record_table.ts";
import { FIELDS_OF_COUNT } from "./tokens_after_first_chunk.ts";

/** The levels of a run's metrics, by their tags. */
export type FoundLevels = readonly (readonly [tag: LevelMetricTag, level: LevelSummary])[];

/** All gaps between chunks. */
export interface FoundGaps {
  readonly summary: Summary;
  /** Whether its percentiles are exact. */
  readonly isExact: boolean;
}

/** Results that a separate thread computes for a run. */
export interface FoundAside {
  readonly levels: FoundLevels;
  readonly gaps: FoundGaps;
}

/** Results computed from a whole table before those of its selections. */
export interface FoundAhead {
  readonly summaries: ReadonlyMap<RecordMetricTag, Summary>;
  /** undefined if the table has them itself. */
  readonly gaps: FoundGaps | undefined;
  /** undefined if they are still to be found. */
  readonly levels: FoundLevels | undefined;
}

/** The summaries of a whole table's metrics, which {@linkcode computeResults} takes. */
export function summariesOf(table: RecordTable): ReadonlyMap<RecordMetricTag, Summary> {
  const place = new Float64Array(table.length);
  return new Map(table.metrics.map(({ tag }) => {
    const column = table.storedColumn(tag);
    column?.copyInto(place);
    return [tag, summarizeOwn(closedGaps(place.subarray(0, column?.length ?? 0)))];
  }));
}

/** The gaps between chunks of a table, which are gone from it afterwards. */
export function gapsOf({ chunkGaps: { pool } }: RecordTable): FoundGaps {
  const { isExact } = pool;
  return { summary: pool.summarizeAndForget(), isExact };
}

/** Metrics of requests from which {@linkcode levelsOf} finds the levels. */
export const METRICS_OF_LEVELS: readonly RecordMetricTag[] = [
  "time_to_first_token",
  "input_sequence_length",
];

/** Fields of records from which those, and the times of requests, are found. */
export const FIELDS_OF_LEVELS: readonly RecordField[] = [
  ...["phase", "errorKind", "isWhole", "startNs", "endNs"] as const,
  ...["inputTokens", "requestedTokens"] as const,
  ...FIELDS_OF_COUNT,
];

/** The levels of a whole table, as {@linkcode computeResults} finds them. */
export function levelsOf(table: RecordTable): FoundLevels {
  if (table.validCount === 0) return [];
  const firstNs = leastOf(withoutGaps(table.allStartNs.values));
  return levelsBetween(table, firstNs, Math.max(firstNs, table.lastEndNs()));
}

/** Levels of a whole table in a window; times in ns of the run's clock. */
export function levelsBetween(table: RecordTable, firstNs: number, lastNs: number): FoundLevels {
  const wanted = LEVEL_METRICS.filter((metric) => applies(metric, table.options.context));
  return Array.from(
    levelResults(table, wanted, firstNs, lastNs),
    ([{ tag }, level]) => [tag as LevelMetricTag, level] as const,
  );
}

/** Minimum of some values; Infinity if there are none. */
export function leastOf(values: Float64Array): number {
  return values.reduce((least, value) => Math.min(least, value), Infinity);
}
