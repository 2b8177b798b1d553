import { type LatencyDistribution, latencyDistribution } from "./latency_distribution.ts";

/** Ways in which the mock server can fail a request. */
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

/** Settings of a mock server. */
export interface MockOptions {
  /** 0 for any that is free. */
  readonly port: number;
  readonly hostname: string;
  readonly model: string;
  /** From the complete request to the first token. */
  readonly ttft: LatencyDistribution;
  /** From one token to the next. */
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
