/** Fewest samples beyond a percentile that prove it. */
export const MIN_BEYOND = 10;

/** Widest interval of a proven statistic, either way, as a share of its value. */
export const MAX_PROVEN_SHARE = 0.1;
