import { type LatencyDistribution, latencyDistribution } from "./latency_distribution.ts";

/**
 * Ways in which the mock server can fail a request:
 * - `429`, `500`: a reply with that status;
 * - `reset`: the connection is gone in the middle of an event, or of the body; the runtime always
 *   ends its side of a connection before it resets it, so clients see an early end;
 * - `close`: a stream ends without a finish reason and `[DONE]`, a body before its length;
 * - `malformed`: an event that is no JSON, or a body that is cut JSON;
 * - `in-band`: an error inside a reply of status 200;
 * - `stall`: nothing comes any more, until the client gives up.
 */
export const FAULT_KINDS = [
  "429",
  "500",
  "reset",
  "close",
  "malformed",
  "in-band",
  "stall",
] as const;

/** See {@linkcode FAULT_KINDS}. */
export type FaultKind = typeof FAULT_KINDS[number];

/** Longest answer that is made: about 200 bytes for each token are held in memory. */
export const MAX_OUTPUT_TOKENS = 1_000_000;

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
  /** Tokens of an answer whose request does not say how many. */
  readonly tokens: number;
  readonly tokensPerChunk: number;
  /** Tokens of reasoning before the answer, part of its length. */
  readonly reasoningTokens: number;
  /** Requests served at once; others wait. */
  readonly slots: number;
  readonly seed: number;
  /** Share of requests that fail in each way. */
  readonly faults: ReadonlyMap<FaultKind, number>;
}

/** Settings of a server that answers at once and never fails. */
export function defaultMockOptions(): MockOptions {
  return {
    port: 0,
    hostname: "127.0.0.1",
    model: "mock-model",
    ttft: latencyDistribution("0"),
    itl: latencyDistribution("0"),
    tokens: 100,
    tokensPerChunk: 1,
    reasoningTokens: 0,
    slots: Infinity,
    seed: 0,
    faults: new Map(),
  };
}
