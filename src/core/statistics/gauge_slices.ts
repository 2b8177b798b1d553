import type { SampleWindow } from "./sample_window.ts";
import type { SliceBounds } from "./slice_bounds.ts";

/** Values of a gauge in a slice. */
export interface GaugeSlice extends SliceBounds {
  readonly avg: number;
  readonly min: number;
  readonly max: number;
}

/**
 * Mean and extremes of a gauge in each slice. A sample belongs to the slice that begins at or
 * before it; one at the very end of the window to the last slice. Slices without samples are left
 * out.
 * @returns undefined if there are fewer than two samples
 */
export function gaugeSlices(
  { timesNs, values }: SampleWindow,
  slices: readonly SliceBounds[],
): GaugeSlice[] | undefined {
  if (values.length < 2) return undefined;
  const result: GaugeSlice[] = [];
  let index = 0;
  slices.forEach((slice, position) => {
    const isLast = position === slices.length - 1;
    let sum = 0;
    let min = Infinity;
    let max = -Infinity;
    let count = 0;
    for (; index < values.length; index++) {
      const time = timesNs[index] as number;
      if (time > slice.endNs || (time === slice.endNs && !isLast)) break;
      if (time < slice.startNs) continue;
      const value = values[index] as number;
      sum += value;
      min = Math.min(min, value);
      max = Math.max(max, value);
      count++;
    }
    if (count === 0) return;
    const avg = min === max ? min : sum / count;
    result.push({ ...slice, avg, min, max });
  });
  return result;
}
