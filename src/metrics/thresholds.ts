/** Limits beyond which a metric counts as a mismatch. */
export interface Thresholds {
  readonly usageDiffPct: number;
  readonly oslMismatchPct: number;
  readonly oslMismatchMaxTokens: number;
}
