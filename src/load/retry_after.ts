/** Waiting where the server does not say how long, or nothing that can be read. */
const USUAL_MS = 1000;
/** Bounds of one wait, whatever the server says: never a busy loop, never an hour. */
const LEAST_MS = 100;
const MOST_MS = 60_000;

/**
 * How long to wait by a `Retry-After` header: seconds, or a date (RFC 9110, 10.2.3).
 * @param value undefined if there was none
 * @param nowMs milliseconds since 1970
 * @returns milliseconds
 */
export function retryAfterMs(value: string | undefined, nowMs: number): number {
  const text = value?.trim() ?? "";
  const asked = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs;
  return Number.isNaN(asked) ? USUAL_MS : Math.min(MOST_MS, Math.max(LEAST_MS, asked));
}
