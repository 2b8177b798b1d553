/** Limits beyond which a metric counts as a mismatch. */
export interface Thresholds {
  readonly usageDiffPct: number;
  readonly oslMismatchPct: number;
  readonly oslMismatchMaxTokens: number;
}

/** Whether an output is not as long as asked for, by more than the smaller limit. */
export function isLengthMismatch(
  tokens: number,
  requestedTokens: number,
  { oslMismatchPct, oslMismatchMaxTokens }: Thresholds,
): boolean {
  const allowed = Math.min(requestedTokens * (oslMismatchPct / 100), oslMismatchMaxTokens);
  return Math.abs(tokens - requestedTokens) > allowed;
}
