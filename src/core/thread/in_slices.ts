import type { Timers } from "./timers.ts";

/** Longest time that work runs before the thread handles other events, in ns. */
const SLICE_NS = 4e6;

/** Clock, timers and limits of work in slices. */
export interface SlicesContext {
  readonly timers: Pick<Timers, "once">;
  nowNs(): number;
  /** Ends the work between two slices. */
  readonly signal?: AbortSignal;
  /** Longest time between two pauses, in ns. @default 4 ms */
  readonly sliceNs?: number;
  /** Whether the work must be done soon, so that it runs on without a pause. @default never */
  isUrgent?(): boolean;
}

/**
 * Runs work that yields after each step, and lets the thread handle other events after every slice.
 * One large scrape must not delay those of other endpoints, and a kernel lets a running thread
 * finish its time slice before a thread of higher priority that has timestamps to take.
 * @returns undefined if the work was ended early
 */
export async function inSlices<T>(
  work: Generator<void, T>,
  { timers, nowNs, signal, sliceNs = SLICE_NS, isUrgent = () => false }: SlicesContext,
): Promise<T | undefined> {
  let startedNs = nowNs();
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    if (nowNs() - startedNs < sliceNs || isUrgent()) continue;
    await new Promise<void>((resolve) => timers.once(0, resolve));
    if (signal?.aborted) return undefined;
    startedNs = nowNs();
  }
}
