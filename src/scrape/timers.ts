/** What calls back later. */
export interface Timers {
  /**
   * Calls once after a time.
   * @returns what calls it off
   */
  after(delayMs: number, call: () => void): () => void;
}

/** The runtime's own. */
export const TIMERS: Timers = {
  after(delayMs, call) {
    const timer = setTimeout(call, delayMs);
    return () => clearTimeout(timer);
  },
};
