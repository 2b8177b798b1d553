/** Part of a run, both ends included, in nanoseconds of the run's clock. */
export interface TimeWindow {
  readonly startNs: number;
  readonly endNs: number;
  /**
   * Whether the run continues after the window's end, so that later counts do not belong to the
   * window.
   */
  readonly goesOn?: boolean | undefined;
}

/** The samples of one series in a window of time. */
export interface SampleWindow {
  /** Ascending, in nanoseconds of the run's clock. */
  readonly timesNs: Float64Array;
  readonly values: Float64Array;
  /** The last sample before the window, from which counters count; undefined if there was none. */
  readonly reference: { readonly timeNs: number; readonly value: number } | undefined;
}
