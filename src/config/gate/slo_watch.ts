/**
 * Detects during a run that an objective can no longer be met: not even if all remaining requests
 * were perfect, answered at once and without an error.
 *
 * In a run that ends by time the number of remaining requests is unknown. Twice as many as the pace
 * so far predicts are then assumed, and nothing is reported before {@linkcode MIN_REQUESTS} are
 * answered.
 */

import { RECORD_METRICS, type RecordMetricTag } from "../../measurement/metrics/record_metrics.ts";
import { holds } from "./judge_slos.ts";
import type { Slo } from "./slo.ts";
import { unitOf, unitRatio } from "./unit.ts";

/** Requests that a run which ends by time must have answered before it may be called hopeless. */
export const MIN_REQUESTS = 100;
/** How much faster the rest of such a run may be than what went before. */
const PACE = 2;

/** Upper bound of the remaining requests. */
export interface Remainder {
  /** Number of requests to send in total; Infinity if only time ends the run. */
  readonly requestCount: number;
  /** Seconds in which requests are sent; Infinity where only their number ends the run. */
  readonly durationSeconds: number;
}

/** An answered request. */
export interface WatchedRequest {
  readonly isValid: boolean;
  readonly isGood: boolean;
  /** Seconds since the phase's start at which it started and ended. */
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** Returns the value of a metric, NaN for none. */
  value(tag: RecordMetricTag): number;
}

interface Watched {
  readonly slo: Slo;
  /** The threshold in the metric's own unit. */
  readonly threshold: number;
  /** Values that do not meet it, values at all, and their sum. */
  bad: number;
  count: number;
  sum: number;
}

/** See the module's comment. */
export class SloWatch {
  readonly #watched: readonly Watched[];
  readonly #remainder: Remainder;
  #valid = 0;
  #good = 0;
  #failed = 0;
  #firstSeconds = Infinity;
  #lastSeconds = 0;

  constructor(slos: readonly Slo[], remainder: Remainder) {
    this.#remainder = remainder;
    this.#watched = slos.filter(({ source }) => source === "client")
      .map((slo) => ({ slo, threshold: ownThreshold(slo), bad: 0, count: 0, sum: 0 }));
  }

  /** Adds a request of the profiling phase that was not cancelled. */
  add(request: WatchedRequest): void {
    if (request.startSeconds < this.#firstSeconds) this.#firstSeconds = request.startSeconds;
    if (request.endSeconds > this.#lastSeconds) this.#lastSeconds = request.endSeconds;
    if (request.isValid) this.#valid++;
    else this.#failed++;
    if (request.isGood) this.#good++;
    if (!request.isValid) return;
    for (const watched of this.#watched) {
      if (!isRecordMetric(watched.slo.metric)) continue;
      const value = request.value(watched.slo.metric);
      if (Number.isNaN(value)) continue;
      watched.count++;
      watched.sum += value;
      if (!meets(value, watched)) watched.bad++;
    }
  }

  /** Why the run is hopeless, in half a sentence; undefined while it is not known to be. */
  hopeless(): string | undefined {
    const rest = this.#mostToCome();
    // With nothing to come there is nothing to save.
    if (rest === undefined || rest <= 0) return undefined;
    const lost = this.#watched.find((watched) => this.#isLost(watched, rest));
    if (lost === undefined) return undefined;
    const { name, operator, threshold, unit } = lost.slo;
    const answered = this.#valid + this.#failed;
    return `${name} ${operator} ${threshold} ${unit}`.trim() +
      ` can no longer be met after ${answered} requests`;
  }

  /** Requests that may still be answered; undefined if nothing can be said yet. */
  #mostToCome(): number | undefined {
    const { requestCount, durationSeconds } = this.#remainder;
    const answered = this.#valid + this.#failed;
    const byCount = requestCount - answered;
    if (durationSeconds === Infinity) return byCount === Infinity ? undefined : byCount;
    if (answered < MIN_REQUESTS || this.#lastSeconds <= 0) {
      return byCount === Infinity ? undefined : byCount;
    }
    const left = Math.max(0, durationSeconds - this.#lastSeconds);
    return Math.min(byCount, Math.ceil(PACE * answered / this.#lastSeconds * left));
  }

  #isLost(watched: Watched, rest: number): boolean {
    const { slo: { metric, operator }, threshold } = watched;
    const wantsLittle = operator.startsWith("<");
    const answered = this.#valid + this.#failed;
    if (metric === "request_error_rate") {
      return wantsLittle && !meets(this.#failed / (answered + rest) * 100, watched);
    }
    if (metric === "error_request_count") return wantsLittle && !meets(this.#failed, watched);
    if (metric === "good_request_fraction") {
      return !wantsLittle && !meets((this.#good + rest) / (answered + rest), watched);
    }
    const most = metric === "request_throughput"
      ? this.#valid + rest
      : metric === "goodput"
      ? this.#good + rest
      : undefined;
    if (most !== undefined) {
      // They take at least as long as has gone by.
      const seconds = this.#lastSeconds - this.#firstSeconds;
      return !wantsLittle && seconds > 0 && this.#remainder.durationSeconds === Infinity &&
        threshold > 0 && !meets(most / seconds, watched);
    }
    return isRecordMetric(metric) && isStatisticLost(watched, rest);
  }
}

/** Whether a statistic misses its threshold even if every value to come is as good as can be. */
function isStatisticLost({ slo, threshold, bad, count, sum }: Watched, rest: number): boolean {
  const { statistic, operator } = slo;
  const wantsLittle = operator.startsWith("<");
  if (bad === 0) return false;
  const total = count + rest;
  if (statistic === (wantsLittle ? "max" : "min")) return true;
  if (statistic === "avg" && wantsLittle) return !meets(sum / total, { slo, threshold });
  const percent = /^p(\d+)$/.exec(statistic)?.[1];
  if (percent === undefined) return false;
  // Of sorted values, those that miss stand at the end (of the wanted order): the percentile is
  // between two neighbours, and misses for sure when the better one of them does.
  const p = wantsLittle ? Number(percent) : 100 - Number(percent);
  return total - bad <= Math.floor((total - 1) * (p / 100));
}

function meets(value: number, { slo, threshold }: Pick<Watched, "slo" | "threshold">): boolean {
  return holds(value, slo.operator, threshold);
}

const TAGS: ReadonlyMap<string, string> = new Map(
  RECORD_METRICS.map(({ tag, unit }) => [tag, unit]),
);
/** Units of the metrics of a whole run that are watched. */
const RUN_UNITS: Readonly<Record<string, string>> = {
  "request_error_rate": "%",
  "good_request_fraction": "ratio",
  "request_throughput": "requests/sec",
  "goodput": "requests/sec",
};

function isRecordMetric(metric: string): metric is RecordMetricTag {
  return TAGS.has(metric);
}

function ownThreshold({ metric, threshold, unit }: Slo): number {
  const [written, own] = [unitOf(unit), unitOf(TAGS.get(metric) ?? RUN_UNITS[metric] ?? "")];
  if (written === undefined || own === undefined) return threshold;
  return threshold * (unitRatio(written, own) ?? 1);
}
