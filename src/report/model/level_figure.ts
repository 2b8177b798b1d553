/** Statistics of levels that several instances have together. */

import { arithmeticMean } from "../../core/statistics/arithmetic_mean.ts";
import type { TimeWindow } from "../../core/statistics/sample_window.ts";
import {
  labelNumber,
  type LevelLine,
  levelRuns,
  meanLevelOverTime,
  rowLevels,
  shareScale,
  summedLevels,
} from "../../telemetry/engines/level_values.ts";
import { ScalarSeries } from "../../telemetry/timeseries/series.ts";
import { rowsIn } from "../../telemetry/timeseries/time_window.ts";
import { idleInstances, instanceKey } from "./instance_key.ts";
import { levelStatistics } from "./level_statistics.ts";
import type { RoleFigure, RoleInput, RolePart } from "./role_figure.ts";

/** Series of a level on one endpoint. */
export type LevelPart = Omit<RolePart, "engine" | "layer">;

/** Statistics of a level. */
export type LevelStatistics = Pick<RoleFigure, "stats" | "by" | "idleInstances" | "lateSeconds">;

/** Basis of a level's mean: its samples, or the time for which each of them holds. */
export type LevelMean = "samples" | "time";

/**
 * Statistics of a level: of the sum over all instances at each time, or of the values of all
 * instances. Where no scrape came between start and end, those of the next page after it.
 * @returns undefined if no instance has a value
 */
export function levelFigure(
  parts: readonly LevelPart[],
  window: TimeWindow | undefined,
  mean: LevelMean = "samples",
): LevelStatistics | undefined {
  const scraped = parts.filter(({ endpoint }) => endpoint.scrapes !== undefined);
  if (window === undefined || scraped.length < parts.length) return reportedLevel(parts);
  const isSeen = (inside: TimeWindow): boolean =>
    parts.some(({ endpoint }) => {
      const { first, last } = rowsIn(timesOf(endpoint), inside);
      return last >= first;
    });
  if (isSeen(window)) return sampledLevel(parts, window, mean);
  const lateNs = lateTime(parts, window);
  if (lateNs === undefined) return undefined;
  const late = sampledLevel(parts, { startNs: lateNs, endNs: lateNs }, "samples");
  return late && { ...late, lateSeconds: (lateNs - window.endNs) / 1e9 };
}

/** Time of the first page after a window, else of the last one before it. */
function lateTime(parts: readonly LevelPart[], window: TimeWindow): number | undefined {
  const times = parts.flatMap(({ endpoint }) => [...timesOf(endpoint)]);
  const after = times.filter((time) => time > window.endNs);
  if (after.length > 0) {
    // All endpoints have a page by then.
    return Math.max(
      ...parts.map(({ endpoint }) =>
        timesOf(endpoint).find((time) => time > window.endNs) ?? -Infinity
      ),
    );
  }
  return times.length === 0 ? undefined : Math.max(...times);
}

function timesOf({ scrapes }: LevelPart["endpoint"]): Float64Array {
  return scrapes?.timesNs ?? new Float64Array(0);
}

function sampledLevel(
  parts: readonly LevelPart[],
  window: TimeWindow,
  mean: LevelMean,
): LevelStatistics | undefined {
  const together = parts[0]?.source.together;
  const instances = parts.flatMap((part) =>
    part.series.map((series) => ({
      ...{ series, values: valuesOf(part, series, window), key: instanceKey(part, series) },
    }))
  ).filter(({ values }) => values.length > 0);
  if (instances.length === 0) return undefined;
  const head = {
    idleInstances: idleInstances(instances.map(({ key, values }) => ({
      ...{ key, isIdle: values.every((value) => value === 0) },
    }))),
  };
  switch (together) {
    case "by": {
      const by: Record<string, number> = {};
      for (const { series: { labels }, values } of instances) {
        const part = labels.find(([label]) => label === parts[0]?.source.label)?.[1] ?? "";
        by[part] = (by[part] ?? 0) + (values.at(-1) as number);
      }
      return { ...head, stats: {}, by };
    }
    case "mean":
    case "max": {
      const pool = scaled(concatenated(instances.map(({ values }) => values)), parts);
      const means = scaled(
        mean === "time"
          ? instanceMeans(parts, window)
          : Float64Array.from(instances, ({ values }) => arithmeticMean(values)),
        parts,
        Math.max(...instances.map(({ values }) => largestOf(values))),
      );
      // Every instance counts alike, also one that was scraped less often.
      return { ...head, stats: { ...levelStatistics(pool), "avg": arithmeticMean(means) } };
    }
    default: {
      const lines = parts.map((part) => lineOf(part, part.series));
      const sums = summedLevels(lines, window);
      if (sums.length === 0) return undefined;
      const stats = levelStatistics(sums);
      const avg = mean === "time" ? meanLevelOverTime(lines, window) : stats["avg"];
      return { ...head, stats: { ...stats, "avg": avg as number } };
    }
  }
}

/** The level of some series of an endpoint at each of its scrapes. */
function lineOf({ endpoint, source }: LevelPart, series: readonly RoleInput[]): LevelLine {
  const timesNs = timesOf(endpoint);
  const runs = series.flatMap(({ samples }) =>
    samples instanceof ScalarSeries ? [levelRuns(samples, source)] : []
  );
  return { timesNs, levels: rowLevels(runs, timesNs.length, source.together) };
}

/** Means over time of the instances that have a level in a window. */
function instanceMeans(parts: readonly LevelPart[], window: TimeWindow): Float64Array {
  const means = parts.flatMap((part) =>
    part.series.map((series) => meanLevelOverTime([lineOf(part, [series])], window))
  );
  return Float64Array.from(means.filter((mean) => !Number.isNaN(mean)));
}

/** Values of an instance in a window. */
function valuesOf(
  { endpoint, source }: LevelPart,
  { samples }: RoleInput,
  window: TimeWindow,
): Float64Array {
  if (!(samples instanceof ScalarSeries)) return new Float64Array(0);
  const times = timesOf(endpoint);
  let { first, last } = rowsIn(times, window);
  // Of endpoints that are scraped at different times, the newest page counts.
  if (last < first && window.startNs === window.endNs && last >= 0) first = last;
  last = Math.min(last, samples.values.lastRow);
  const values = rowLevels([levelRuns(samples, source)], last + 1, "sum");
  return values.subarray(Math.max(0, first)).filter((value) => !Number.isNaN(value));
}

/** Statistics of a series, and the instance that it is of. */
interface ReportedInstance {
  readonly key: string;
  readonly stats: Readonly<Record<string, number>>;
}

/** The level where only the statistics of series are known. */
function reportedLevel(parts: readonly LevelPart[]): LevelStatistics | undefined {
  const together = parts[0]?.source.together;
  const instances = parts.flatMap((part) =>
    part.series.flatMap((series): ReportedInstance[] => {
      const { report, labels } = series;
      const { valueLabel } = part.source;
      if (report === undefined || report.stats["avg"] === undefined) return [];
      const value = valueLabel === undefined ? undefined : labelNumber(labels, valueLabel);
      if (valueLabel !== undefined && value === undefined) return [];
      return [{
        key: instanceKey(part, series),
        stats: value === undefined ? report.stats : { "avg": value, "min": value, "max": value },
      }];
    })
  );
  const [first, ...others] = instances;
  if (first === undefined) return undefined;
  const head = {
    idleInstances: idleInstances(instances.map(({ key, stats }) => ({
      key,
      isIdle: stats["min"] === 0 && stats["max"] === 0,
    }))),
  };
  const column = (name: string) => Float64Array.from(instances, ({ stats }) => stats[name] ?? NaN);
  const largest = largestOf(column("max"));
  if (others.length === 0) {
    const stats = Object.fromEntries(
      Object.entries(first.stats).map(([name, value]) => [
        name,
        scaled(Float64Array.of(value), parts, largest)[0] as number,
      ]),
    );
    return { ...head, stats };
  }
  if (together === "sum") {
    // When each instance was highest is not known, so neither is when all together were.
    const sum = column("avg").reduce((total, value) => total + value, 0);
    return { ...head, stats: { "avg": sum } };
  }
  const statistic = (name: string, of: (values: Float64Array) => number) =>
    of(scaled(column(name), parts, largest));
  return {
    ...head,
    stats: {
      "avg": statistic("avg", arithmeticMean),
      "min": statistic("min", (values) => -largestOf(values.map((value) => -value))),
      "max": statistic("max", largestOf),
    },
  };
}

function scaled(
  values: Float64Array,
  [first]: readonly LevelPart[],
  largest = largestOf(values),
): Float64Array {
  const scale = first === undefined ? 1 : shareScale(first.source, largest);
  return scale === 1 ? values : values.map((value) => value * scale);
}

function largestOf(values: Float64Array): number {
  return values.reduce((largest, value) => Math.max(largest, value), -Infinity);
}

function concatenated(columns: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(columns.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const column of columns) {
    all.set(column, at);
    at += column.length;
  }
  return all;
}
