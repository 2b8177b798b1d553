import type { CensoredRequest } from "./censored_requests.ts";
import { interactivity } from "./interactivity.ts";
import { NETWORK_ADJUSTED_METRICS, NETWORK_RTT } from "./network_metrics.ts";
import { completionsInBlocks } from "./completions_in_blocks.ts";
import { CompensatedSum } from "../../core/statistics/compensated_sum.ts";
import { summarize, summarizeOwn, type Summary } from "../../core/statistics/summarize.ts";
import type { StoredColumn } from "../../core/statistics/stored_column.ts";
import { closedGaps } from "../../core/statistics/without_gaps.ts";
import { LEVEL_METRICS } from "./level_metrics.ts";
import { applies, type Metric, type MetricContext } from "./metric.ts";
import { type FoundAhead, leastOf, levelsBetween } from "./found_ahead.ts";
import { described, type MetricResult, type MetricResults } from "./metric_results.ts";
import { observedTimes } from "./observed_times.ts";
import { expectedValues } from "./expected_values.ts";
import type { MetricTag } from "./metric_tag.ts";
import { ERROR_ISL, INTER_CHUNK_LATENCY, type RecordMetricTag } from "./record_metrics.ts";
import type { CountColumn } from "./count_columns.ts";
import type { RecordTable } from "./record_table.ts";
import { SESSION_METRICS, SESSION_TOTALS } from "./session_metrics.ts";
import { pooledTokens, wholeSessions } from "./session_results.ts";
import { sessionTimes } from "./session_times.ts";
import {
  COST_METRICS,
  COUNT_METRICS,
  RATE_METRICS,
  SHARE_METRICS,
  TOTAL_METRICS,
} from "./run_metrics.ts";

/** The requests of a table that are computed. */
export interface Selection {
  /** Rows, in ascending order; undefined for all. */
  readonly rows?: readonly number[];
  /** Seconds that rates are divided by; undefined for the benchmark's duration. */
  readonly windowSeconds?: number;
  /**
   * Window in which completions, tokens and levels are counted, whatever the start of their requests, and
   * whose length is the duration; in ns of the run's clock. Undefined for the whole run.
   */
  readonly inside?: { readonly startNs: number; readonly endNs: number };
  /** Requests whose times are at least as long as they were observed. @default none */
  readonly censored?: readonly CensoredRequest[];
  /** Gaps between chunks are not needed after this. @default false */
  readonly isLast?: boolean;
  /** Gaps between chunks are left out. @default false */
  readonly withoutGaps?: boolean;
  /** Round trip that latencies are also reported without. @default 0 for none */
  readonly networkRttMs?: number | undefined;
  /** Results that are already known and are not computed again. */
  readonly ahead?: FoundAhead | undefined;
}

/**
 * Computes every metric that applies to a run.
 *
 * Rates are divided by the benchmark's duration, from the first start to the last end of any request,
 * failed ones included, or counted inside of a window and divided by its length. A metric without a value
 * is absent; counts of failures are present also when they are zero. Levels belong to a whole table or to
 * a window: of another selection, they would miss the requests that had started before.
 *
 * @param baseEpochNs the start of the run's clock, for timestamps
 */
export function computeResults(
  table: RecordTable,
  baseEpochNs: bigint,
  selection: Selection = {},
): MetricResults {
  return computeBounded(table, baseEpochNs, selection).results;
}

/** Results, some of which are lower bounds. */
export interface BoundedResults {
  readonly results: MetricResults;
  /**
   * The least value of a metric that is only known to be at least so large: statistics from it on are
   * lower bounds, and so is the mean. By the tags of metrics that have such values.
   */
  readonly leastBounds: ReadonlyMap<MetricTag, number>;
}

/** {@linkcode computeResults} of requests of which some were ended by the client. */
export function computeBounded(
  table: RecordTable,
  baseEpochNs: bigint,
  selection: Selection,
): BoundedResults {
  const run = new Computation(table, selection);
  run.addDistributions();
  run.addTotals();
  run.addErrorLengths();
  const requests = run.addCounts();
  const firstNs = run.addStart(baseEpochNs);
  if (requests > 0) {
    const lastNs = run.addEnd(baseEpochNs, firstNs);
    const { inside, rows, windowSeconds } = selection;
    const window = inside ?? { startNs: firstNs, endNs: lastNs };
    const durationSeconds = (window.endNs - window.startNs) / 1e9;
    run.addDuration(durationSeconds);
    run.addRates(run.countsInside(requests), windowSeconds ?? durationSeconds);
    if (rows === undefined || inside !== undefined) run.addLevels(window.startNs, window.endNs);
    if (rows === undefined && inside === undefined) run.addSessions(durationSeconds);
  }
  return run;
}

/** Counts from which rates are computed; NaN if tokens are not counted. */
interface RateCounts {
  readonly requests: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly good: number;
}

/** The results of a table so far. */
class Computation {
  readonly results = new Map<MetricTag, MetricResult>();
  /** Values from which statistics are lower bounds, by the tags of metrics that have such. */
  readonly leastBounds = new Map<MetricTag, number>();
  readonly #table: RecordTable;
  readonly #context: MetricContext;
  readonly #selection: Selection;
  /**
   * Buffer for all rows of one column, reused for each: a million requests take 8 MB per column.
   */
  readonly #place: Float64Array<ArrayBuffer>;

  constructor(table: RecordTable, selection: Selection) {
    this.#table = table;
    this.#context = table.options.context;
    this.#selection = selection;
    this.#place = new Float64Array(selection.rows === undefined ? table.length : 0);
  }

  addDistributions(): void {
    const { summaries } = this.#selection.ahead ?? {};
    for (const metric of this.#table.metrics) {
      const found = summaries?.get(metric.tag) ?? summarizeOwn(
        this.#withCensored(metric.tag, this.#select(this.#table.storedColumn(metric.tag))),
      );
      this.#addSummary(metric, found);
    }
    this.#addChunkGaps();
    this.#addValue(
      RATE_METRICS.interactivity,
      interactivity(this.#table, this.#selection.rows),
    );
    const { networkRttMs = 0 } = this.#selection;
    if (networkRttMs <= 0) return;
    this.#addValue(NETWORK_RTT, networkRttMs);
    for (const metric of NETWORK_ADJUSTED_METRICS) {
      const values = this.#select(this.#table.storedColumn(metric.of));
      values.forEach((value, at) => values[at] = Math.max(0, value - networkRttMs));
      this.#addSummary(metric, summarizeOwn(values));
    }
  }

  /** Adds sums of distributions. */
  addTotals(): void {
    for (const metric of TOTAL_METRICS) {
      const parent = this.results.get(metric.of);
      if (parent !== undefined && "summary" in parent) this.#addValue(metric, parent.summary.sum);
    }
    this.#addValue(
      SHARE_METRICS.promptCacheReadPct,
      this.#sum("usage_prompt_cache_read_tokens") / this.#sum("usage_prompt_tokens") * 100,
    );
  }

  /** Adds the planned lengths of failed requests. */
  addErrorLengths(): void {
    const lengths = this.#select(this.#table.errorIsl);
    if (!applies(ERROR_ISL, this.#context) || lengths.length === 0) return;
    const total = sumOf(lengths);
    this.#addSummary(ERROR_ISL, summarizeOwn(lengths));
    this.#addValue(COUNT_METRICS.totalErrorIsl, total);
  }

  /** @returns how many requests were valid */
  addCounts(): number {
    const { rows } = this.#selection;
    const requests = rows === undefined
      ? this.#table.validCount
      : this.#select(this.#table.startNs).length;
    const completed = (rows?.length ?? this.#table.length) - this.#count("cancelled");
    this.#addValue(COUNT_METRICS.requestCount, requests);
    this.#addValue(COUNT_METRICS.errorRequestCount, completed - requests);
    this.#addValue(COUNT_METRICS.completedRequestCount, completed);
    this.#addValue(SHARE_METRICS.requestErrorRate, (completed - requests) / completed * 100);
    this.#addValue(COUNT_METRICS.goodRequestCount, this.#count("good"));
    this.#addValue(SHARE_METRICS.goodRequestFraction, this.#count("good") / completed);
    this.#addValue(COUNT_METRICS.usageDiscrepancyCount, this.#count("usageDiscrepancy"));
    if (this.results.has("osl_mismatch_diff_pct")) {
      this.#addValue(COUNT_METRICS.oslMismatchCount, this.#count("oslMismatch"));
    }
    return requests;
  }

  /** @returns the start of the first request; Infinity if there is none */
  addStart(baseEpochNs: bigint): number {
    const firstNs = leastOf(this.#select(this.#table.allStartNs));
    if (firstNs < Infinity) {
      this.#addValue(COUNT_METRICS.minRequestTimestamp, baseEpochNs + BigInt(firstNs));
    }
    return firstNs;
  }

  /** @returns the end of the last request, failed ones included */
  addEnd(baseEpochNs: bigint, firstNs: number): number {
    const lastNs = Math.max(firstNs, this.#table.lastEndNs(this.#selection.rows));
    this.#addValue(COUNT_METRICS.maxResponseTimestamp, baseEpochNs + BigInt(lastNs));
    return lastNs;
  }

  addDuration(seconds: number): void {
    this.#addValue(COUNT_METRICS.benchmarkDuration, seconds);
  }

  /**
   * Returns the counts from which rates are computed.
   * @param requests valid ones of the selection
   */
  countsInside(requests: number): RateCounts {
    const { inside } = this.#selection;
    const table = this.#table;
    const tokensIn = this.#sum("input_sequence_length");
    const tokensOut = this.#sum("output_sequence_length");
    if (inside === undefined) return { requests, tokensIn, tokensOut, good: this.#count("good") };
    const { endNs, startNs } = inside;
    const counts = completionsInBlocks(
      table,
      1,
      (timeNs) => timeNs >= startNs && timeNs < endNs ? 0 : -1,
    );
    return {
      requests: counts.requests[0] as number,
      good: counts.good[0] as number,
      tokensIn: Number.isNaN(tokensIn) ? NaN : counts.tokensIn[0] as number,
      tokensOut: Number.isNaN(tokensOut) ? NaN : table.activity.tokensWithin(startNs, endNs),
    };
  }

  /** Adds rates, and costs. */
  addRates({ good, requests, tokensIn, tokensOut }: RateCounts, seconds: number): void {
    if (!(seconds > 0)) return;
    this.#addValue(RATE_METRICS.requestThroughput, requests / seconds);
    this.#addValue(RATE_METRICS.outputTokenThroughput, tokensOut / seconds);
    this.#addValue(RATE_METRICS.inputTokenThroughput, tokensIn / seconds);
    this.#addValue(RATE_METRICS.totalTokenThroughput, (tokensIn + tokensOut) / seconds);
    this.#addValue(RATE_METRICS.goodput, good / seconds);
    this.#addValue(RATE_METRICS.tokensPerGpu, tokensOut / seconds / (this.#context.gpus ?? NaN));
    const cost = (this.#context.costPerHour ?? NaN) * seconds / 3600;
    this.#addValue(COST_METRICS.outputTokenCost, cost / tokensOut * 1e6);
    this.#addValue(COST_METRICS.inputTokenCost, cost / tokensIn * 1e6);
    this.#addValue(COST_METRICS.totalTokenCost, cost / (tokensIn + tokensOut) * 1e6);
    this.#addValue(COST_METRICS.requestCost, cost / requests);
    this.#addValue(COST_METRICS.goodRequestCost, cost / good);
    this.#addValue(COST_METRICS.totalCost, cost);
  }

  /** Adds the metrics of whole sessions; nothing where each is one request. */
  addSessions(seconds: number): void {
    const sessions = sessionTimes(this.#table);
    const completed = sessions.filter(({ status }) => status === "completed");
    if (sessions.length === 0) return;
    const whole = wholeSessions(this.#table);
    for (const metric of SESSION_METRICS) {
      const values = Float64Array.from(whole, (session) => metric.value(session));
      this.#addSummary(metric, summarizeOwn(values.filter((value) => !Number.isNaN(value))));
    }
    const ended = sessions.filter(({ status }) => status !== "cut_off").length;
    const perHour = completed.length / seconds * 3600;
    const { completedRate, perSecond, jobsPerHour, jobsPerHourPerGpu } = SESSION_TOTALS;
    this.#addValue(completedRate, completed.length / ended * 100);
    this.#addValue(SESSION_TOTALS.cutOffRate, (1 - ended / sessions.length) * 100);
    const { input, cachedIdeal, prompted, cachedServer, reusable, reused } = pooledTokens(sessions);
    // Each by its own count of tokens: the server's may be another one.
    this.#addValue(SESSION_TOTALS.hitRate, cachedServer / prompted * 100);
    this.#addValue(SESSION_TOTALS.idealHitRate, cachedIdeal / input * 100);
    this.#addValue(SESSION_TOTALS.hitShare, reused / reusable * 100);
    if (!(seconds > 0)) return;
    const treeSeconds = sessions.reduce(
      (sum, { treeStartNs, treeEndNs }) => sum + (treeEndNs - treeStartNs) / 1e9,
      0,
    );
    this.#addValue(SESSION_TOTALS.jobsPerHourPerTree, perHour / (treeSeconds / seconds));
    this.#addValue(perSecond, completed.length / seconds);
    this.#addValue(jobsPerHour, perHour);
    this.#addValue(jobsPerHourPerGpu, perHour / (this.#context.gpus ?? NaN));
  }

  addLevels(firstNs: number, lastNs: number): void {
    const { levels = levelsBetween(this.#table, firstNs, lastNs) } = this.#selection.ahead ?? {};
    for (const [tag, level] of levels) {
      const metric = LEVEL_METRICS.find((metric) => metric.tag === tag);
      if (metric !== undefined) this.results.set(tag, { metric: described(metric), level });
    }
  }

  #addChunkGaps(): void {
    const { pool, ends } = this.#table.chunkGaps;
    const { ahead, rows, isLast, withoutGaps = false } = this.#selection;
    if (ahead?.gaps !== undefined) return this.#addSummary(INTER_CHUNK_LATENCY, ahead.gaps.summary);
    if (pool.count === 0) return;
    if (rows === undefined) {
      this.#addSummary(
        INTER_CHUNK_LATENCY,
        isLast ? pool.summarizeAndForget() : pool.summarize(),
      );
      return;
    }
    // Of very many it is not kept which request they are of.
    if (withoutGaps || !pool.isExact) return;
    const { values } = ends;
    const pieces = rows.map((row) =>
      pool.millisecondsOf(row === 0 ? 0 : values[row - 1] as number, values[row] as number)
    );
    const gaps = new Float64Array(pieces.reduce((length, piece) => length + piece.length, 0));
    let offset = 0;
    for (const piece of pieces) {
      gaps.set(piece, offset);
      offset += piece.length;
    }
    this.#addSummary(INTER_CHUNK_LATENCY, summarize(gaps));
  }

  #addValue(metric: Metric<MetricTag>, value: number | bigint): void {
    if (typeof value === "number" && !Number.isFinite(value)) return;
    if (!applies(metric, this.#context)) return;
    this.results.set(metric.tag, { metric: described(metric), value });
  }

  #addSummary(metric: Metric<MetricTag>, summary: Summary): void {
    if (summary.count > 0) this.results.set(metric.tag, { metric: described(metric), summary });
  }

  /** Returns the existing values, valid until the next call; callers may reorder them. */
  #select(column: StoredColumn | undefined): Float64Array<ArrayBuffer> {
    const { rows } = this.#selection;
    if (column === undefined) return new Float64Array(0);
    if (rows !== undefined) return selected(column.values, rows);
    column.copyInto(this.#place);
    return closedGaps(this.#place.subarray(0, column.length));
  }

  /** Values with what was observed of requests that the client ended while they waited. */
  #withCensored(
    tag: RecordMetricTag,
    values: Float64Array<ArrayBuffer>,
  ): Float64Array<ArrayBuffer> {
    const { censored = [] } = this.#selection;
    const { known, observed } = observedTimes(tag, censored);
    if (known.length + observed.length === 0) return values;
    const complete = new Float64Array(values.length + known.length);
    complete.set(values);
    complete.set(known, values.length);
    const expected = expectedValues(complete, Float64Array.from(observed));
    if (expected.leastBound < Infinity) this.leastBounds.set(tag, expected.leastBound);
    const all = new Float64Array(complete.length + observed.length);
    all.set(complete);
    all.set(expected.values, complete.length);
    return all;
  }

  #count(name: CountColumn): number {
    const { rows } = this.#selection;
    return rows === undefined
      ? this.#table.countOf(name)
      : sumOf(selected(this.#table.counts(name), rows));
  }

  #sum(tag: RecordMetricTag): number {
    const parent = this.results.get(tag);
    return parent !== undefined && "summary" in parent ? parent.summary.sum : NaN;
  }
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
  sum.addAll(values);
  return sum.value;
}
