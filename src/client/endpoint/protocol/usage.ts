/** More tokens than any request has. */
const MAX_TOKENS = 1e9;

/** Token counts as a server reported them; undefined where it did not. */
export interface Usage {
  readonly promptTokens: number | undefined;
  /** Prompt tokens that the server took from its cache. */
  readonly cachedTokens: number | undefined;
  readonly completionTokens: number | undefined;
  readonly totalTokens: number | undefined;
  readonly reasoningTokens: number | undefined;
  /** Numbers that cannot be counts: negative, fractional, or absurdly large. */
  readonly refused: number;
}

/** The names that servers use for each count, the usual one first. */
const PROMPT = [
  "prompt_tokens",
  "input_tokens",
  "promptTokenCount",
  "inputTokens",
  "input_token_count",
];
const COMPLETION = [
  "completion_tokens",
  "output_tokens",
  "candidatesTokenCount",
  "outputTokens",
  "generated_token_count",
];
const TOTAL = ["total_tokens", "totalTokenCount", "totalTokens", "total_token_count"];
/**
 * Names of the count of cached prompt tokens at the top level, as used by servers whose prompt
 * tokens include cached ones.
 */
const CACHED = ["prompt_cache_hit_tokens", "cachedContentTokenCount", "cached_tokens"];
const CACHED_DETAIL = ["cached_tokens"];
const PROMPT_DETAILS = ["prompt_tokens_details", "input_tokens_details"];
const DETAILS = ["completion_tokens_details", "output_tokens_details"];
const REASONING = ["reasoning_tokens"];

/** Numbers that cannot be counts, of the object that is being read. */
let refused = 0;

/**
 * Reads a `usage` object; undefined if it is not an object, or has neither counts nor invalid ones.
 */
export function readUsage(value: unknown): Usage | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const fields = value as Record<string, unknown>;
  refused = 0;
  const promptTokens = countNamed(fields, PROMPT);
  const cachedTokens = countNamed(detailsNamed(fields, PROMPT_DETAILS), CACHED_DETAIL) ??
    countNamed(fields, CACHED);
  const completionTokens = countNamed(fields, COMPLETION);
  const totalTokens = countNamed(fields, TOTAL);
  const reasoningTokens = countNamed(detailsNamed(fields, DETAILS), REASONING) ??
    countNamed(fields, REASONING);
  const isReported = refused > 0 || promptTokens !== undefined || cachedTokens !== undefined ||
    completionTokens !== undefined || totalTokens !== undefined || reasoningTokens !== undefined;
  return isReported
    ? { promptTokens, cachedTokens, completionTokens, totalTokens, reasoningTokens, refused }
    : undefined;
}

function countNamed(
  fields: Record<string, unknown> | undefined,
  names: readonly string[],
): number | undefined {
  if (fields === undefined) return undefined;
  for (const name of names) {
    const value = fields[name];
    if (typeof value !== "number") continue;
    if (isTokenCount(value)) return value;
    refused++;
  }
  return undefined;
}

/** Whether a value can be a number of tokens. */
function isTokenCount(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= MAX_TOKENS;
}

/** Merges two reports of usage: the last value of each count takes precedence. */
export function mergeUsage(earlier: Usage | undefined, later: Usage): Usage {
  if (earlier === undefined) return later;
  return {
    promptTokens: later.promptTokens ?? earlier.promptTokens,
    cachedTokens: later.cachedTokens ?? earlier.cachedTokens,
    completionTokens: later.completionTokens ?? earlier.completionTokens,
    totalTokens: later.totalTokens ?? earlier.totalTokens,
    reasoningTokens: later.reasoningTokens ?? earlier.reasoningTokens,
    refused: later.refused + earlier.refused,
  };
}

function detailsNamed(
  fields: Record<string, unknown>,
  names: readonly string[],
): Record<string, unknown> | undefined {
  for (const name of names) {
    const entry = fields[name];
    if (typeof entry === "object" && entry !== null) return entry as Record<string, unknown>;
  }
  return undefined;
}
