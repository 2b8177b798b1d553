import { NETWORK_ADJUSTED_METRICS, NETWORK_RTT } from "./network_metrics.ts";
import { CompensatedSum } from "../statistics/compensated_sum.ts";
import { summarize, summarizeOwn, type Summary } from "../statistics/summarize.ts";
import type { StoredColumn } from "../statistics/stored_column.ts";
import { closedGaps } from "../statistics/without_gaps.ts";
import type { LevelSummary } from "../statistics/level_summary.ts";
import { LEVEL_METRICS, levelResults } from "./level_metrics.ts";
import { applies, type Metric } from "./metric.ts";
import type { MetricTag } from "./metric_tag.ts";
import { ERROR_ISL, INTER_CHUNK_LATENCY, type RecordMetricTag } from "./record_metrics.ts";
import type { CountColumn, RecordTable } from "./record_table.ts";
import {
  COST_METRICS,
  COUNT_METRICS,
  RATE_METRICS,
  SHARE_METRICS,
  TOTAL_METRICS,
} from "./run_metrics.ts";

/** The result of a metric: a distribution over requests or over time, or one value of the run. */
export type MetricResult =
  | { readonly metric: Metric<MetricTag>; readonly summary: Summary }
  | { readonly metric: Metric<MetricTag>; readonly level: LevelSummary }
  | { readonly metric: Metric<MetricTag>; readonly value: number | bigint };

/** Results by tag. */
export type MetricResults = ReadonlyMap<MetricTag, MetricResult>;

/** The statistics that a result has. */
export function figuresOf(
  result: MetricResult,
): Readonly<Partial<Record<keyof Summary, number | bigint>>> {
  if ("summary" in result) return result.summary;
  return "level" in result ? result.level : { avg: result.value };
}

/** The distribution of a metric; undefined if it has none. */
export function distributionOf(results: MetricResults, tag: MetricTag): Summary | undefined {
  const result = results.get(tag);
  return result !== undefined && "summary" in result ? result.summary : undefined;
}

/** The one value of a metric of the run; undefined if it has none. */
export function valueOf(results: MetricResults, tag: MetricTag): number | undefined {
  const result = results.get(tag);
  return result !== undefined && "value" in result ? Number(result.value) : undefined;
}

/** The requests of a table that are computed. */
export interface Selection {
  /** Rows, in ascending order; undefined for all. */
  readonly rows?: readonly number[];
  /** Seconds that rates are divided by; undefined for the benchmark's duration. */
  readonly windowSeconds?: number;
  /** Gaps between chunks are not needed after this. @default false */
  readonly isLast?: boolean;
  /** Round trip that latencies are also reported without. @default 0 for none */
  readonly networkRttMs?: number | undefined;
}

/**
 * Computes every metric that applies to a run.
 *
 * Rates are divided by the benchmark's duration, from the first request's start, be it one that
 * failed, to the last valid response, as the metrics reference says. A metric without a value is
 * absent; counts of failures are there also when they are zero. Levels belong to a whole table: of a
 * selection, they would miss the requests that had started before.
 *
 * @param baseEpochNs the start of the run's clock, for timestamps
 */
export function computeResults(
  table: RecordTable,
  baseEpochNs: bigint,
  selection: Selection = {},
): MetricResults {
  const { context } = table.options;
  const results = new Map<MetricTag, MetricResult>();
  const addValue = (metric: Metric<MetricTag>, value: number | bigint): void => {
    if (typeof value === "number" && !Number.isFinite(value)) return;
    if (applies(metric, context)) results.set(metric.tag, { metric: described(metric), value });
  };
  const addSummary = (metric: Metric<MetricTag>, summary: Summary): void => {
    if (summary.count > 0) results.set(metric.tag, { metric: described(metric), summary });
  };
  const { rows } = selection;
  // Of all rows one column after another in the same place: a million requests have 8 MB of each.
  const place = new Float64Array(rows === undefined ? table.length : 0);
  /** The values that there are, until the next call; they may be put into another order. */
  const select = (column: StoredColumn | undefined): Float64Array<ArrayBuffer> => {
    if (column === undefined) return new Float64Array(0);
    if (rows !== undefined) return selected(column.values, rows);
    column.copyInto(place);
    return closedGaps(place.subarray(0, column.length));
  };

  for (const metric of table.metrics) {
    addSummary(metric, summarizeOwn(select(table.storedColumn(metric.tag))));
  }
  addChunkGaps(table, selection, addSummary);
  const { networkRttMs = 0 } = selection;
  if (networkRttMs > 0) {
    addValue(NETWORK_RTT, networkRttMs);
    for (const metric of NETWORK_ADJUSTED_METRICS) {
      const values = select(table.storedColumn(metric.of));
      values.forEach((value, at) => values[at] = Math.max(0, value - networkRttMs));
      addSummary(metric, summarizeOwn(values));
    }
  }
  for (const metric of TOTAL_METRICS) {
    const parent = results.get(metric.of);
    if (parent !== undefined && "summary" in parent) addValue(metric, parent.summary.sum);
  }
  const sum = (tag: RecordMetricTag): number => {
    const parent = results.get(tag);
    return parent !== undefined && "summary" in parent ? parent.summary.sum : NaN;
  };
  addValue(
    SHARE_METRICS.promptCacheReadPct,
    sum("usage_prompt_cache_read_tokens") / sum("usage_prompt_tokens") * 100,
  );

  const errorIsl = select(table.errorIsl);
  if (applies(ERROR_ISL, context) && errorIsl.length > 0) {
    const total = sumOf(errorIsl);
    addSummary(ERROR_ISL, summarizeOwn(errorIsl));
    addValue(COUNT_METRICS.totalErrorIsl, total);
  }
  const requests = rows === undefined ? table.validCount : select(table.startNs).length;
  const count = (name: CountColumn): number =>
    rows === undefined ? table.countOf(name) : sumOf(selected(table.counts(name), rows));
  const completed = (rows?.length ?? table.length) - count("cancelled");
  addValue(COUNT_METRICS.requestCount, requests);
  addValue(COUNT_METRICS.errorRequestCount, completed - requests);
  addValue(COUNT_METRICS.completedRequestCount, completed);
  addValue(SHARE_METRICS.requestErrorRate, (completed - requests) / completed * 100);
  addValue(COUNT_METRICS.goodRequestCount, count("good"));
  addValue(SHARE_METRICS.goodRequestFraction, count("good") / completed);
  addValue(COUNT_METRICS.usageDiscrepancyCount, count("usageDiscrepancy"));
  if (results.has("osl_mismatch_diff_pct")) {
    addValue(COUNT_METRICS.oslMismatchCount, count("oslMismatch"));
  }
  const firstNs = extreme(select(table.allStartNs), Math.min, Infinity);
  if (firstNs < Infinity) {
    addValue(COUNT_METRICS.minRequestTimestamp, baseEpochNs + BigInt(firstNs));
  }
  if (requests === 0) return results;

  const lastNs = extreme(select(table.contentEndNs), Math.max, firstNs);
  addValue(COUNT_METRICS.maxResponseTimestamp, baseEpochNs + BigInt(lastNs));
  const durationSeconds = (lastNs - firstNs) / 1e9;
  addValue(COUNT_METRICS.benchmarkDuration, durationSeconds);
  const seconds = selection.windowSeconds ?? durationSeconds;
  if (seconds > 0) {
    const tokensIn = sum("input_sequence_length");
    const tokensOut = sum("output_sequence_length");
    addValue(RATE_METRICS.requestThroughput, requests / seconds);
    addValue(RATE_METRICS.outputTokenThroughput, tokensOut / seconds);
    addValue(RATE_METRICS.inputTokenThroughput, tokensIn / seconds);
    addValue(RATE_METRICS.totalTokenThroughput, (tokensIn + tokensOut) / seconds);
    addValue(RATE_METRICS.goodput, count("good") / seconds);
    const cost = (context.costPerHour ?? NaN) * seconds / 3600;
    addValue(COST_METRICS.outputTokenCost, cost / tokensOut * 1e6);
    addValue(COST_METRICS.inputTokenCost, cost / tokensIn * 1e6);
    addValue(COST_METRICS.totalTokenCost, cost / (tokensIn + tokensOut) * 1e6);
    addValue(COST_METRICS.requestCost, cost / requests);
    addValue(COST_METRICS.goodRequestCost, cost / count("good"));
    addValue(COST_METRICS.totalCost, cost);
  }
  if (rows === undefined) {
    const wanted = LEVEL_METRICS.filter((metric) => applies(metric, context));
    for (const [metric, level] of levelResults(table, wanted, firstNs, lastNs)) {
      results.set(metric.tag, { metric: described(metric), level });
    }
  }
  return results;
}

function addChunkGaps(
  table: RecordTable,
  selection: Selection,
  addSummary: (metric: Metric<MetricTag>, summary: Summary) => void,
): void {
  const { chunkGaps } = table;
  if (chunkGaps.count === 0) return;
  if (selection.rows === undefined) {
    addSummary(
      INTER_CHUNK_LATENCY,
      selection.isLast ? chunkGaps.summarizeAndForget() : chunkGaps.summarize(),
    );
    return;
  }
  if (!chunkGaps.isExact) return; // too many to keep their requests
  const ends = table.chunkGapEnds.values;
  const pieces = selection.rows.map((row) =>
    chunkGaps.millisecondsOf(row === 0 ? 0 : ends[row - 1] as number, ends[row] as number)
  );
  const gaps = new Float64Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let offset = 0;
  for (const piece of pieces) {
    gaps.set(piece, offset);
    offset += piece.length;
  }
  addSummary(INTER_CHUNK_LATENCY, summarize(gaps));
}

/** A metric without its formula, so that results can be posted to another thread. */
export function described(
  { tag, header, unit, flags, consoleOrder }: Metric<MetricTag>,
): Metric<MetricTag> {
  return { tag, header, unit, flags, ...(consoleOrder === undefined ? {} : { consoleOrder }) };
}

/** The values of some rows, those without a value left out. */
function selected(
  values: Float64Array,
  rows: readonly number[],
): Float64Array<ArrayBuffer> {
  const picked = new Float64Array(rows.length);
  let length = 0;
  for (const row of rows) {
    const value = values[row] ?? NaN;
    if (!Number.isNaN(value)) picked[length++] = value;
  }
  return picked.subarray(0, length);
}

function sumOf(values: Float64Array): number {
  const sum = new CompensatedSum();
  for (const value of values) sum.add(value);
  return sum.value;
}

function extreme(
  values: Float64Array,
  choose: (a: number, b: number) => number,
  initial: number,
): number {
  let best = initial;
  for (let i = 0; i < values.length; i++) best = choose(best, values[i] as number);
  return best;
}
