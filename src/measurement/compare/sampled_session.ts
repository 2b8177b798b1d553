/** A completed session. */
export interface SampledSession {
  /** Source, pass and start, equal for sessions that make a pair; undefined without a known source. */
  readonly key: string | undefined;
  readonly durationSeconds: number;
  /** Cached percentage of its prompt tokens; NaN if replies report none. */
  readonly hitPct: number;
}

/** Key of a session for pairs; undefined without a known source, as in folders of older versions. */
export function sessionKey(
  sourceId: string | null | undefined,
  pass: number | null | undefined,
  startRatio: number | null | undefined,
): string | undefined {
  if (sourceId === undefined || sourceId === null) return undefined;
  return JSON.stringify([sourceId, pass ?? null, startRatio ?? null]);
}
