import type { Timers } from "../../core/thread/timers.ts";

/** Longest that work goes on before the thread listens again. */
const SLICE_NS = 4e6;

/** What work in slices needs. */
export interface SlicesContext {
  readonly timers: Pick<Timers, "once">;
  nowNs(): number;
  /** Ends the work between two slices. */
  readonly signal: AbortSignal;
}

/**
 * Does work that comes in steps, and lets the thread do what else is due after every few
 * milliseconds of it: one endpoint's large page must not make the others miss their beats.
 * @returns undefined if it was ended before its time
 */
export async function inSlices<T>(
  work: Generator<void, T>,
  { timers, nowNs, signal }: SlicesContext,
): Promise<T | undefined> {
  let startedNs = nowNs();
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    if (nowNs() - startedNs < SLICE_NS) continue;
    await new Promise<void>((resolve) => timers.once(0, resolve));
    if (signal.aborted) return undefined;
    startedNs = nowNs();
  }
}
