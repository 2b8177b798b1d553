import type { HistogramWindow } from "../../core/statistics/histogram/histogram_window.ts";
import { histogramSamples } from "./histogram_samples.ts";
import type { HistogramSeries } from "./series.ts";
import { rowsIn, type TimeWindow } from "./time_window.ts";

/** A histogram of an instance, and when its endpoint was scraped. */
export interface HistogramInstance {
  readonly series: HistogramSeries;
  readonly timesNs: Float64Array;
  /** Time of the first page that can show the series' absence, NaN for none. */
  readonly firstPageNs: number;
}

/** Most samples of a merged histogram: more do not change the estimates. */
const MAX_ROWS = 4096;

/**
 * Histograms of several instances as one: at each time, the sum of their newest counts.
 * @returns undefined if their bounds differ, one of them decreased, or none has samples
 */
export function mergedHistogram(
  instances: readonly HistogramInstance[],
  window: TimeWindow,
): { readonly window: HistogramWindow; readonly timesNs: Float64Array } | undefined {
  const timesNs = momentsOf(instances, window);
  let merged: HistogramWindow | undefined;
  for (const { series, timesNs: times, firstPageNs } of instances) {
    const samples = histogramSamples(series, times, firstPageNs, window);
    if (samples === undefined) continue;
    if (samples.reset || samples.boundsChanged) return undefined;
    merged ??= emptyWindow(samples.window, timesNs.length);
    if (!hasBounds(samples.window, merged.bounds)) return undefined;
    addTo(merged, timesNs, samples.window, samples.timesNs);
  }
  return merged && { window: merged, timesNs };
}

/** The start, times of scrapes, and the end; of many scrapes as many as are useful. */
function momentsOf(instances: readonly HistogramInstance[], window: TimeWindow): Float64Array {
  const times = new Set<number>();
  for (const timesNs of new Set(instances.map((instance) => instance.timesNs))) {
    const { first, last } = rowsIn(timesNs, window);
    for (const time of timesNs.subarray(first, last + 1)) times.add(time);
  }
  const sorted = Float64Array.from(times).sort();
  const stride = Math.ceil(sorted.length / MAX_ROWS) || 1;
  const kept = sorted.filter((_, index) => (sorted.length - 1 - index) % stride === 0);
  return Float64Array.of(window.startNs, ...kept);
}

function emptyWindow({ bounds, upperBounds }: HistogramWindow, length: number): HistogramWindow {
  return {
    ...{ bounds, upperBounds, length },
    cumulative: new Float64Array(length * bounds.length),
    sums: new Float64Array(length),
    counts: new Float64Array(length),
  };
}

function hasBounds({ bounds }: HistogramWindow, wanted: readonly string[]): boolean {
  return bounds.length === wanted.length && bounds.every((bound, at) => bound === wanted[at]);
}

/** Adds the sample that is the newest at each moment; the first moment is before all but the first. */
function addTo(
  merged: HistogramWindow,
  moments: Float64Array,
  { bounds, length, cumulative, sums, counts }: HistogramWindow,
  timesNs: Float64Array,
): void {
  const width = bounds.length;
  let row = 0;
  for (let moment = 0; moment < moments.length; moment++) {
    if (moment > 0) {
      while (row + 1 < length && (timesNs[row + 1] as number) <= (moments[moment] as number)) row++;
    }
    for (let at = 0; at < width; at++) {
      (merged.cumulative[moment * width + at] as number) += cumulative[row * width + at] as number;
    }
    (merged.sums[moment] as number) += sums[row] as number;
    (merged.counts[moment] as number) += counts[row] as number;
  }
}
