import { HANG_MS } from "./hang_guard.ts";

const POLL_MS = 5;

/**
 * Waits until a condition holds and returns what it gave.
 * @param what is waited for, for the message if it does not come about
 * @throws {Error} if it does not hold within {@linkcode HANG_MS}
 */
export async function until<T>(
  what: string,
  condition: () => T | undefined | false | Promise<T | undefined | false>,
): Promise<T> {
  const deadline = performance.now() + HANG_MS;
  for (;;) {
    const value = await condition();
    if (value !== undefined && value !== false) return value;
    if (performance.now() > deadline) throw new Error(`This did not come about: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
