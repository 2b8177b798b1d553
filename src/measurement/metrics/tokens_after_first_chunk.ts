/**
 * The divisor of the time between tokens: how many tokens of a reply came after its first content
 * chunk, and between which numbers the true count lies where replies do not report it.
 */

import type { RecordField } from "../../client/record/request_fields.ts";
import {
  firstTokenNs,
  latencyNs,
  outputSequenceLength,
  type RequestRecord,
} from "./request_record.ts";

/** Tokens of a reply after its first content chunk, of all choices together. */
export interface TokenCount {
  /** Best estimate, exact where `least` equals `most`. */
  readonly tokens: number;
  readonly least: number;
  readonly most: number;
}

/** Fields of a record, besides the number of chunks, that determine the count. */
export const FIELDS_OF_COUNT: readonly RecordField[] = [
  ...["outputTokens", "thoughtTokens", "completionTokens", "reasoningTokens"] as const,
  ...["firstChunkTokens", "lastChunkTokens", "firstTokens", "endedAtLimit", "choices"] as const,
  ...["firstChunkBytes", "textBytes", "reasoningBytes", "toolBytes"] as const,
];

/** Tokens per chunk from which on the first chunk is assumed to bring several. */
const SEVERAL = 1.2;
/** Factor by which pieces of a text differ in bytes per token. */
const SPREAD = 2;
const UNKNOWN: TokenCount = { tokens: NaN, least: NaN, most: NaN };

/** Whether chunks bring several tokens, and not merely another tokenizer's count of one. */
export function bringsSeveralTokens(tokens: number, chunks: number): boolean {
  return tokens > SEVERAL * chunks;
}

/**
 * Time between tokens of a reply, in nanoseconds; NaN with fewer than two content chunks or two tokens.
 * For several choices, the time from first to last chunk of each choice is added up.
 */
export function interTokenNs(record: RequestRecord): number {
  return interTokenSpanNs(record) / tokensAfterFirstChunk(record).tokens;
}

/** Time in which {@linkcode tokensAfterFirstChunk} arrived, in nanoseconds. */
export function interTokenSpanNs(record: RequestRecord): number {
  return record.choices > 1 ? record.choiceSpansNs : latencyNs(record) - firstTokenNs(record);
}

/**
 * Tokens after the first content chunk; NaN with fewer than two content chunks or two tokens.
 *
 * - Where chunks carry usage, the count at the last content chunk minus the count at the first.
 * - Else the tokens that chunks brought minus those of the first chunk. Chunks brought neither
 *   reasoning that only usage counts, nor the token that ended the reply.
 * - At least one token for each later chunk, so that the time between tokens never exceeds the longest
 *   gap between chunks.
 */
export function tokensAfterFirstChunk(record: RequestRecord): TokenCount {
  const chunks = record.stampCount;
  const counted = countedTokens(record);
  if (!(counted >= 2) || chunks < 2) return UNKNOWN;
  const { completionTokens, firstChunkTokens, lastChunkTokens } = record;
  const choices = choicesOf(record);
  const later = chunks - choices;
  if (choices === 1 && lastChunkTokens > firstChunkTokens) {
    return exactly(Math.max(later, lastChunkTokens - firstChunkTokens));
  }
  // Most replies: a token with each chunk, by both counts.
  if (choices === 1 && counted === chunks && completionTokens === chunks) return exactly(later);
  if (choices === 1 && firstChunkTokens > 0 && completionTokens > firstChunkTokens) {
    const most = Math.max(later, completionTokens - firstChunkTokens);
    const tokens = Math.max(later, most - endTokens(record));
    return { tokens, least: tokens, most };
  }
  const brought = broughtTokens(record, counted);
  const first = firstTokens(record, brought);
  const tokens = Math.max(later, brought.tokens - first.tokens);
  // Several choices may share every chunk.
  if (!(tokens > 0)) return UNKNOWN;
  return {
    tokens,
    least: Math.min(tokens, Math.max(later, 1, brought.least - first.most)),
    most: Math.max(tokens, brought.most - first.least),
  };
}

/**
 * Output tokens, by the server's count where the client's is not one of the same tokens: a tokenizer
 * that finds fewer tokens than chunks, or more than the server generated for them, is not the model's.
 */
function countedTokens(record: RequestRecord): number {
  const { completionTokens } = record;
  const tokens = outputSequenceLength(record);
  // Where the client counts no tokens, both counts are the server's.
  const isOther = tokens !== completionTokens &&
    (tokens < record.stampCount || tokens > completionTokens - hiddenTokens(record));
  return isOther && completionTokens >= 2 ? completionTokens : tokens;
}

/** Tokens that the content chunks brought. */
function broughtTokens(record: RequestRecord, counted: number): TokenCount {
  const chunks = record.stampCount;
  const generated = record.completionTokens - hiddenTokens(record);
  if (counted !== record.completionTokens) {
    // The server's count may be of the same text, which is not the model's tokenizer's then.
    const most = generated - endTokens(record);
    return {
      tokens: counted,
      least: counted,
      most: most <= SEVERAL * counted ? Math.max(counted, most) : counted,
    };
  }
  const bytes = textBytes(record);
  // A token has a byte at least: usage counts tokens that the text does not have.
  if (bytes > 0 && generated > bytes) {
    return { tokens: Math.min(chunks, bytes), least: Math.min(chunks, bytes), most: bytes };
  }
  // Each chunk brought a token at least.
  const least = Math.max(Math.min(chunks, generated), generated - endTokens(record));
  return { tokens: least, least, most: generated };
}

/** Tokens that end replies: the server may count them, and no chunk brings them. */
function endTokens(record: RequestRecord): number {
  return record.endedAtLimit === 1 ? 0 : choicesOf(record);
}

/** Reasoning tokens of usage that no chunk brought: all of them, or those of which a summary came. */
function hiddenTokens(record: RequestRecord): number {
  const { completionTokens } = record;
  // Some servers count reasoning apart from completion tokens.
  const reasoning = record.reasoningTokens <= completionTokens ? record.reasoningTokens : 0;
  const reasoningBytes = record.reasoningBytes || 0;
  if (reasoningBytes === 0) return reasoning;
  const answerBytes = (record.textBytes || 0) + (record.toolBytes || 0);
  const answerTokens = completionTokens - reasoning;
  const perByte = answerBytes > 0 && answerTokens > 0 ? Math.min(1, answerTokens / answerBytes) : 1;
  const shown = reasoningBytes * perByte;
  return reasoning > SPREAD * shown ? reasoning - shown : 0;
}

/** Tokens of the first content chunk. */
function firstTokens(record: RequestRecord, brought: TokenCount): TokenCount {
  const { firstChunkBytes, stampCount: chunks } = record;
  const { tokens } = brought;
  const choices = choicesOf(record);
  if (choices > 1) {
    const first = bringsSeveralTokens(tokens, chunks) ? choices * tokens / chunks : choices;
    return { tokens: first, least: choices, most: SPREAD * first };
  }
  const most = Math.max(1, brought.most - (chunks - 1));
  if (!bringsSeveralTokens(tokens, chunks)) return { tokens: 1, least: 1, most };
  const counted = record.firstTokens / outputSequenceLength(record) * tokens;
  if (counted > 0 && counted < tokens) {
    return { tokens: counted, least: Math.max(1, counted - 1), most: Math.min(most, counted + 1) };
  }
  const bytes = textBytes(record);
  if (!(firstChunkBytes > 0 && firstChunkBytes < bytes)) return { tokens: 1, least: 1, most };
  const share = Math.max(1, tokens * firstChunkBytes / bytes);
  return { tokens: share, least: 1, most: Math.min(most, firstChunkBytes, SPREAD * share + 1) };
}

/** Bytes of text of any kind. */
function textBytes(record: RequestRecord): number {
  return (record.textBytes || 0) + (record.reasoningBytes || 0) + (record.toolBytes || 0);
}

/** Number of choices, 1 unless the request asked for several. */
function choicesOf({ choices }: RequestRecord): number {
  return choices > 1 ? choices : 1;
}

function exactly(tokens: number): TokenCount {
  return { tokens, least: tokens, most: tokens };
}
