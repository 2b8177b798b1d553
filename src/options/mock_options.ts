import type { OptionSpec } from "./option.ts";

const TIMING = "Timing";
const REPLIES = "Replies";
const SERVER = "Server";

/** The options of `inferometer mock`. */
export const MOCK_OPTION_SPECS: readonly OptionSpec[] = [
  {
    name: "port",
    kind: "number",
    group: SERVER,
    help: "Port on 127.0.0.1; 0 takes a free one, which is printed",
    value: "port",
    fallback: "0",
    example: "--port 8000",
  },
  {
    name: "mockModel",
    kind: "text",
    group: SERVER,
    help: "Name of the model that is served",
    value: "name",
    fallback: "mock-model",
  },
  {
    name: "slots",
    kind: "number",
    group: SERVER,
    help: "Requests served at once; others wait",
    value: "count",
    fallback: "no limit",
    example: "--slots 16",
  },
  {
    name: "seed",
    kind: "number",
    group: SERVER,
    help: "Makes latencies and faults reproducible",
    value: "seed",
    fallback: "0",
  },
  {
    name: "faults",
    kind: "texts",
    group: SERVER,
    help: "Share of requests that fail: 429, 500, reset, close, malformed, in-band, stall",
    value: "kind:share",
    example: "--faults 429:0.1 reset:0.05",
  },
  {
    name: "ttft",
    kind: "text",
    group: TIMING,
    help: "Milliseconds to the first token: a number, or uniform:a:b, normal:mean:sd, " +
      "exponential:mean, lognormal:median:sigma",
    value: "latency",
    fallback: "0",
    example: "--ttft lognormal:50:0.3",
  },
  {
    name: "itl",
    kind: "text",
    group: TIMING,
    help: "Milliseconds from one chunk to the next, as for --ttft",
    value: "latency",
    fallback: "0",
    example: "--itl 5",
  },
  {
    name: "tokens",
    kind: "number",
    group: REPLIES,
    help: "Tokens of an answer whose request does not say how many",
    value: "count",
    fallback: "100",
  },
  {
    name: "tokensPerChunk",
    kind: "number",
    group: REPLIES,
    help: "Tokens of each chunk",
    value: "count",
    fallback: "1",
  },
  {
    name: "reasoningTokens",
    kind: "number",
    group: REPLIES,
    help: "Tokens of reasoning before the answer",
    value: "count",
    fallback: "0",
  },
];
