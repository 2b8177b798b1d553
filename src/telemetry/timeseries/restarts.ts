/**
 * Restarts of the process behind an endpoint, after which its counters begin again at zero. Some of
 * them may have more than before by the next scrape: the start time of the process shows it, else a
 * counter that decreased.
 */

import type { SampleWindow } from "../../core/statistics/sample_window.ts";
import type { EndpointSeries, Series } from "./endpoint_series.ts";
import { HistogramSeries, ScalarSeries } from "./series.ts";
import type { ValueColumn } from "./value_column.ts";

/** The part of an endpoint that shows restarts. */
export type RestartedEndpoint = Pick<EndpointSeries, "series" | "timesNs">;

const START_TIME = "process_start_time_seconds";
/** More decreases than these are pages of several processes behind one URL. */
const MOST_RESTARTS = 3;

const known = new WeakMap<RestartedEndpoint, { pages: number; restartsNs: number[] | undefined }>();

/**
 * Times of the first page after each restart, in nanoseconds of the run's clock.
 * @returns undefined if the pages are those of several processes in turn
 */
export function restartTimesNs(endpoint: RestartedEndpoint): readonly number[] | undefined {
  const pages = endpoint.timesNs.length;
  const before = known.get(endpoint);
  if (before?.pages === pages) return before.restartsNs;
  const restartsNs = findRestarts(endpoint);
  known.set(endpoint, { pages, restartsNs });
  return restartsNs;
}

function findRestarts({ series, timesNs }: RestartedEndpoint): number[] | undefined {
  const all = [...series];
  const started = all.find((one) => one.identity.name === START_TIME);
  const timeOf = (row: number): number => timesNs[row] as number;
  if (started instanceof ScalarSeries) {
    const { rises, falls } = changesOf(started.values);
    return falls.length > 0 ? undefined : rises.map(timeOf);
  }
  const rows = new Set(all.flatMap((one) => {
    const counter = counterOf(one);
    return counter === undefined ? [] : changesOf(counter).falls;
  }));
  return rows.size > MOST_RESTARTS ? undefined : [...rows].sort((a, b) => a - b).map(timeOf);
}

function counterOf(series: Series): ValueColumn | undefined {
  if (series instanceof HistogramSeries) return series.count;
  return series instanceof ScalarSeries && series.identity.type === "counter"
    ? series.values
    : undefined;
}

/** Rows at which a value is greater, and less, than the one before. */
function changesOf(column: ValueColumn): { readonly rises: number[]; readonly falls: number[] } {
  const [rises, falls]: [number[], number[]] = [[], []];
  let before: number | undefined;
  for (const { startRow, value } of column.runs()) {
    if (before !== undefined && value > before) rises.push(startRow);
    if (before !== undefined && value < before) falls.push(startRow);
    before = value;
  }
  return { rises, falls };
}

/**
 * Whether a counter began again at zero before each sample of a window: the process restarted, or the
 * counter decreased.
 * @param restartsNs times of the first page after each restart
 */
export function beginnings(
  { reference, timesNs, values }: SampleWindow,
  restartsNs: readonly number[],
): boolean[] {
  let [before, beforeNs] = reference === undefined
    ? [values[0] as number, timesNs[0] as number]
    : [reference.value, reference.timeNs];
  return Array.from(values, (value, at) => {
    const timeNs = timesNs[at] as number;
    const isBeginning = value < before ||
      restartsNs.some((restartNs) => restartNs > beforeNs && restartNs <= timeNs);
    [before, beforeNs] = [value, timeNs];
    return isBeginning;
  });
}

/**
 * Sum of the increases of a counter. What was counted between the last page before a restart and
 * the restart is lost.
 * @param began whether the counter began at zero before each sample
 */
export function sumOfIncreases(
  { reference, values }: Pick<SampleWindow, "reference" | "values">,
  began: readonly boolean[],
): number {
  let before = reference?.value ?? values[0] as number;
  let total = 0;
  values.forEach((value, at) => {
    total += began[at] ? value : value - before;
    before = value;
  });
  return total;
}
