import type { Shadow } from "../canary/canary_kind.ts";
import { distributionOf, type MetricResults, valueOf } from "../metrics/compute_results.ts";
import type { MetricTag } from "../metrics/metric_tag.ts";
import type { RecordMetricTag } from "../metrics/record_metrics.ts";
import type { RecordTable } from "../metrics/record_table.ts";
import type { StoredColumn } from "../statistics/stored_column.ts";
import { UNBOUNDED } from "../statistics/unbounded.ts";
import {
  BOUNDED_STATISTICS,
  type BoundedStatistic,
  type StatisticBounds,
} from "./bounded_statistics.ts";
import { longestWithin } from "./canary_delays.ts";
import type { DelaysByKind } from "./delays_by_kind.ts";
import { nearestDelays } from "./canary_windows.ts";
import { areOfFirstWave } from "./first_wave.ts";
import type { RequestTimes } from "./last_factor.ts";
import { type LocalDelays, localDelays } from "./local_delays.ts";
import { judged, type StatisticError } from "./measurement_error.ts";
import { perUserErrors } from "./per_user_errors.ts";
import { PiledChunks, receivedRates } from "./piled_chunks.ts";
import { receivedBounds, type ReceivedValues } from "./received_bounds.ts";
import { SETTLED_NS } from "./standstills.ts";
import { statisticBounds } from "./statistic_bounds.ts";
import { unknownError } from "./unknown_errors.ts";

/** Rates whose time ends with the last response. */
export const RATES: readonly MetricTag[] = [
  "request_throughput",
  "output_token_throughput",
  "input_token_throughput",
  "total_token_throughput",
];

/** What the error of a run, or of a part of it, is found from. */
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

/** Of more chunks than this, each by itself is not asked: canaries are many then, and sorting is slow. */
const MAX_TELLING = 100_000;
/**
 * A delay is not longer than so many times the longest of the canaries nearest to it, or than the longest
 * of those of a second before and after it.
 */
const MAX_FACTOR = 4;
/**
 * Of threads that lost more of their time than a burst makes them lose by itself, it is not longer
 * than what its thread lost in so long a time before it was read.
 */
const STARVED_SHARE = 0.3;
const LATE_NS = 1e9;
/**
 * The last response may be so late in any case: it is one of many chunks, and few canaries are near it.
 * Of 2,407 runs it was later than canaries told in 142, in 53 of them by less than this.
 */
const LAST_NS = 4e6;

/** The chunks with which times begin and end. */
const CHUNKS_OF: readonly (readonly [tag: MetricTag, chunks: readonly Shadow[]])[] = [
  ["request_latency", ["last"]],
  ["time_to_first_token", ["first"]],
  ["time_to_first_output_token", ["first", "second"]],
  ["time_to_second_token", ["first", "second"]],
  ["decode_duration", ["first", "last"]],
  ["inter_token_latency", ["first", "last"]],
  ["output_token_throughput_per_user", ["first", "last"]],
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
  readonly #delays = new Map<Uint32Array, Map<Shadow, LocalDelays | undefined>>();

  constructor(measured: MeasuredRequests) {
    this.#measured = measured;
    const { rows, table } = measured;
    this.#startNs = this.#valuesOf(table.startNs);
    this.#contentEndNs = this.#valuesOf(table.contentEndNs);
    this.#workers = this.#valuesOf(table.workers);
    this.#piled = new PiledChunks(table, (column) => this.#valuesOf(column));
    this.#rows = rowsWith(this.#startNs, rows === undefined ? undefined : Uint32Array.from(rows));
  }

  /** Of a whole table the numbers go when the error is found; its parts need them again. */
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

  /** The most that chunks can have lain unread, as far as canaries near them do not contradict it. */
  #waitsOf(
    rows: Uint32Array,
    stampNs: (row: number) => number,
    kind: Shadow,
  ): { atMostNs?: Float64Array } {
    const { delays, table } = this.#measured;
    if (!delays.areTurnsTrusted || rows.length > MAX_TELLING) return {};
    const waits = this.#waits[kind] ??= this.#valuesOf(table.waits[kind]);
    let isAnyKnown = false;
    const atMostNs = valuesAt(rows, (row) => {
      const [wait, atNs] = [waits[row] as number, stampNs(row)];
      const mostNs = wait + delays.longerNs(this.#workers[row] as number, atNs);
      isAnyKnown ||= mostNs < Infinity;
      // Not written before its request began; where turns say nothing of it, the other is not a number.
      const sinceStartNs = atNs - (this.#startNs[row] as number);
      return mostNs < sinceStartNs ? mostNs : sinceStartNs;
    });
    return isAnyKnown ? { atMostNs } : {};
  }

  /** How long some chunks lay unread. */
  #delaysOf(
    rows: Uint32Array,
    stampNs: (row: number) => number,
    kind: Shadow,
    waits: { readonly atMostNs?: Float64Array },
  ): LocalDelays | undefined {
    const { delays } = this.#measured;
    const requests = this.#requests();
    const { workers } = requests;
    return localDelays(
      {
        workers: valuesAt(rows, (row) => workers[row] as number),
        stampNs: valuesAt(rows, stampNs),
        stoodNs: delays.standstills.any
          ? valuesAt(rows, (row) => this.#stoodNs(row, stampNs(row)))
          : undefined,
        ...waits,
        areOfFirstWave: areOfFirstWave(rows, requests, delays.firstWave(requests)),
      },
      kind,
      delays,
      kind === "last" ? delays.lastFactor(requests) : 1,
    );
  }

  /** So long at most a chunk of a row lay unread because its thread stood still. */
  #stoodNs(row: number, stampNs: number): number {
    const { standstills } = this.#measured.delays;
    return standstills.mostNs(this.#workers[row] as number, this.#startNs[row] as number, stampNs);
  }

  /** All requests of the run: those of a part say little of how many streams a thread has. */
  #requests(): RequestTimes {
    return {
      ...{ startNs: this.#startNs, endNs: this.#contentEndNs, workers: this.#workers },
      ttftMs: this.#column("time_to_first_token"),
      itlMs: this.#column("inter_token_latency"),
    };
  }

  /** The same of chunks of a kind, found once for the same rows. */
  #delaysAt(
    rows: Uint32Array,
    stampNs: (row: number) => number,
    kind: Shadow,
  ): LocalDelays | undefined {
    const known = this.#delays.get(rows) ?? new Map<Shadow, LocalDelays | undefined>();
    this.#delays.set(rows, known);
    if (!known.has(kind)) {
      known.set(kind, this.#delaysOf(rows, stampNs, kind, this.#waitsOf(rows, stampNs, kind)));
    }
    return known.get(kind);
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
    if (last === undefined) return undefined;
    this.#add(metrics, "request_latency", latencyRows, last, undefined);
    for (const tag of ["time_to_first_token", "time_to_first_output_token"] as const) {
      const rows = this.#rowsWith(tag);
      const values = this.#column(tag);
      const stampNs = (row: number) => (starts[row] as number) + (values?.[row] as number) * 1e6;
      const found = tag === "time_to_first_token"
        ? this.#delaysAt(rows, stampNs, "first")
        : this.#delaysOf(rows, stampNs, "first", {});
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

  /** Of times that begin or end with chunks of which canaries tell nothing, only what is certain is known. */
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
    const tokens = this.#column("output_sequence_length");
    const divisors = valuesAt(rows, (row) => {
      // Of chunks that came all at once, 0 is divided by 0.
      const divisor = (decode[row] as number) / (itl[row] as number) ||
        (tokens?.[row] as number) - 1;
      return divisor >= 1 ? divisor : 1;
    });
    const later = this.#delaysAt(rows, lastNs, "last");
    const earlier = this.#delaysAt(rows, firstNs, "first");
    const received = this.#add(metrics, "inter_token_latency", rows, later, earlier, divisors);
    const summary = distributionOf(results, "output_token_throughput_per_user");
    if (summary === undefined || received === undefined || later === undefined) return;
    const errors = perUserErrors({
      ...{ summary, divisors, later, earlier: earlier as LocalDelays },
      itlMs: received.values,
      isPart: this.#measured.rows !== undefined,
    });
    const bounds = receivedBounds(errors as StatisticBounds, receivedRates(received));
    metrics.set("output_token_throughput_per_user", judgedBounds(summary, bounds));
  }

  /** The longest that one chunk can have been late: a little more than the canaries about it. */
  #latestNs(row: number, stampNs: number): number {
    const { delays } = this.#measured;
    const { all, lost } = delays;
    // Not written before its request began.
    if (delays.untold.includes("last")) return stampNs - (this.#startNs[row] as number);
    const worker = this.#workers[row] as number;
    const own = all.get(worker) ?? [...all.values()][0];
    if (own === undefined || delays.isUnwatched(worker, stampNs)) return Infinity;
    const nearest = nearestDelays(own, stampNs).reduce((most, delay) => Math.max(most, delay), 0);
    const recent = longestWithin(own, stampNs - LATE_NS, stampNs + LATE_NS);
    const most = Math.max(MAX_FACTOR * nearest, recent, LAST_NS);
    // What was written during a standstill is read soon after it.
    const sinceNs = stampNs - (lost.share > STARVED_SHARE ? LATE_NS : SETTLED_NS);
    const lostNs = lost.within(worker, sinceNs, stampNs);
    const unreadNs = Math.max(most + this.#stoodNs(row, stampNs), lostNs);
    return unreadNs + this.#piled.mostNs("last", row);
  }

  #addRates(metrics: Metrics): void {
    const { hasFixedWindow, results } = this.#measured;
    const seconds = valueOf(results, "benchmark_duration");
    if (seconds === undefined) return;
    const lateSeconds = hasFixedWindow ? 0 : this.#lastResponseLateNs() / 1e9;
    for (const tag of RATES) {
      const rate = valueOf(results, tag);
      if (rate === undefined) continue;
      const upper = lateSeconds < seconds ? rate / (1 - lateSeconds / seconds) : UNBOUNDED;
      metrics.set(tag, { avg: judged(rate, { lower: rate, upper }) });
    }
  }

  /** The same of the run's last response, with which its last part ends, too. */
  #lastResponseLateNs(): number {
    const ends = this.#contentEndNs;
    let last = 0;
    ends.forEach((end, row) => {
      if (!((ends[last] as number) >= end) && !Number.isNaN(end)) last = row;
    });
    return this.#latestNs(last, ends[last] as number);
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
    later: LocalDelays | undefined,
    earlier: LocalDelays | undefined,
    divisors?: Float64Array,
  ): ReceivedValues | undefined {
    const ttft = this.#column("time_to_first_token");
    const summary = distributionOf(this.#measured.results, tag);
    const column = this.#column(tag);
    if (summary === undefined || column === undefined || later === undefined) return undefined;
    const values = valuesAt(rows, (row) => column[row] as number);
    const bounds = statisticBounds({
      ...{ summary, values, divisors, later, earlier },
      isPart: this.#measured.rows !== undefined,
      // No server writes a chunk before the request starts.
      ...(earlier === undefined || ttft === undefined
        ? {}
        : { earlierAtMostMs: valuesAt(rows, (row) => ttft[row] as number) }),
    });
    // The first chunk of output is any of them.
    const ends = tag === "time_to_first_output_token" ? ["first", "last"] as const : [later.kind];
    const received = this.#piled.received(rows, values, ends, earlier?.kind, divisors);
    metrics.set(tag, judgedBounds(summary, receivedBounds(bounds, received)));
    return received;
  }
}

/** Those of some rows, or of all, that have a value. */
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
