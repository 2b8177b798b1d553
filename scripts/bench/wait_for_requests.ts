import type { LoadTarget, ServerTruth } from "./load_target.ts";

const POLL_MS = 50;
const DEADLINE_MS = 60_000;

/**
 * Waits until so many requests have reached the load target.
 * @throws {Error} if they do not within a minute
 */
export async function waitForRequests(target: LoadTarget, count: number): Promise<ServerTruth> {
  const deadline = performance.now() + DEADLINE_MS;
  for (;;) {
    const truth = await target.truth();
    if (truth.requests >= count) return truth;
    if (performance.now() > deadline) {
      throw new Error(`Only ${truth.requests} of ${count} requests have reached the load target`);
    }
    await pause(POLL_MS);
  }
}

/** Waits so long. */
export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
