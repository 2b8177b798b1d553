/** Statistics of counts and times that several instances have together. */

import { counterStatistics } from "../../core/statistics/counter_statistics.ts";
import type { HistogramEstimator } from "../../core/statistics/histogram/histogram_estimator.ts";
import {
  type Bucket,
  histogramStatistics,
} from "../../core/statistics/histogram/histogram_statistics.ts";
import type { PercentileBounds } from "../../core/statistics/histogram/percentile_bounds.ts";
import type { TimeWindow } from "../../core/statistics/sample_window.ts";
import { SUMMARY_PERCENTILES } from "../../core/statistics/summarize.ts";
import type { RoleName } from "../../telemetry/engines/roles.ts";
import { ROLES } from "../../telemetry/engines/roles.ts";
import { mergedHistogram } from "../../telemetry/timeseries/merged_histogram.ts";
import { scalarWindow } from "../../telemetry/timeseries/scalar_window.ts";
import { HistogramSeries, ScalarSeries } from "../../telemetry/timeseries/series.ts";
import { withFlush } from "../../telemetry/timeseries/time_window.ts";
import { idleInstances, instanceKey } from "./instance_key.ts";
import { restartedTotals } from "./restarted_totals.ts";
import type { RoleFigure, RoleInput, RolePart } from "./role_figure.ts";

/** Window and estimator of statistics. */
export interface TotalOptions {
  /** undefined if only the statistics of series are known. */
  readonly window: TimeWindow | undefined;
  readonly estimator: HistogramEstimator | undefined;
  readonly models: readonly string[];
}

type Statistics = Pick<RoleFigure, "stats" | "bounds" | "buckets" | "by" | "idleInstances">;

/** Increase of a role over a run; undefined if no instance has one. */
export function countFigure(
  role: RoleName,
  parts: readonly RolePart[],
  { window, models }: TotalOptions,
): Statistics | undefined {
  const by: Record<string, number> = {};
  const totals: number[] = [];
  const seen: { readonly key: string; readonly isIdle: boolean }[] = [];
  for (const part of parts) {
    const { source } = part;
    const increases = part.series.map((series) => increaseOf(role, part, series, window));
    const known = increases.filter((increase) => increase !== undefined);
    if (known.length === 0 && increases.length > 0) continue;
    part.series.forEach((series, at) => {
      if (increases[at] === undefined) return;
      seen.push({ key: instanceKey(part, series), isIdle: increases[at] === 0 });
    });
    const isOfOneModel = source.perModel === true && !isAsked(part, models);
    // Of the steps of an ensemble, none counts more requests than the ensemble.
    totals.push(isOfOneModel ? Math.max(...known) : known.reduce((sum, one) => sum + one, 0));
    if (source.label === undefined) continue;
    part.series.forEach(({ labels }, at) => {
      const value = labels.find(([label]) => label === source.label)?.[1] ?? "";
      by[value] = (by[value] ?? 0) + (increases[at] ?? 0);
    });
  }
  if (totals.length === 0) return undefined;
  const total = totals.reduce((sum, one) => sum + one, 0);
  const seconds = window === undefined ? 0 : (window.endNs - window.startNs) / 1e9;
  return {
    stats: { "total": total, ...(seconds > 0 ? { "rate": total / seconds } : {}) },
    idleInstances: idleInstances(seen),
    ...(parts.some(({ source }) => source.label !== undefined) ? { by } : {}),
  };
}

function isAsked({ series }: RolePart, models: readonly string[]): boolean {
  return series.some(({ labels }) =>
    labels.some(([label, value]) => label === "model" && models.includes(value))
  );
}

/** Increase of a series; of a histogram, that of its sum or its number of observations. */
function increaseOf(
  role: RoleName,
  { endpoint }: RolePart,
  input: RoleInput,
  window: TimeWindow | undefined,
): number | undefined {
  const { report, samples } = input;
  const { scrapes } = endpoint;
  const stats = { ...report?.stats, ...restartedTotals(endpoint, input, window) };
  if (stats["total"] !== undefined) return stats["total"];
  if (stats["count"] !== undefined) {
    return ROLES[role].ofHistogram === "count" ? stats["count"] : stats["sum"] ?? 0;
  }
  // A gauge that only grows, or a page that does not say what its metrics are.
  if (!(samples instanceof ScalarSeries) || scrapes === undefined || window === undefined) {
    return stats["max"] === undefined ? undefined : stats["max"] - (stats["min"] ?? 0);
  }
  const grown = scalarWindow(
    samples.values,
    scrapes.timesNs,
    scrapes.firstPageNs(samples),
    withFlush(window),
  );
  return grown && counterStatistics(grown, window, undefined).total;
}

/**
 * Mean and percentiles of times: the sum of sums by the sum of counts, and percentiles of the buckets
 * of all instances where these have the same bounds.
 */
export function timeFigure(
  parts: readonly RolePart[],
  options: TotalOptions,
): Statistics | undefined {
  const inputs = parts.flatMap((part) =>
    part.series.flatMap((series) => {
      const { report } = series;
      if (report?.stats["count"] === undefined) return [];
      const totals = restartedTotals(part.endpoint, series, options.window);
      const stats = totals === undefined ? report.stats : { ...report.stats, ...totals };
      return [{ part, series, report: { ...report, stats } }];
    })
  );
  if (inputs.length === 0) return undefined;
  const busy = inputs.filter(({ report }) => (report.stats["count"] ?? 0) > 0);
  const idle = idleInstances(inputs.map(({ part, report, series }) => ({
    key: instanceKey(part, series),
    isIdle: !((report.stats["count"] ?? 0) > 0),
  })));
  const [only, ...others] = busy;
  if (only !== undefined && others.length === 0) {
    const { stats, bounds, buckets } = only.report;
    return { idleInstances: idle, stats, bounds, buckets };
  }
  const total = (name: string) =>
    busy.reduce((sum, { report }) => sum + (report.stats[name] ?? NaN), 0);
  const [count, sum] = [total("count"), total("sum")];
  const known = { "count": count, "sum": sum, "avg": sum / count };
  const rates = { "count_rate": total("count_rate"), "sum_rate": total("sum_rate") };
  return {
    idleInstances: idle,
    stats: finite({ ...known, ...rates, ...estimatesOf(busy, options)?.stats }),
    bounds: estimatesOf(busy, options)?.bounds,
    buckets: summedBuckets(busy.map(({ report }) => report.buckets)),
  };
}

function finite(stats: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(stats).filter(([, value]) => Number.isFinite(value)));
}

function estimatesOf(
  busy: readonly { readonly part: RolePart; readonly series: RoleInput }[],
  { window, estimator }: TotalOptions,
): Pick<RoleFigure, "stats" | "bounds"> | undefined {
  if (window === undefined || estimator === undefined) return undefined;
  const instances = busy.flatMap(({ part: { endpoint: { scrapes } }, series: { samples } }) =>
    samples instanceof HistogramSeries && scrapes !== undefined
      ? [{ series: samples, timesNs: scrapes.timesNs, firstPageNs: scrapes.firstPageNs(samples) }]
      : []
  );
  if (instances.length < busy.length) return undefined;
  const merged = mergedHistogram(instances, withFlush(window));
  if (merged === undefined) return undefined;
  const { percentiles, percentileBounds } = histogramStatistics(
    merged.window,
    merged.timesNs,
    window,
    estimator,
    undefined,
  );
  const stats: Record<string, number> = {};
  const bounds: Record<string, PercentileBounds> = {};
  SUMMARY_PERCENTILES.forEach((p, at) => {
    const [value, limits] = [percentiles?.[at], percentileBounds?.[at]];
    if (value !== undefined && Number.isFinite(value)) stats[`p${p}_estimate`] = value;
    if (limits !== undefined) bounds[`p${p}_estimate`] = limits;
  });
  return { stats, bounds };
}

/** The buckets of all instances together; undefined if they have different bounds. */
function summedBuckets(all: readonly (readonly Bucket[] | undefined)[]): Bucket[] | undefined {
  const [first, ...others] = all;
  if (first === undefined) return undefined;
  const sums = first.map(([bound, count]): [string, number] => [bound, count]);
  for (const buckets of others) {
    if (buckets === undefined || buckets.length !== sums.length) return undefined;
    for (const [at, [bound, count]] of buckets.entries()) {
      const sum = sums[at] as [string, number];
      if (bound !== sum[0]) return undefined;
      sum[1] += count;
    }
  }
  return sums;
}
