import {
  CORRUPTION_KINDS,
  FAULT_KINDS,
  MOCK_OPTIONS,
} from "../config/options/commands/mock_options.ts";
import { type LatencyDistribution, latencyDistribution } from "./latency_distribution.ts";

export { CORRUPTION_KINDS, FAULT_KINDS };

/** See {@linkcode FAULT_KINDS}. */
export type FaultKind = typeof FAULT_KINDS[number];

/** See {@linkcode CORRUPTION_KINDS}. */
export type CorruptionKind = typeof CORRUPTION_KINDS[number];

/** Answers that are broken under load. */
export interface Corruption {
  /** Requests served at once up to which answers are whole. */
  readonly above: number;
  readonly kind: CorruptionKind;
  /** Share of the answers above that are broken. */
  readonly share: number;
}

/** Maximum length of a generated answer, in tokens. */
export const MAX_OUTPUT_TOKENS: number = MOCK_OPTIONS.tokens.max;

/** Settings of a mock server. */
export interface MockOptions {
  /** 0 for any that is free. */
  readonly port: number;
  readonly hostname: string;
  readonly model: string;
  /** From the complete request to the first token. */
  readonly ttft: LatencyDistribution;
  /** From one chunk to the next. */
  readonly itl: LatencyDistribution;
  /** Tokens of an answer whose request does not specify their number. */
  readonly tokens: number;
  readonly tokensPerChunk: number;
  /** Tokens of reasoning before the answer, part of its length. */
  readonly reasoningTokens: number;
  /**
   * Tool calls of each reply to a request with tools; below 1 the share of these replies with one call.
   */
  readonly toolCalls: number;
  /** Tokens of each draft; 0 without speculative decoding. */
  readonly draftTokens: number;
  /** Probability that a draft token is accepted if those before it were, from 0 to 1. */
  readonly draftAcceptance: number;
  /** Whether the beginnings of prompts are remembered and reported as cached. */
  readonly prefixCache: boolean;
  /** Tokens of a block of the prefix cache; 0 to compare whole texts. */
  readonly blockSize: number;
  /** Blocks that the prefix cache holds; undefined for any number. */
  readonly cacheBlocks: number | undefined;
  /** Milliseconds of prefill for each prompt token that is not cached. */
  readonly prefillTimePerToken: number;
  /** Place of the request of each session that fails, from 1; undefined for none. */
  readonly failCall: number | undefined;
  /** Requests served at once; others are queued. */
  readonly slots: number;
  readonly seed: number;
  /** Share of requests that fail in each way. */
  readonly faults: ReadonlyMap<FaultKind, number>;
  /** The first that applies to a request breaks its answer. */
  readonly corruptions: readonly Corruption[];
  /** Requests per second beyond which replies are 429; Infinity for no limit. */
  readonly rateLimit: number;
  /** Seconds of the `Retry-After` header of these replies; undefined for no header. */
  readonly retryAfter: number | undefined;
  /** Whether the times of every request are kept and served at `/mock/truth`. */
  readonly truth: boolean;
  /** Number of GPUs that `/dcgm/metrics` exposes; 0 for no such endpoint. */
  readonly gpus: number;
  /** Certificate and key for TLS, in PEM; undefined to serve without TLS. */
  readonly certificate: { readonly cert: string; readonly key: string } | undefined;
}

/** Settings of a server that answers at once and never fails. */
export function defaultMockOptions(): MockOptions {
  const { port, mockModel, ttft, itl, tokens, tokensPerChunk, reasoningTokens, seed } =
    MOCK_OPTIONS;
  const { draftTokens, draftAcceptance, toolCalls } = MOCK_OPTIONS;
  return {
    port: port.default,
    hostname: "127.0.0.1",
    model: mockModel.default,
    ttft: latencyDistribution(ttft.default),
    itl: latencyDistribution(itl.default),
    tokens: tokens.default,
    tokensPerChunk: tokensPerChunk.default,
    reasoningTokens: reasoningTokens.default,
    toolCalls: toolCalls.default,
    draftTokens: draftTokens.default,
    draftAcceptance: draftAcceptance.default,
    prefixCache: false,
    blockSize: 0,
    cacheBlocks: undefined,
    prefillTimePerToken: 0,
    failCall: undefined,
    slots: Infinity,
    seed: seed.default,
    faults: new Map(),
    corruptions: [],
    rateLimit: Infinity,
    retryAfter: undefined,
    truth: false,
    gpus: 0,
    certificate: undefined,
  };
}
