/** More tokens than any request has. */
const MAX_TOKENS = 1e9;

/** Token counts as a server reported them; undefined where it did not. */
export interface Usage {
  readonly promptTokens: number | undefined;
  /** Of the prompt tokens, those that the server took from its cache. */
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
/** Beside the other counts, as servers have them whose prompt tokens include the cached ones. */
const CACHED = ["prompt_cache_hit_tokens", "cachedContentTokenCount", "cached_tokens"];
const PROMPT_DETAILS = ["prompt_tokens_details", "input_tokens_details"];
const DETAILS = ["completion_tokens_details", "output_tokens_details"];

/** Reads a `usage` object; undefined if it is none, or holds neither counts nor refused ones. */
export function readUsage(value: unknown): Usage | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const fields = value as Record<string, unknown>;
  let refused = 0;
  const countNamed = (
    fields: Record<string, unknown> | undefined,
    names: readonly string[],
  ): number | undefined => {
    for (const name of names) {
      const value = fields?.[name];
      if (isTokenCount(value)) return value;
      if (typeof value === "number") refused++;
    }
    return undefined;
  };
  const counts = {
    promptTokens: countNamed(fields, PROMPT),
    cachedTokens: countNamed(detailsNamed(fields, PROMPT_DETAILS), ["cached_tokens"]) ??
      countNamed(fields, CACHED),
    completionTokens: countNamed(fields, COMPLETION),
    totalTokens: countNamed(fields, TOTAL),
    reasoningTokens: countNamed(detailsNamed(fields, DETAILS), ["reasoning_tokens"]) ??
      countNamed(fields, ["reasoning_tokens"]),
  };
  const isReported = refused > 0 || Object.values(counts).some((count) => count !== undefined);
  return isReported ? { ...counts, refused } : undefined;
}

/** Whether a value can be a number of tokens. */
function isTokenCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_TOKENS;
}

/** What is known after another report: each count is the last one that was given. */
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
  return names.map((name) => fields[name]).find((entry) =>
    typeof entry === "object" && entry !== null
  ) as Record<string, unknown> | undefined;
}
