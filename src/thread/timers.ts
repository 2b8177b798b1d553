/** Names a call that is to come. */
export type TimerId = ReturnType<typeof setTimeout>;

/** Calls functions later, on this thread. */
export interface Timers {
  /** Calls once, after a delay. */
  once(delayMs: number, call: () => void): TimerId;
  /** Calls again and again. */
  every(intervalMs: number, call: () => void): TimerId;
  /** Calls no more; does nothing to what has been called already. */
  cancel(timer: TimerId): void;
}

/** The timers of the runtime. */
export const SYSTEM_TIMERS: Timers = {
  once: (delayMs, call) => setTimeout(call, delayMs),
  every: (intervalMs, call) => setInterval(call, intervalMs),
  cancel: (timer) => clearTimeout(timer),
};
