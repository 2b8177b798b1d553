/** A slice of a window, in nanoseconds of the run's clock. */
export interface SliceBounds {
  readonly startNs: number;
  readonly endNs: number;
  /** False for a last slice that the window's end cuts short. */
  readonly isComplete: boolean;
}

/**
 * Cuts a window into slices of equal width, the last of which may be shorter.
 *
 * With slices narrower than the pace of the samples, most of them would hold none: then
 * each interval between two samples becomes a slice instead.
 * @param sampleTimesNs times of the samples in the window, ascending
 */
export function sliceBounds(
  startNs: number,
  endNs: number,
  sliceNs: number,
  sampleTimesNs: Float64Array,
): SliceBounds[] {
  // Where there is no pace to be seen, no slice but the whole window is known to hold a sample.
  const paceNs = sampleTimesNs.length < 2 ? endNs - startNs : medianInterval(sampleTimesNs);
  if (sliceNs < paceNs) {
    return [...sampleTimesNs.subarray(1)].map((end, index) => ({
      startNs: sampleTimesNs[index] as number,
      endNs: end,
      isComplete: true,
    }));
  }
  const slices: SliceBounds[] = [];
  for (let start = startNs; start < endNs; start += sliceNs) {
    const end = start + sliceNs;
    slices.push({ startNs: start, endNs: Math.min(end, endNs), isComplete: end <= endNs });
  }
  return slices;
}

function medianInterval(timesNs: Float64Array): number {
  const intervals = Float64Array.from(
    timesNs.subarray(1),
    (time, index) => time - (timesNs[index] as number),
  ).sort();
  const middle = intervals.length >> 1;
  return intervals.length % 2 === 1
    ? intervals[middle] as number
    : ((intervals[middle - 1] as number) + (intervals[middle] as number)) / 2;
}
