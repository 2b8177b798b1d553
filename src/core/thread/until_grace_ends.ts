import { SYSTEM_TIMERS, type Timers } from "./timers.ts";
import { untilAborted } from "./until_aborted.ts";

/**
 * Waits for what may take some time yet when the wait is to end, as files that are being sent.
 * @param graceMs how much longer than the signal is waited
 * @throws the signal's reason when that is over
 */
export async function untilGraceEnds<T>(
  work: Promise<T>,
  signal: AbortSignal,
  graceMs: number,
  timers: Timers = SYSTEM_TIMERS,
): Promise<T> {
  const end = new AbortController();
  let callOff = (): void => {};
  const onAbort = (): void => {
    callOff = timers.once(graceMs, () => end.abort(signal.reason));
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await untilAborted(work, end.signal);
  } finally {
    signal.removeEventListener("abort", onAbort);
    callOff();
  }
}
