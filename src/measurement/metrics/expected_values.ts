import { upperBound } from "../../core/statistics/search_sorted.ts";

/** Values of observations that were ended early, and which of them are lower bounds. */
export interface ExpectedValues {
  readonly values: Float64Array;
  /** Smallest lower bound among values known only as lower bounds; Infinity if there is none. */
  readonly leastBound: number;
}

/**
 * Returns values that replace observations which ended before the event. Each is one of the longer
 * complete values, so that together they have the distribution of these (the idea of Efron's
 * "redistribute to the right", 1967). An observation that no complete value exceeds is kept as a
 * lower bound.
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
