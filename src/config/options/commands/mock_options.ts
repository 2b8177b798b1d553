import { COUNT, IN_FLIGHT, SEED } from "../number_rows.ts";
import type { OptionTable } from "../option.ts";

const TIMING = "Timing";
const REPLIES = "Replies";
const SERVER = "Server";

/**
 * Ways in which the mock server can fail a request:
 * - `429`, `500`: a reply with that status;
 * - `reset`: the connection is gone in the middle of an event, or of the body; the runtime always
 *   ends its side of a connection before it resets it, so clients see an early end;
 * - `close`: a stream ends without a finish reason and `[DONE]`, a body before its length;
 * - `malformed`: an event that is not JSON, or a body of truncated JSON;
 * - `in-band`: an error inside a reply of status 200;
 * - `stall`: nothing more is sent until the client gives up.
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

/**
 * Ways in which the mock server can break an answer: those of the anomalies of `answers`, and `drift`,
 * which changes the second half. The last kinds break the form that a request requires: JSON that ends
 * in its middle, an answer of another form, and calls of a tool that is not offered.
 */
export const CORRUPTION_KINDS = [
  "empty",
  "repetition",
  "invalid_text",
  "channel_leak",
  "foreign_text",
  "drift",
  "wrong_answer",
  "invalid_json",
  "invalid_form",
  "wrong_tool",
] as const;

/** Tokens of a reply: about 200 bytes for each one are held in memory. */
const REPLY_TOKENS = { ...COUNT, unit: "tokens", max: 1_000_000 } as const;

/** The options of `inferometer mock`. */
export const MOCK_OPTIONS = {
  port: {
    kind: "number",
    group: SERVER,
    help: "Port on 127.0.0.1; 0 selects a free port and prints it",
    value: "port",
    min: 0,
    max: 65_535,
    integer: true,
    common: true,
    default: 0,
    example: "--port 8000",
  },
  mockModel: {
    kind: "text",
    group: SERVER,
    help: "Name of the served model",
    mistakenFor: ["model"],
    value: "name",
    default: "mock-model",
  },
  slots: {
    ...IN_FLIGHT,
    group: SERVER,
    help: "Maximum number of concurrent requests; others are queued",
    defaultText: "unlimited",
    example: "--slots 16",
  },
  seed: {
    ...SEED,
    group: SERVER,
    help: "Seed for latencies and faults",
    default: 0,
  },
  tlsCert: {
    kind: "text",
    group: SERVER,
    help: "PEM file with the server certificate (HTTPS)",
    value: "file",
    completes: "file",
    needs: ["tlsKey"],
    example: "--tls-cert server.pem --tls-key server.key",
  },
  tlsKey: {
    kind: "text",
    group: SERVER,
    help: "PEM file with the private key of --tls-cert",
    value: "file",
    completes: "file",
    needs: ["tlsCert"],
  },
  truth: {
    kind: "flag",
    group: SERVER,
    help: "Record every request and write, reported at /mock/truth and /mock/truth?requests=1",
  },
  gpus: {
    ...COUNT,
    group: SERVER,
    help: "Number of GPUs reported at /dcgm/metrics, with their true values at /mock/gpus",
    unit: "GPUs",
    min: 0,
    max: 64,
    default: 0,
    example: "--gpus 8",
  },
  faults: {
    kind: "texts",
    group: SERVER,
    help: `Fraction of requests that fail: ${FAULT_KINDS.join(", ")}`,
    value: "kind:share",
    words: true,
    example: "--faults 429:0.1 reset:0.05",
  },
  corruptAbove: {
    kind: "texts",
    group: SERVER,
    help: "Broken answers while more than N requests are served: N:KIND or N:KIND:SHARE",
    value: "N:kind",
    words: true,
    example: "--corrupt-above 4:repetition 8:drift:0.5",
  },
  rateLimit: {
    kind: "rate",
    group: SERVER,
    help: "Maximum request rate per second; excess requests get HTTP 429",
    value: "rate",
    unit: "requests per second",
    min: 0,
    max: 1_000_000,
    exclusive: true,
    defaultText: "unlimited",
    example: "--rate-limit 10 --retry-after 1",
  },
  retryAfter: {
    kind: "duration",
    group: SERVER,
    help: "Retry-After of HTTP 429 replies",
    unit: "seconds",
    min: 0,
    max: 86_400,
    integer: true,
    defaultText: "no Retry-After",
    example: "--faults 429:0.1 --retry-after 1",
  },
  ttft: {
    kind: "text",
    group: TIMING,
    help: "Milliseconds to the first token: a number, or uniform:a:b, normal:mean:sd, " +
      "exponential:mean, lognormal:median:sigma",
    value: "latency",
    common: true,
    default: "0",
    example: "--ttft lognormal:50:0.3",
  },
  itl: {
    kind: "text",
    group: TIMING,
    help: "Milliseconds between chunks, in the form of --ttft",
    value: "latency",
    common: true,
    default: "0",
    example: "--itl 5",
  },
  tokens: {
    ...REPLY_TOKENS,
    group: REPLIES,
    help: "Output tokens of requests without a limit",
    common: true,
    default: 100,
  },
  tokensPerChunk: {
    ...REPLY_TOKENS,
    group: REPLIES,
    help: "Tokens per chunk",
    default: 1,
  },
  prefixCache: {
    kind: "flag",
    group: REPLIES,
    help: "Report prompt tokens shared with earlier requests as cached",
  },
  blockSize: {
    ...REPLY_TOKENS,
    group: REPLIES,
    help: "Tokens of a block of the prefix cache; 0 compares whole messages",
    min: 0,
    default: 0,
    needs: ["prefixCache"],
    example: "--prefix-cache --block-size 16 --cache-blocks 4096 --prefill-time-per-token 0.2",
  },
  cacheBlocks: {
    ...COUNT,
    group: REPLIES,
    help: "Blocks that the prefix cache holds; those used longest ago make room",
    defaultText: "unlimited",
    needs: ["blockSize"],
  },
  prefillTimePerToken: {
    kind: "number",
    group: TIMING,
    help: "Milliseconds of prefill for each prompt token that is not cached, added to --ttft",
    value: "ms",
    min: 0,
    max: 1000,
    default: 0,
  },
  failCall: {
    ...COUNT,
    group: SERVER,
    help: "Request of each session, from 1, that fails with HTTP 500",
    defaultText: "none",
    example: "--fail-call 3",
  },
  reasoningTokens: {
    ...REPLY_TOKENS,
    group: REPLIES,
    help: "Reasoning tokens before the answer",
    min: 0,
    default: 0,
  },
  toolCalls: {
    kind: "number",
    group: REPLIES,
    help: "Tool calls in each reply to a request with tools; below 1: fraction of replies with one",
    value: "calls",
    min: 0,
    max: 128,
    default: 0,
    example: "--tool-calls 2",
  },
  draftTokens: {
    ...REPLY_TOKENS,
    group: REPLIES,
    help: "Tokens of each draft of speculative decoding; a chunk is then a decode step",
    min: 0,
    max: 64,
    default: 0,
    example: "--draft-tokens 3 --draft-acceptance 0.7",
  },
  draftAcceptance: {
    kind: "number",
    group: REPLIES,
    help: "Probability that a draft token is accepted if those before it were",
    value: "share",
    min: 0,
    max: 1,
    default: 0.7,
    needs: ["draftTokens"],
  },
} as const satisfies OptionTable;
