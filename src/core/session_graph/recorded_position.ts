import { type StartPosition, startPosition } from "./start_position.ts";

/**
 * Returns how a session is entered at a ratio of its recorded time; undefined for its beginning.
 * @param calls with the milliseconds at which they started in the recording
 */
export function recordedPosition(
  calls: readonly (Parameters<typeof startPosition>[0][number] & { readonly recordedMs: number })[],
  ratio: number,
): StartPosition | undefined {
  if (ratio === 0) return undefined;
  return startPosition(calls, ratio, calls.map(({ recordedMs }) => recordedMs));
}
