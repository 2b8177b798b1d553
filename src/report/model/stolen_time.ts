/** A stretch in which the machine's host gave a part of its time to others. */
export interface StolenTime {
  /** On the run's clock. */
  readonly startNs: number;
  readonly endNs: number;
  /** Share of the machine's time, over the stretch. */
  readonly share: number;
}
