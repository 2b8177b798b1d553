/** Calls functions later, on this thread. Both return a function that calls it off. */
export interface Timers {
  /** Calls once, after a delay. */
  once(delayMs: number, call: () => void): () => void;
  /** Calls again and again. */
  every(intervalMs: number, call: () => void): () => void;
}

/** The timers of the runtime. */
export const SYSTEM_TIMERS: Timers = {
  once(delayMs, call) {
    const timer = setTimeout(call, delayMs);
    return () => clearTimeout(timer);
  },
  every(intervalMs, call) {
    const timer = setInterval(call, intervalMs);
    return () => clearInterval(timer);
  },
};

/** Resolves after a time. */
export function pause(timers: Timers, milliseconds: number): Promise<void> {
  return new Promise((resolve) => void timers.once(milliseconds, resolve));
}

/** Resolves after a time, or as soon as the signal is aborted. */
export function pauseUnless(signal: AbortSignal, milliseconds: number): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener("abort", end);
  });
}
