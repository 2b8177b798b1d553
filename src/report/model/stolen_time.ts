/** Interval of CPU steal, in which the machine's host ran other work. */
export interface StolenTime {
  /** On the run's clock. */
  readonly startNs: number;
  readonly endNs: number;
  /** Stolen fraction of the machine's time in the interval. */
  readonly share: number;
}
