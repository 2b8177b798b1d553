/**
 * Whether two endpoints show the metrics of one process, as where a proxy forwards the page of an
 * engine that is scraped itself as well.
 *
 * Both have the same start time of their process, and the same series; and as they are not scraped
 * at the same instant, counters of each are between those that the other had before and after.
 * Servers that have not done anything yet are not compared: all of them look the same. Where pages
 * also state since when each series is counted, the same times allow for a proxy that caches a page.
 */

import type { EndpointSeries, Series } from "../timeseries/endpoint_series.ts";
import { HistogramSeries, ScalarSeries } from "../timeseries/series.ts";
import type { ValueColumn } from "../timeseries/value_column.ts";

/** The part of an endpoint that is compared. */
export type ComparedEndpoint = Pick<
  EndpointSeries,
  "series" | "timesNs" | "maxLatencyNs" | "created"
>;

const START_TIME = "process_start_time_seconds";
/** Metrics of the process itself: a scrape changes some of them. */
const OF_PROCESS = /^(process|python|go|nodejs)_/;

/** For each endpoint, the earlier one that shows the same process; undefined for none. */
export function copiedEndpoints(endpoints: readonly ComparedEndpoint[]): (number | undefined)[] {
  const known = endpoints.map((endpoint) => ({ endpoint, startTime: startTimeOf(endpoint) }));
  return known.map(({ endpoint, startTime }, index) => {
    if (startTime === undefined) return undefined;
    const original = known.slice(0, index).findIndex((other) =>
      other.startTime === startTime && isSameProcess(other.endpoint, endpoint)
    );
    return original < 0 ? undefined : original;
  });
}

function startTimeOf({ series }: ComparedEndpoint): number | undefined {
  for (const one of series) {
    if (one.identity.name === START_TIME && one instanceof ScalarSeries) {
      return one.values.lastValue;
    }
  }
  return undefined;
}

/** Whether all series that two endpoints have in common began at the same times; undefined for none. */
function beganAlike(a: ComparedEndpoint, b: ComparedEndpoint): boolean | undefined {
  const common = [...a.created].filter(([key]) => b.created.has(key));
  return common.length === 0
    ? undefined
    : common.every(([key, time]) => b.created.get(key) === time);
}

function isSameProcess(a: ComparedEndpoint, b: ComparedEndpoint): boolean {
  const isAlike = beganAlike(a, b);
  if (isAlike === false) return false;
  const others = seriesByKey(b);
  const own = seriesByKey(a);
  if (own.size !== others.size) return false;
  const slackNs = Math.max(a.maxLatencyNs, b.maxLatencyNs);
  let hasEvidence = false;
  for (const [key, series] of own) {
    const other = others.get(key);
    if (other === undefined) return false;
    if (OF_PROCESS.test(series.identity.name)) continue;
    const [steps, otherSteps] = [
      stepsOf(mainColumn(series), a.timesNs),
      stepsOf(mainColumn(other), b.timesNs),
    ];
    if (!rangesMeet(steps, otherSteps)) return false;
    hasEvidence ||= steps.some(({ value }) => value !== 0 && value !== 1);
    if (isAlike === true) continue;
    if (series instanceof ScalarSeries && series.identity.type !== "counter") continue;
    if (!interleaves(steps, otherSteps, slackNs)) return false;
    if (!interleaves(otherSteps, steps, slackNs)) return false;
  }
  return hasEvidence;
}

function seriesByKey({ series }: ComparedEndpoint): Map<string, Series> {
  return new Map([...series].map((one) => {
    const { name, type, labels } = one.identity;
    return [JSON.stringify([name, type, labels]), one];
  }));
}

function mainColumn(series: Series): ValueColumn {
  if (series instanceof ScalarSeries) return series.values;
  return series instanceof HistogramSeries ? series.sum : series.count;
}

/** A value, and the times of the first and the last scrape that showed it. */
interface Step {
  readonly fromNs: number;
  readonly toNs: number;
  readonly value: number;
}

function stepsOf(column: ValueColumn, timesNs: Float64Array): Step[] {
  return [...column.runs()].map(({ startRow, endRow, value }) => ({
    fromNs: timesNs[startRow] as number,
    toNs: timesNs[endRow - 1] as number,
    value,
  }));
}

function rangesMeet(a: readonly Step[], b: readonly Step[]): boolean {
  const [low, high] = rangeOf(a);
  const [otherLow, otherHigh] = rangeOf(b);
  return low <= otherHigh && otherLow <= high;
}

function rangeOf(steps: readonly Step[]): [low: number, high: number] {
  return steps.reduce<[number, number]>(
    ([low, high], { value }) => [Math.min(low, value), Math.max(high, value)],
    [Infinity, -Infinity],
  );
}

/** Whether what a counter showed is never less than what the other had shown for certain before. */
function interleaves(
  steps: readonly Step[],
  others: readonly Step[],
  slackNs: number,
): boolean {
  let at = -1;
  for (const { toNs, value } of others) {
    while (at + 1 < steps.length && (steps[at + 1] as Step).fromNs <= toNs - slackNs) at++;
    if (at >= 0 && value < (steps[at] as Step).value) return false;
  }
  return true;
}
