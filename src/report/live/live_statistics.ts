/**
 * Statistics of the active phase, updated record by record on the thread that holds the records.
 * They are counts in buckets: the cost of a record does not grow with the run.
 */

import { CANARY_FIELD_COUNT, CANARY_KIND } from "../../measurement/canary/canary_kind.ts";
import type { RecordMetricTag } from "../../measurement/metrics/record_metrics.ts";
import { isGood } from "../../measurement/metrics/objectives.ts";
import type { RecordTable } from "../../measurement/metrics/record_table.ts";
import {
  isCancelled,
  isValid,
  type RequestRecord,
} from "../../measurement/metrics/request_record.ts";
import { ErrorGroups } from "../model/error_groups.ts";
import { LogBuckets } from "../../core/statistics/log_buckets.ts";
import { BoundedHistogram } from "./bounded_histogram.ts";
import type { LiveCanaries, LiveResults, LiveTimes } from "./live_model.ts";
import { RecentBuckets } from "./recent_buckets.ts";

/** Groups of failures that are shown. */
const MAX_ERRORS = 8;
const TTFT_BOUNDS = [
  ...[0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20],
  ...[40, 80, 160, 640, 2560],
];
const ITL_BOUNDS = [
  ...[0.001, 0.0025, 0.005, 0.0075, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5],
  ...[0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80],
];
const LATENCY_BOUNDS = [
  ...[0.05, 0.1, 0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480],
  ...[960, 1920, 7680],
];
const DELAY_BOUNDS = [
  ...[0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1],
];

/** Times of one kind. */
class Times {
  readonly #all = new LogBuckets();
  readonly #recent = new RecentBuckets();
  readonly #histogram: BoundedHistogram;

  constructor(bounds: readonly number[]) {
    this.#histogram = new BoundedHistogram(bounds);
  }

  add(ms: number, atSeconds: number): void {
    if (Number.isNaN(ms)) return;
    this.#all.add(ms);
    this.#recent.add(ms, atSeconds);
    this.#histogram.add(ms / 1e3);
  }

  at(atSeconds: number): LiveTimes {
    const recent = this.#recent.at(atSeconds);
    return {
      count: this.#all.count,
      p50Ms: this.#all.percentile(50),
      p99Ms: this.#all.percentile(99),
      recentP50Ms: recent.percentile(50),
      recentP99Ms: recent.percentile(99),
      histogram: this.#histogram.data,
    };
  }
}

/** See the module's comment. */
export class LiveStatistics {
  readonly #phase: LiveResults["phase"];
  readonly #table: RecordTable;
  readonly #places: Readonly<Record<"ttft" | "itl" | "latency" | "slip", number>>;
  readonly #ttft = new Times(TTFT_BOUNDS);
  readonly #itl = new Times(ITL_BOUNDS);
  readonly #latency = new Times(LATENCY_BOUNDS);
  readonly #slip = new LogBuckets();
  readonly #errors = new ErrorGroups();
  readonly #met: number[];
  #valid = 0;
  #good = 0;
  readonly #delays = new LogBuckets();
  readonly #delayHistogram = new BoundedHistogram(DELAY_BOUNDS);
  readonly #workerDelays: LogBuckets[];
  #stallNs = 0;

  /**
   * @param table of a phase of the run: its metrics and objectives are meant, not its rows
   * @param workers number of load workers
   */
  constructor(phase: LiveResults["phase"], table: RecordTable, workers: number) {
    this.#phase = phase;
    this.#table = table;
    const placeOf = (tag: RecordMetricTag): number =>
      table.metrics.findIndex((metric) => metric.tag === tag);
    this.#places = {
      ttft: placeOf("time_to_first_token"),
      itl: placeOf("inter_token_latency"),
      latency: placeOf("request_latency"),
      slip: placeOf("send_slip"),
    };
    this.#met = table.options.objectives.map(() => 0);
    this.#workerDelays = Array.from({ length: workers }, () => new LogBuckets());
  }

  /**
   * Adds a record.
   * @param values of the run's metrics for it
   * @param error why it failed
   * @param atSeconds when, on any monotonic clock
   */
  add(
    record: RequestRecord,
    values: Float64Array,
    error: string | undefined,
    atSeconds: number,
  ): void {
    if (isCancelled(record)) return;
    this.#slip.add(values[this.#places.slip] ?? NaN);
    if (!isValid(record)) {
      this.#errors.add(record.errorKind, record.status, error ?? "");
      return;
    }
    this.#valid++;
    const { metrics, options: { objectives } } = this.#table;
    objectives.forEach((objective, at) => {
      if (isGood(record, [objective], metrics)) this.#met[at] = (this.#met[at] as number) + 1;
    });
    if (isGood(record, objectives, metrics)) this.#good++;
    this.#ttft.add(values[this.#places.ttft] ?? NaN, atSeconds);
    this.#itl.add(values[this.#places.itl] ?? NaN, atSeconds);
    this.#latency.add(values[this.#places.latency] ?? NaN, atSeconds);
  }

  /** Adds the canaries that a worker read; see {@linkcode CANARY_FIELDS}. */
  addCanaries(worker: number, rows: Float64Array): void {
    for (let at = 0; at < rows.length; at += CANARY_FIELD_COUNT) {
      const [kind, intendedNs, writtenNs, readNs] = rows.subarray(at, at + 4) as unknown as [
        number,
        number,
        number,
        number,
      ];
      if (kind === CANARY_KIND.stall) {
        this.#stallNs += readNs - intendedNs;
        continue;
      }
      if (kind === CANARY_KIND.contradiction) continue;
      const delayMs = Math.max(0, readNs - writtenNs) / 1e6;
      this.#delays.add(delayMs);
      this.#workerDelays[worker]?.add(delayMs);
      this.#delayHistogram.add(delayMs / 1e3);
    }
  }

  /** Returns the current results. */
  at(atSeconds: number, servers: Pick<LiveResults, "servers" | "levels">): LiveResults {
    const errors = this.#errors.all;
    const errorKinds: Record<string, number> = {};
    for (const { kind, count } of errors) errorKinds[kind] = (errorKinds[kind] ?? 0) + count;
    return {
      phase: this.#phase,
      errorKinds,
      valid: this.#valid,
      good: this.#good,
      ttft: this.#ttft.at(atSeconds),
      itl: this.#itl.at(atSeconds),
      latency: this.#latency.at(atSeconds),
      sendSlipP99Ms: this.#slip.percentile(99),
      objectives: this.#table.options.objectives.map(({ metric, threshold }, at) => ({
        tag: metric.tag,
        threshold,
        unit: metric.unit,
        metShare: (this.#met[at] as number) / this.#valid,
      })),
      errors: errors.slice(0, MAX_ERRORS).map(({ kind, status, message, count }) => (
        { kind, status, message, count }
      )),
      canaries: this.#canaries,
      workerDelaysMs: this.#workerDelays.map((delays) => delays.percentile(99)),
      ...servers,
    };
  }

  get #canaries(): LiveCanaries {
    return {
      count: this.#delays.count,
      p50Ms: this.#delays.percentile(50),
      p99Ms: this.#delays.percentile(99),
      maxMs: this.#delays.max,
      histogram: this.#delayHistogram.data,
      stallSeconds: this.#stallNs / 1e9,
    };
  }
}
