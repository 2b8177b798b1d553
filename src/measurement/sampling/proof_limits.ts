/** Fewest samples beyond a percentile that prove it. */
export const MIN_BEYOND = 10;

/**
 * Maximum half-width of the confidence interval of a proven statistic, as a fraction of its value.
 */
export const MAX_PROVEN_SHARE = 0.1;
