import { UNBOUNDED } from "../../core/statistics/unbounded.ts";
import { figuresOf, type MetricResults, valueOf } from "../metrics/metric_results.ts";
import type { MetricTag } from "../metrics/metric_tag.ts";
import type { RecordMetric } from "../metrics/record_metrics.ts";
import type { RecordTable } from "../metrics/record_table.ts";
import { judged, type MeasurementError, type StatisticError } from "./measurement_error.ts";

/** Units of metrics that late reads change. */
const TIMED = /^(ms|sec|.*\/sec.*)$/;

/** Measurements from which the bounds of good requests follow. */
export interface MeasuredGoods {
  readonly table: RecordTable;
  readonly results: MetricResults;
  /** Rows of the table; undefined for all. */
  readonly rows?: readonly number[] | undefined;
  /** The bounds of the metrics that objectives are about. */
  readonly metrics: MeasurementError["metrics"];
}

/** How far the true value of a metric may be from the one that was measured. */
interface Shift {
  readonly down: number;
  readonly up: number;
}

/**
 * Returns bounds of the number, the percentage and the rate of good requests. They count the
 * requests that meet every objective if the client shifted each by the client error bound of any
 * statistic of the metric, for the worse or for the better. Undefined without objectives.
 */
export function goodputBounds(
  measured: MeasuredGoods,
): [tag: MetricTag, errors: { avg: StatisticError }][] {
  const { table, results, metrics } = measured;
  const good = valueOf(results, "good_request_count");
  const { objectives } = table.options;
  if (objectives.length === 0 || good === undefined) return [];
  const { certain, possible } = countGoods(measured);
  const lower = Math.min(certain, good);
  const upper = Math.max(possible, good);
  const errors: [MetricTag, { avg: StatisticError }][] = [
    ["good_request_count", { avg: judged(good, { lower, upper }) }],
  ];
  const share = valueOf(results, "good_request_fraction");
  const completed = valueOf(results, "completed_request_count");
  if (share !== undefined && completed !== undefined) {
    const bounds = { lower: lower / completed, upper: Math.min(1, upper / completed) };
    errors.push(["good_request_fraction", { avg: judged(share, bounds) }]);
  }
  const goodput = valueOf(results, "goodput");
  const requests = valueOf(results, "request_count");
  const throughput = valueOf(results, "request_throughput");
  if (goodput !== undefined && requests !== undefined && throughput !== undefined) {
    // The time that rates are divided by: a slice has one of its own.
    const seconds = requests / throughput;
    const latest = metrics.get("request_throughput")?.avg?.upper ?? UNBOUNDED;
    // The last response may have been read late, which makes the time longer.
    const most = latest < UNBOUNDED ? upper / seconds * (latest / throughput) : UNBOUNDED;
    const bounds = {
      lower: Math.min(goodput, lower / seconds),
      upper: Math.max(goodput, most),
    };
    errors.push(["goodput", { avg: judged(goodput, bounds) }]);
  }
  return errors;
}

/** Requests that are good in any case, and those that may be. */
function countGoods(
  { table, results, rows, metrics }: MeasuredGoods,
): { certain: number; possible: number } {
  const tests = table.options.objectives.map(({ metric, threshold }) => {
    const { down, up } = shiftOf(metric, results, metrics);
    const values = rows === undefined ? table.copyOf(metric.tag) : table.column(metric.tag);
    const isLargerBetter = metric.flags.includes("LARGER_IS_BETTER");
    return (row: number): [certain: boolean, possible: boolean] => {
      const value = values?.[row] ?? NaN;
      return isLargerBetter
        ? [value - down >= threshold, value + up >= threshold]
        : [value + up <= threshold, value - down <= threshold];
    };
  });
  let certain = 0;
  let possible = 0;
  const count = rows?.length ?? table.length;
  for (let at = 0; at < count; at++) {
    const verdicts = tests.map((test) => test(rows?.[at] ?? at));
    if (verdicts.every(([isCertain]) => isCertain)) certain++;
    if (verdicts.every(([, isPossible]) => isPossible)) possible++;
  }
  return { certain, possible };
}

function shiftOf(
  metric: RecordMetric,
  results: MetricResults,
  metrics: MeasurementError["metrics"],
): Shift {
  if (!TIMED.test(metric.unit)) return { down: 0, up: 0 };
  const bounds = metrics.get(metric.tag);
  const result = results.get(metric.tag);
  if (bounds === undefined || result === undefined) return { down: Infinity, up: Infinity };
  const figures: Readonly<Record<string, unknown>> = { ...figuresOf(result) };
  const shifts = Object.entries(bounds).map(([name, { lower, upper }]): Shift => {
    const value = Number(figures[name]);
    return { down: value - lower, up: upper - value };
  });
  return {
    down: Math.max(...shifts.map(({ down }) => down)),
    up: Math.max(...shifts.map(({ up }) => up)),
  };
}
