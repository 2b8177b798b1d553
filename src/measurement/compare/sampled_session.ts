/** A completed session. */
export interface SampledSession {
  /** Source, pass and start; equal for sessions that make a pair. */
  readonly key: string;
  readonly durationSeconds: number;
  /** Cached percentage of its prompt tokens; NaN if replies report none. */
  readonly hitPct: number;
}

/** Key of a session for pairs. */
export function sessionKey(
  sourceId: string | null | undefined,
  pass: number | null | undefined,
  startRatio: number | null | undefined,
): string {
  return JSON.stringify([sourceId ?? null, pass ?? null, startRatio ?? null]);
}
