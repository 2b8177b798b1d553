/** Levels of several instances together: at each scrape of an endpoint, and over all endpoints. */

import { lowerBound, upperBound } from "../../core/statistics/search_sorted.ts";
import type { ScalarSeries } from "../timeseries/series.ts";
import type { TimeWindow } from "../timeseries/time_window.ts";
import type { ValueRun } from "../timeseries/value_column.ts";
import type { RoleSource, Together } from "./role_source.ts";

/** Shares above this are percentages. */
const LARGEST_SHARE = 1.5;

/** Factor that makes shares of one, also of a server that reports percentages. */
export function shareScale({ unit }: Pick<RoleSource, "unit">, largest: number): number {
  return unit === "ratio" && largest > LARGEST_SHARE ? 0.01 : 1;
}

/** The values of an instance: those of its series, or the number in one of its labels. */
export function* levelRuns(
  { identity: { labels }, values }: Pick<ScalarSeries, "identity" | "values">,
  { valueLabel }: Pick<RoleSource, "valueLabel">,
): Generator<ValueRun> {
  if (valueLabel === undefined) {
    yield* values.runs();
    return;
  }
  const value = labelNumber(labels, valueLabel);
  if (value === undefined) return;
  for (const run of values.runs()) yield { ...run, value };
}

/** The number in a label; undefined if there is none. */
export function labelNumber(
  labels: readonly (readonly [name: string, value: string])[],
  wanted: string,
): number | undefined {
  const text = labels.find(([label]) => label === wanted)?.[1] ?? "";
  return /^[\d.]+$/.test(text) ? Number(text) : undefined;
}

/**
 * The level of an endpoint at each of its scrapes; NaN where no instance has a value.
 * @param instances runs of values of each instance
 * @param rows number of scrapes
 */
export function rowLevels(
  instances: readonly Iterable<ValueRun>[],
  rows: number,
  together: Together,
): Float64Array {
  const levels = new Float64Array(rows).fill(NaN);
  const counts = together === "mean" ? new Float64Array(rows) : undefined;
  for (const runs of instances) {
    for (const { startRow, endRow, value } of runs) {
      for (let row = startRow; row < Math.min(endRow, rows); row++) {
        const before = levels[row] as number;
        if (Number.isNaN(before)) levels[row] = value;
        else levels[row] = together === "max" ? Math.max(before, value) : before + value;
        if (counts !== undefined) (counts[row] as number)++;
      }
    }
  }
  return counts === undefined ? levels : levels.map((sum, row) => sum / (counts[row] as number));
}

/** The level of an endpoint over time. */
export interface LevelLine {
  /** Times of its scrapes, ascending. */
  readonly timesNs: Float64Array;
  /** NaN where it is not known. */
  readonly levels: Float64Array;
}

/**
 * The sum of the levels of endpoints, at each time in a window at which one of them was scraped. A
 * level holds until the next scrape of its endpoint; after the last one, for as long as the longest
 * time between two.
 */
export function summedLevels(lines: readonly LevelLine[], window: TimeWindow): Float64Array {
  const [only, ...others] = lines;
  const sums = only !== undefined && others.length === 0
    ? inWindow(only, window).levels
    : sumsAt(lines, momentsIn(lines, window));
  return sums.filter((sum) => !Number.isNaN(sum));
}

/**
 * The mean of the sum of the levels of endpoints over the time of a window, in which a level holds until
 * the next scrape: unlike the mean of samples, it does not depend on when these were taken.
 * @returns NaN if no level is known in the window
 */
export function meanLevelOverTime(lines: readonly LevelLine[], window: TimeWindow): number {
  const { startNs, endNs } = window;
  const moments = Float64Array.from(new Set([startNs, ...momentsIn(lines, window)])).sort();
  const sums = sumsAt(lines, moments);
  let [area, knownNs] = [0, 0];
  sums.forEach((sum, at) => {
    if (Number.isNaN(sum)) return;
    const heldNs = (moments[at + 1] ?? endNs) - (moments[at] as number);
    area += sum * heldNs;
    knownNs += heldNs;
  });
  // A single scrape at the very end of a window, or a window without length.
  return knownNs > 0 ? area / knownNs : sums.findLast((sum) => !Number.isNaN(sum)) ?? NaN;
}

/** The times at which one of the endpoints was scraped. */
function momentsIn(lines: readonly LevelLine[], window: TimeWindow): Float64Array {
  const times = new Set(lines.flatMap((line) => [...inWindow(line, window).timesNs]));
  return Float64Array.from(times).sort();
}

/** The sum at each of some moments; NaN where no level is known. */
function sumsAt(lines: readonly LevelLine[], moments: Float64Array): Float64Array {
  const sums = new Float64Array(moments.length).fill(NaN);
  for (const { timesNs, levels } of lines) {
    const heldUntilNs = (timesNs.at(-1) ?? NaN) + longestGapNs(timesNs);
    let row = -1;
    moments.forEach((moment, at) => {
      while (row + 1 < timesNs.length && (timesNs[row + 1] as number) <= moment) row++;
      const level = row < 0 || moment > heldUntilNs ? NaN : levels[row] as number;
      if (Number.isNaN(level)) return;
      const before = sums[at] as number;
      sums[at] = Number.isNaN(before) ? level : before + level;
    });
  }
  return sums;
}

function inWindow({ timesNs, levels }: LevelLine, { startNs, endNs }: TimeWindow): LevelLine {
  const [first, end] = [lowerBound(timesNs, startNs), upperBound(timesNs, endNs)];
  return { timesNs: timesNs.subarray(first, end), levels: levels.subarray(first, end) };
}

/** Longest time between two scrapes; Infinity with one, whose page holds for an unknown time. */
function longestGapNs(timesNs: Float64Array): number {
  let longest = 0;
  for (let row = 1; row < timesNs.length; row++) {
    longest = Math.max(longest, (timesNs[row] as number) - (timesNs[row - 1] as number));
  }
  return timesNs.length < 2 ? Infinity : longest;
}
