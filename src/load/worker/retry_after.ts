/** Default wait in milliseconds if the server gives none, or none that can be parsed. */
const USUAL_MS = 1000;
/** Bounds of one wait, whatever the server requests: never a busy loop, never an hour. */
const LEAST_MS = 100;
const MOST_MS = 60_000;
const SECONDS = /^\d+(\.\d+)?$/;
/**
 * Time of day, which a date must have: the runtime parses many texts as dates that are not
 * dates.
 */
const TIME_OF_DAY = /\d:\d\d:\d\d/;

/**
 * How long to wait by a `Retry-After` header: seconds, or a date (RFC 9110, 10.2.3).
 * @param value undefined if there was none
 * @param nowMs milliseconds since 1970
 * @returns milliseconds
 */
export function retryAfterMs(value: string | undefined, nowMs: number): number {
  const text = value?.trim() ?? "";
  const isDate = TIME_OF_DAY.test(text);
  const asked = SECONDS.test(text) ? Number(text) * 1000 : isDate ? Date.parse(text) - nowMs : NaN;
  return Number.isNaN(asked) ? USUAL_MS : Math.min(MOST_MS, Math.max(LEAST_MS, asked));
}
