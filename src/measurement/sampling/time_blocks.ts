/** Most blocks that a window is divided into. */
const MAX_BLOCKS = 200;

/**
 * Equal blocks of time of a window, from whose deviations the sampling error of its statistics is
 * estimated. A block is at least one mean latency long: by Little's law as many requests start in it as
 * are in flight, so requests that wait for each other share a block or are in neighbouring ones.
 */
export class TimeBlocks {
  readonly startNs: number;
  readonly endNs: number;
  readonly count: number;

  /**
   * @param window times in ns of the run's clock
   * @param latencyNs mean latency of the window's requests
   */
  constructor(window: { readonly startNs: number; readonly endNs: number }, latencyNs: number) {
    this.startNs = window.startNs;
    this.endNs = window.endNs;
    const fitting = latencyNs > 0
      ? Math.floor((this.endNs - this.startNs) / latencyNs)
      : MAX_BLOCKS;
    this.count = Math.max(1, Math.min(MAX_BLOCKS, fitting));
  }

  /** Block of a time; -1 outside of the window, and for NaN. */
  indexOf(timeNs: number): number {
    const share = (timeNs - this.startNs) / (this.endNs - this.startNs);
    if (!(share >= 0 && share <= 1)) return -1;
    return Math.min(this.count - 1, Math.floor(share * this.count));
  }
}
