import type { TimeWindow } from "../../core/statistics/sample_window.ts";
import { histogramSamples } from "../../telemetry/timeseries/histogram_samples.ts";
import { beginnings, restartTimesNs, sumOfIncreases } from "../../telemetry/timeseries/restarts.ts";
import { scalarWindow } from "../../telemetry/timeseries/scalar_window.ts";
import { HistogramSeries, ScalarSeries } from "../../telemetry/timeseries/series.ts";
import { withFlush } from "../../telemetry/timeseries/time_window.ts";
import type { RoleEndpoint, RoleInput } from "./role_figure.ts";

/**
 * Totals of a counter or a histogram whose process restarted in a window: sums of increases, where
 * the statistics of the series only have the difference of the last and the first value.
 * @returns undefined if the process did not restart, or several processes are behind the endpoint
 */
export function restartedTotals(
  { scrapes }: RoleEndpoint,
  { report, samples, type }: RoleInput,
  window: TimeWindow | undefined,
): Readonly<Record<string, number>> | undefined {
  if (scrapes === undefined || window === undefined || report === undefined) return undefined;
  const restartsNs = restartTimesNs(scrapes);
  if (restartsNs === undefined || (restartsNs.length === 0 && !report.reset)) return undefined;
  const seconds = (window.endNs - window.startNs) / 1e9;
  if (samples instanceof ScalarSeries && type === "counter") {
    const firstPageNs = scrapes.firstPageNs(samples);
    const grown = scalarWindow(samples.values, scrapes.timesNs, firstPageNs, withFlush(window));
    const began = grown === undefined ? [] : beginnings(grown, restartsNs);
    if (grown === undefined || !began.includes(true)) return undefined;
    return withRate("total", "rate", sumOfIncreases(grown, began), seconds);
  }
  if (!(samples instanceof HistogramSeries)) return undefined;
  const found = histogramSamples(
    samples,
    scrapes.timesNs,
    scrapes.firstPageNs(samples),
    withFlush(window),
    { unchanged: true },
  );
  if (found === undefined) return undefined;
  const { timesNs, window: { counts, sums } } = found;
  // The first sample is the reference.
  const began = beginnings({ timesNs, values: counts, reference: undefined }, restartsNs);
  if (!began.includes(true)) return undefined;
  const [count, sum] = [counts, sums].map((values) =>
    sumOfIncreases({ values, reference: undefined }, began)
  ) as [number, number];
  return {
    ...withRate("count", "count_rate", count, seconds),
    ...(count > 0 && Number.isFinite(sum)
      ? { ...withRate("sum", "sum_rate", sum, seconds), "avg": sum / count }
      : {}),
  };
}

function withRate(
  name: string,
  rateName: string,
  total: number,
  seconds: number,
): Record<string, number> {
  return { [name]: total, ...(seconds > 0 ? { [rateName]: total / seconds } : {}) };
}

/**
 * Whether the process behind an endpoint restarted in a window. Several processes that answer in turn did
 * not.
 */
export function hasRestarted(
  { scrapes, series }: RoleEndpoint,
  window: TimeWindow | undefined,
): boolean {
  const restartsNs = scrapes === undefined ? [] : restartTimesNs(scrapes);
  if (restartsNs === undefined) return false;
  const { startNs, endNs } = withFlush(window ?? { startNs: -Infinity, endNs: Infinity });
  return series.some(({ report }) => report?.reset) ||
    restartsNs.some((restartNs) => restartNs >= startNs && restartNs <= endNs);
}
