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
/** Smaller changes of a start time, in seconds, are inexact clocks: some servers compute it each time. */
const LEAST_CHANGE_SECONDS = 2;
/** More decreases than these are pages of several processes behind one URL. */
const MOST_RESTARTS = 3;
/** Least fraction of counters that decrease after a restart: a single one may be no counter. */
const LEAST_DECREASED = 0.2;

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
    const { rises, falls } = changesOf(started.values, LEAST_CHANGE_SECONDS);
    return falls.length > 0 ? undefined : rises.map(timeOf);
  }
  const counters = all.flatMap((one) => counterOf(one) ?? []).filter(isUsed);
  const decreased = Map.groupBy(counters.flatMap((one) => changesOf(one).falls), (row) => row);
  const rows = [...decreased.keys()].sort((a, b) => a - b).filter((row) =>
    (decreased.get(row)?.length ?? 0) >= LEAST_DECREASED * counters.length
  );
  return rows.length > MOST_RESTARTS ? undefined : rows.map(timeOf);
}

function isUsed(counter: ValueColumn): boolean {
  return counter.runs().some(({ value }) => value > 0);
}

function counterOf(series: Series): ValueColumn | undefined {
  if (series instanceof HistogramSeries) return series.count;
  return series instanceof ScalarSeries && series.identity.type === "counter"
    ? series.values
    : undefined;
}

/** Rows at which a value is greater, and less, than the one before by more than a difference. */
function changesOf(
  column: ValueColumn,
  least = 0,
): { readonly rises: number[]; readonly falls: number[] } {
  const [rises, falls]: [number[], number[]] = [[], []];
  let before: number | undefined;
  for (const { startRow, value } of column.runs()) {
    if (before !== undefined && Math.abs(value - before) <= least) continue;
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
