import { anomalyBit } from "./anomaly_kinds.ts";
import { hasChannelLeak } from "./has_channel_leak.ts";
import { hasRepetition } from "./has_repetition.ts";

/** A choice of a reply. */
export interface CheckedReply {
  /** UTF-8 of the answer, of the reasoning and of the tool calls. */
  readonly text: Uint8Array;
  readonly reasoning: Uint8Array;
  readonly toolText: Uint8Array;
  /** Results that are no text. */
  readonly items: number;
  /** Whether the token limit ended the reply. */
  readonly isCut: boolean;
}

const EMPTY = anomalyBit("empty");
const REPETITION = anomalyBit("repetition");
const INVALID_TEXT = anomalyBit("invalid_text");
const CHANNEL_LEAK = anomalyBit("channel_leak");

const REPLACEMENT = "\uFFFD";
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * The kinds of anomalies of a reply that its own text shows, as bits; see {@linkcode ANOMALY_KINDS}.
 */
export function findAnomalies({ text, reasoning, toolText, items, isCut }: CheckedReply): number {
  const answer = decoder.decode(text);
  let bits = 0;
  if (items === 0 && toolText.length === 0 && answer.trim() === "") {
    // A reply that its limit cut off while the model still reasoned is short, not empty.
    if (!isCut || reasoning.length === 0) bits |= EMPTY;
  }
  if (hasRepetition(text) || hasRepetition(reasoning)) bits |= REPETITION;
  if (isInvalid(answer, isCut) || isInvalid(decoder.decode(reasoning), isCut)) bits |= INVALID_TEXT;
  if (hasChannelLeak(answer)) bits |= CHANNEL_LEAK;
  return bits;
}

/** Whether a text contains replacement characters; the limit may cut the last character in two. */
function isInvalid(text: string, isCut: boolean): boolean {
  const at = text.indexOf(REPLACEMENT);
  if (at < 0) return false;
  return !isCut || text.slice(at).replaceAll(REPLACEMENT, "") !== "";
}
