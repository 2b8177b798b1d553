import { figuresOf, type MetricResults, valueOf } from "../metrics/metric_results.ts";
import type { MetricTag } from "../metrics/metric_tag.ts";
import { UNBOUNDED } from "../../core/statistics/unbounded.ts";
import { judged, type StatisticError } from "./measurement_error.ts";
import { BOUNDED_STATISTICS, type BoundedStatistic, CLOCK_MS } from "./bounded_statistics.ts";

/** Times from the start of a request to a read. */
const FROM_START: readonly MetricTag[] = [
  "request_latency",
  "time_to_first_token",
  "time_to_first_output_token",
];
/** Times between two reads, and statistics derived from them. */
const BETWEEN_READS: readonly MetricTag[] = [
  "time_to_second_token",
  "decode_duration",
  "inter_token_latency",
  "output_token_throughput_per_user",
  "interactivity",
];

type StatisticErrors = Partial<Record<BoundedStatistic, StatisticError>>;

/**
 * Bounds where no canary was read, as in runs of some milliseconds: what holds of any client. Nothing
 * is read before it was written, so times from the start of a request are at most what was measured,
 * and rates at least that.
 * @param rates those whose time ends with the last response
 */
export function unknownErrors(
  results: MetricResults,
  rates: readonly MetricTag[],
): Map<MetricTag, StatisticErrors> {
  const errors = new Map<MetricTag, StatisticErrors>();
  for (const tag of [...FROM_START, ...BETWEEN_READS]) {
    const error = unknownError(results, tag);
    if (error !== undefined) errors.set(tag, error);
  }
  for (const tag of rates) {
    const rate = valueOf(results, tag);
    if (rate !== undefined) {
      errors.set(tag, { avg: judged(rate, { lower: rate, upper: UNBOUNDED }) });
    }
  }
  return errors;
}

/** Bounds of one such metric; undefined where it has no statistics. */
export function unknownError(results: MetricResults, tag: MetricTag): StatisticErrors | undefined {
  const result = results.get(tag);
  if (result === undefined) return undefined;
  const figures = figuresOf(result);
  return Object.fromEntries(
    BOUNDED_STATISTICS.filter((name) => figures[name] !== undefined).map((name) => {
      const value = Number(figures[name]);
      const upper = FROM_START.includes(tag) ? value + CLOCK_MS : UNBOUNDED;
      return [name, judged(value, { lower: 0, upper })];
    }),
  );
}
