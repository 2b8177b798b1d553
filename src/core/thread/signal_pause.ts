/**
 * Steps that can block a thread for good: opening a FIFO without a writer, and foreign regular
 * expressions. A listener of a blocked thread hears no signal, so signals have their default effect
 * during such a step.
 */

/** Stops and resumes the catching of signals. */
export interface SignalCatcher {
  pause(): void;
  resume(): void;
}

let catcher: SignalCatcher | undefined;
let depth = 0;

/** Registers what catches the signals of this process. */
export function registerSignalCatcher(registered: SignalCatcher): void {
  catcher = registered;
}

/** Runs a step that can block this thread. */
export async function whileBlocking<T>(step: () => Promise<T>): Promise<T> {
  if (depth++ === 0) catcher?.pause();
  try {
    return await step();
  } finally {
    if (--depth === 0) catcher?.resume();
  }
}
