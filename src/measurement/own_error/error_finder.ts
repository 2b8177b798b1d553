import type { StoredColumn } from "../../core/statistics/stored_column.ts";
import { UNBOUNDED } from "../../core/statistics/unbounded.ts";
import type { Shadow } from "../canary/canary_kind.ts";
import { distributionOf, type MetricResults, valueOf } from "../metrics/metric_results.ts";
import type { MetricTag } from "../metrics/metric_tag.ts";
import type { RecordMetricTag } from "../metrics/record_metrics.ts";
import type { RecordTable } from "../metrics/record_table.ts";
import {
  BOUNDED_STATISTICS,
  type BoundedStatistic,
  type StatisticBounds,
} from "./bounded_statistics.ts";
import type { DelaysByKind } from "./delays_by_kind.ts";
import { judged, type StatisticError } from "./measurement_error.ts";
import { PiledChunks } from "./piled_chunks.ts";
import { type ReadDelays, readDelays } from "./read_delays.ts";
import {
  type Divisors,
  pooledRateBounds,
  rateBounds,
  type ShiftedMetric,
  statisticBounds,
} from "./statistic_bounds.ts";
import { unknownError } from "./unknown_errors.ts";

/** Rates whose time ends with the last response. */
export const RATES: readonly MetricTag[] = [
  "request_throughput",
  "output_token_throughput",
  "input_token_throughput",
  "total_token_throughput",
  "tokens_per_gpu",
];

/** Added to the read delay of the run's last chunk: it is the latest of many, and few canaries are near. */
const RUN_END_MS = 2;

/** Measurements from which the error of a run, or of a part of it, is computed. */
export interface MeasuredRequests {
  readonly table: RecordTable;
  readonly delays: DelaysByKind;
  readonly results: MetricResults;
  /** Rows of the table; undefined for all. */
  readonly rows?: readonly number[] | undefined;
  /** Whether rates are divided by a time that no response decides. @default false */
  readonly hasFixedWindow?: boolean;
  /** Whether canaries were sent; if none was read, hardly anything is known. @default false */
  readonly hasCanaries?: boolean;
}

/** The chunks with which times begin and end. */
const CHUNKS_OF: readonly (readonly [tag: MetricTag, chunks: readonly Shadow[]])[] = [
  ["request_latency", ["last"]],
  ["time_to_first_token", ["first"]],
  ["time_to_first_output_token", ["first", "second"]],
  ["time_to_second_token", ["first", "second"]],
  ["decode_duration", ["first", "last"]],
  ["inter_token_latency", ["first", "last"]],
  ["output_token_throughput_per_user", ["first", "last"]],
  ["interactivity", ["first", "last"]],
];

type Metrics = Map<MetricTag, Partial<Record<BoundedStatistic, StatisticError>>>;

/** Finds by how much canaries show each statistic to be off at most. */
export class ErrorFinder {
  readonly #measured: MeasuredRequests;
  readonly #startNs: Float64Array;
  readonly #contentEndNs: Float64Array;
  readonly #workers: Float64Array;
  readonly #piled: PiledChunks;
  readonly #columns = new Map<RecordMetricTag, Float64Array | undefined>();
  readonly #waits: Partial<Record<Shadow, Float64Array>> = {};
  /** Rows of valid requests. */
  readonly #rows: Uint32Array;
  /** Delays of the first, second and last chunks of some rows: most metrics are about the same. */
  readonly #delays = new Map<Uint32Array, Map<Shadow, ReadDelays>>();

  constructor(measured: MeasuredRequests) {
    this.#measured = measured;
    const { rows, table } = measured;
    this.#startNs = this.#valuesOf(table.startNs);
    this.#contentEndNs = this.#valuesOf(table.contentEndNs);
    this.#workers = this.#valuesOf(table.workers);
    this.#piled = new PiledChunks(table, (column) => this.#valuesOf(column));
    this.#rows = rowsWith(this.#startNs, rows === undefined ? undefined : Uint32Array.from(rows));
  }

  /**
   * Returns the values of a column. Those of a whole table are released once the error is computed;
   * its parts need them again.
   */
  #valuesOf(column: StoredColumn): Float64Array {
    return this.#measured.rows === undefined ? column.copy() : column.values;
  }

  #column(tag: RecordMetricTag): Float64Array | undefined {
    if (!this.#columns.has(tag)) {
      const { rows, table } = this.#measured;
      this.#columns.set(tag, rows === undefined ? table.copyOf(tag) : table.column(tag));
    }
    return this.#columns.get(tag);
  }

  /**
   * Bounds of the read delays of some chunks.
   * @param usesTurns whether event-loop iterations limit them, which is recorded of first, second and
   * last chunks only
   */
  #readDelays(
    rows: Uint32Array,
    stampNs: (row: number) => number,
    kind: Shadow,
    piledKinds: readonly Shadow[] = [kind],
    usesTurns = true,
  ): ReadDelays {
    const { delays, table } = this.#measured;
    const waits = this.#waits[kind] ??= this.#valuesOf(table.waits[kind]);
    const isTold = usesTurns && delays.areTurnsTrusted;
    const workers = valuesAt(rows, (row) => this.#workers[row] as number);
    const stamps = valuesAt(rows, stampNs);
    const atMostNs = valuesAt(rows, (row, at) => {
      const [worker, stamp] = [workers[at] as number, stamps[at] as number];
      // Not written before its request began.
      const sinceStartNs = stamp - (this.#startNs[row] as number);
      const mostNs = isTold ? (waits[row] as number) + delays.longerNs(worker, stamp) : NaN;
      return mostNs < sinceStartNs ? mostNs : sinceStartNs;
    });
    const { meanMs, latestMs } = readDelays({ workers, stampNs: stamps, atMostNs }, kind, delays);
    const piledMs = valuesAt(rows, (row) => {
      let mostNs = 0;
      for (const each of piledKinds) mostNs = Math.max(mostNs, this.#piled.mostNs(each, row));
      return mostNs / 1e6;
    });
    const withPiled = (ms: number, at: number): number => ms + (piledMs[at] as number);
    return { meanMs: meanMs.map(withPiled), latestMs: latestMs.map(withPiled) };
  }

  /** Bounds of the read delays of first, second or last chunks, computed once for the same rows. */
  #delaysAt(
    rows: Uint32Array,
    stampNs: (row: number) => number,
    kind: Shadow,
  ): ReadDelays {
    const known = this.#delays.get(rows) ?? new Map<Shadow, ReadDelays>();
    this.#delays.set(rows, known);
    const found = known.get(kind) ?? this.#readDelays(rows, stampNs, kind);
    known.set(kind, found);
    return found;
  }

  /** Undefined if the delay of no request's end is known. */
  metrics(): Metrics | undefined {
    const ends = this.#contentEndNs;
    const starts = this.#startNs;
    const ttft = this.#column("time_to_first_token");
    const second = this.#column("time_to_second_token");
    const firstNs = (row: number) => (starts[row] as number) + (ttft?.[row] as number) * 1e6;
    const secondNs = (row: number) => firstNs(row) + (second?.[row] as number) * 1e6;
    const lastNs = (row: number) => ends[row] as number;
    const metrics: Metrics = new Map();

    const latencyRows = this.#rowsWith("request_latency");
    const last = this.#delaysAt(latencyRows, lastNs, "last");
    this.#add(metrics, "request_latency", latencyRows, last, undefined);
    for (const tag of ["time_to_first_token", "time_to_first_output_token"] as const) {
      const rows = this.#rowsWith(tag);
      const values = this.#column(tag);
      const stampNs = (row: number) => (starts[row] as number) + (values?.[row] as number) * 1e6;
      const found = tag === "time_to_first_token"
        ? this.#delaysAt(rows, stampNs, "first")
        // The first chunk of output may be any chunk of the reply.
        : this.#readDelays(rows, stampNs, "first", ["first", "last"], false);
      this.#add(metrics, tag, rows, found, undefined);
    }
    const secondRows = this.#rowsWith("time_to_second_token");
    this.#add(
      metrics,
      "time_to_second_token",
      secondRows,
      this.#delaysAt(secondRows, secondNs, "second"),
      this.#delaysAt(secondRows, firstNs, "first"),
    );
    const decodeRows = this.#rowsWith("decode_duration");
    const decodeEnd = this.#delaysAt(decodeRows, lastNs, "last");
    const decodeStart = this.#delaysAt(decodeRows, firstNs, "first");
    this.#add(metrics, "decode_duration", decodeRows, decodeEnd, decodeStart);
    this.#addPerToken(metrics, lastNs, firstNs);
    this.#forgetUntold(metrics);
    this.#addRates(metrics);
    return metrics;
  }

  /**
   * Widens times that begin or end with chunks whose delay canaries do not show: only their certain
   * bounds are known.
   */
  #forgetUntold(metrics: Metrics): void {
    const { delays: { untold }, results } = this.#measured;
    for (const [tag, kinds] of CHUNKS_OF) {
      const error = kinds.some((kind) => untold.includes(kind))
        ? unknownError(results, tag)
        : undefined;
      if (error !== undefined) metrics.set(tag, error);
    }
  }

  #addPerToken(
    metrics: Metrics,
    lastNs: (row: number) => number,
    firstNs: (row: number) => number,
  ): void {
    const { results } = this.#measured;
    const rows = this.#rowsWith("inter_token_latency");
    const itl = this.#column("inter_token_latency");
    const decode = this.#column("decode_duration");
    if (rows.length === 0 || itl === undefined || decode === undefined) return;
    const divisors = this.#divisorsOf(rows, itl, decode);
    const later = this.#delaysAt(rows, lastNs, "last");
    const earlier = this.#delaysAt(rows, firstNs, "first");
    const metric = this.#add(metrics, "inter_token_latency", rows, later, earlier, divisors);
    if (metric === undefined) return;
    const pooled = valueOf(results, "interactivity");
    if (pooled !== undefined) {
      metrics.set("interactivity", { avg: judged(pooled, pooledRateBounds(metric, pooled)) });
    }
    const summary = distributionOf(results, "output_token_throughput_per_user");
    if (summary === undefined) return;
    const bounds = rateBounds({ ...metric, summary });
    metrics.set("output_token_throughput_per_user", judgedBounds(summary, bounds));
  }

  /**
   * Divisors of the times between tokens. Those of several choices are scaled: the read delay of a last
   * chunk is a part of the time of one choice, not of the sum over all.
   */
  #divisorsOf(rows: Uint32Array, itl: Float64Array, decode: Float64Array): Divisors {
    const { divisors: { tokens, least, most } } = this.#measured.table;
    const counts = this.#valuesOf(tokens);
    const scaled = (limits: Float64Array): Float64Array =>
      valuesAt(rows, (row) => {
        const count = counts[row] as number;
        // Where chunks came all at once, 0 is divided by 0.
        const own = (decode[row] as number) / (itl[row] as number) || count;
        return own * (limits[row] as number) / count;
      });
    return {
      tokens: scaled(counts),
      least: scaled(this.#valuesOf(least)),
      most: scaled(this.#valuesOf(most)),
    };
  }

  #addRates(metrics: Metrics): void {
    const { hasFixedWindow, results } = this.#measured;
    const seconds = valueOf(results, "benchmark_duration");
    if (seconds === undefined) return;
    const lateSeconds = hasFixedWindow ? 0 : this.#lastEndDelayMs() / 1e3;
    for (const tag of RATES) {
      const rate = valueOf(results, tag);
      if (rate === undefined) continue;
      const upper = lateSeconds < seconds ? rate / (1 - lateSeconds / seconds) : UNBOUNDED;
      metrics.set(tag, { avg: judged(rate, { lower: rate, upper }) });
    }
  }

  /**
   * Returns the maximum delay of the end of the run's last request, with which the last part ends,
   * too.
   */
  #lastEndDelayMs(): number {
    const { delays, table } = this.#measured;
    const [starts, ends] = [table.allStartNs.values, table.allEndNs.values];
    let [last, lastNs] = [0, -Infinity];
    ends.forEach((end, row) => {
      const contentEnd = this.#contentEndNs[row] as number;
      const own = Number.isNaN(contentEnd) ? end : contentEnd;
      if (own > lastNs) [last, lastNs] = [row, own];
    });
    // Not written before its request began.
    const sinceStartMs = (lastNs - (starts[last] as number)) / 1e6;
    if (delays.untold.includes("last")) return sinceStartMs;
    const isValid = !Number.isNaN(this.#contentEndNs[last]);
    const { latestMs } = isValid
      ? this.#readDelays(Uint32Array.of(last), () => lastNs, "last")
      : readDelays(
        {
          workers: Float64Array.of(this.#workers[last] as number),
          stampNs: Float64Array.of(lastNs),
          atMostNs: Float64Array.of(sinceStartMs * 1e6),
        },
        "last",
        delays,
      );
    return Math.min(sinceStartMs, (latestMs[0] as number) + RUN_END_MS);
  }

  #rowsWith(tag: RecordMetricTag): Uint32Array {
    const values = this.#column(tag);
    if (values === undefined) return new Uint32Array(0);
    const rows = rowsWith(values, this.#rows);
    return [this.#rows, ...this.#delays.keys()].find((known) => areEqual(known, rows)) ?? rows;
  }

  /** Adds the bounds of a metric; undefined if there are none, else what they were found from. */
  #add(
    metrics: Metrics,
    tag: RecordMetricTag,
    rows: Uint32Array,
    later: ReadDelays,
    earlier: ReadDelays | undefined,
    divisors?: Divisors,
  ): ShiftedMetric | undefined {
    const summary = distributionOf(this.#measured.results, tag);
    const column = this.#column(tag);
    if (summary === undefined || column === undefined) return undefined;
    const values = valuesAt(rows, (row) => column[row] as number);
    const metric = { summary, values, divisors, later, earlier };
    metrics.set(tag, judgedBounds(summary, statisticBounds(metric)));
    return metric;
  }
}

/** Returns the given rows, or all rows, that have a value. */
function rowsWith(values: Float64Array, rows?: Uint32Array): Uint32Array {
  const found = new Uint32Array(rows?.length ?? values.length);
  let count = 0;
  for (let at = 0; at < found.length; at++) {
    const row = rows?.[at] ?? at;
    if (!Number.isNaN(values[row])) found[count++] = row;
  }
  return found.subarray(0, count);
}

function areEqual(a: Uint32Array, b: Uint32Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** A value of each row. `Float64Array.from` would make a list of them first. */
function valuesAt(rows: Uint32Array, value: (row: number, at: number) => number): Float64Array {
  const values = new Float64Array(rows.length);
  for (let at = 0; at < rows.length; at++) values[at] = value(rows[at] as number, at);
  return values;
}

function judgedBounds(
  summary: Readonly<Record<BoundedStatistic, number>>,
  bounds: StatisticBounds,
): Record<BoundedStatistic, StatisticError> {
  return Object.fromEntries(
    BOUNDED_STATISTICS.map((name) => [name, judged(summary[name], bounds[name])]),
  ) as Record<BoundedStatistic, StatisticError>;
}
