/** Cumulative histogram samples of one series, from its reference sample to its last sample in the window. */
export interface HistogramWindow {
  /** Canonical `le` texts, ascending, `+Inf` last if the page has it. */
  readonly bounds: readonly string[];
  /** Upper bounds as numbers, Infinity last. */
  readonly upperBounds: Float64Array;
  /** Number of samples (rows), at least 2; row 0 is the reference. */
  readonly length: number;
  /** Cumulative bucket counts, `length` rows of `bounds.length`. */
  readonly cumulative: Float64Array;
  /** The `_sum` of every row; NaN where the page had none. */
  readonly sums: Float64Array;
  /** The `_count` of every row; NaN where the page had none. */
  readonly counts: Float64Array;
}
