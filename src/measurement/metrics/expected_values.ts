import { upperBound } from "../../core/statistics/search_sorted.ts";

/** Values of observations that were ended early, and which of them are lower bounds. */
export interface ExpectedValues {
  readonly values: Float64Array;
  /** The least of those that are only known to be at least so long; Infinity if there is none. */
  readonly leastBound: number;
}

/**
 * Values that stand for observations which ended before the event: each has one of the complete values
 * that are longer, so that together they are distributed as these are (the idea of Efron's
 * "redistribute to the right", 1967). One that no complete value exceeds stands for itself, as a lower
 * bound.
 * @param complete values of observations whose event came, in any order
 * @param observed times after which the others were ended
 */
export function expectedValues(complete: Float64Array, observed: Float64Array): ExpectedValues {
  const sorted = complete.slice().sort();
  let leastBound = Infinity;
  const values = observed.slice().sort().map((time, at) => {
    const first = upperBound(sorted, time);
    const longer = sorted.length - first;
    if (longer > 0) {
      return sorted[first + Math.floor((at + 0.5) / observed.length * longer)] as number;
    }
    leastBound = Math.min(leastBound, time);
    return time;
  });
  return { values, leastBound };
}
