/**
 * Kinds of replies that show a broken server, for any prompt:
 * - `empty`: no answer, tool call or other result, or only white space;
 * - `repetition`: a piece of at most 64 bytes that follows itself at least 8 times and fills at
 *   least 192 bytes;
 * - `invalid_text`: bytes that are not UTF-8, or replacement characters (U+FFFD), except at the very
 *   end of a reply that its token limit cut off;
 * - `channel_leak`: markup of reasoning, tool calls or chat templates in the answer;
 * - `foreign_text`: the words with which the synthetic prompt of another request begins.
 *
 * A record keeps them as bits, in this order.
 */
export const ANOMALY_KINDS = [
  "empty",
  "repetition",
  "invalid_text",
  "channel_leak",
  "foreign_text",
] as const;

/** See {@linkcode ANOMALY_KINDS}. */
export type AnomalyKind = typeof ANOMALY_KINDS[number];

/** The bit of a kind. */
export function anomalyBit(kind: AnomalyKind): number {
  return 1 << ANOMALY_KINDS.indexOf(kind);
}

/** The kinds whose bits are set. */
export function anomalyKinds(bits: number): AnomalyKind[] {
  return ANOMALY_KINDS.filter((_, kind) => (bits >> kind & 1) === 1);
}
