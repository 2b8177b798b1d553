/** Token counts as a server reported them; undefined where it did not. */
export interface Usage {
  readonly promptTokens: number | undefined;
  /** Of the prompt tokens, those that the server took from its cache. */
  readonly cachedTokens: number | undefined;
  readonly completionTokens: number | undefined;
  readonly totalTokens: number | undefined;
  readonly reasoningTokens: number | undefined;
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

/** Reads a `usage` object; undefined if it is none, or holds no count. */
export function readUsage(value: unknown): Usage | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const fields = value as Record<string, unknown>;
  const usage = {
    promptTokens: countNamed(fields, PROMPT),
    cachedTokens: countNamed(detailsNamed(fields, PROMPT_DETAILS), ["cached_tokens"]) ??
      countNamed(fields, CACHED),
    completionTokens: countNamed(fields, COMPLETION),
    totalTokens: countNamed(fields, TOTAL),
    reasoningTokens: countNamed(detailsNamed(fields, DETAILS), ["reasoning_tokens"]) ??
      countNamed(fields, ["reasoning_tokens"]),
  };
  return Object.values(usage).some((count) => count !== undefined) ? usage : undefined;
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

function countNamed(
  fields: Record<string, unknown> | undefined,
  names: readonly string[],
): number | undefined {
  if (fields === undefined) return undefined;
  for (const name of names) {
    const value = fields[name];
    if (typeof value === "number" && Number.isFinite(value) && value >= 0) return value;
  }
  return undefined;
}
