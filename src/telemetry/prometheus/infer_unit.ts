/** Help texts are read up to here: real ones are shorter, hostile ones need not be read. */
const MAX_DESCRIPTION = 4096;

/** "0-1", "0.0 to 1.0", "1 means 100 %", "as a fraction of": a share of one. */
const RATIO_SCALE = [
  /\bas an?\s+fraction\s+of\b(?!\s+an?\s+(?:second|minute|hour)\b)/i,
  /\b0(?:\.0)?\s*(?:[-–—]+|to)\s*1(?:\.0)?\b/i,
  /(?:\b|\()1(?:\.0)?\s*(?:means|is|equals?|==?)\s*100\s*(?:%|percent)/i,
];

/** "(0-100)", "range 0 to 100", "0-100%". */
const PERCENT_SCALE = [
  /\(0(?:\.0)?\s*(?:[-–—]+|to)\s*100(?:\.0)?\)/i,
  /\brange\s+0(?:\.0)?\s*(?:[-–—]+|to)\s*100\b/i,
  /\b0(?:\.0)?\s*(?:[-–—]+|to)\s*100(?:\.0)?\s*%/i,
];

/** "(in MiB)": the case distinguishes milli from mega. */
const TAG = /\(in\s+([^\s)]+)\)/;
const TAG_UNITS: ReadonlyMap<string, string> = new Map([
  ["B", "bytes"],
  ["KB", "kilobytes"],
  ["KiB", "kilobytes"],
  ["MB", "megabytes"],
  ["MiB", "megabytes"],
  ["GB", "gigabytes"],
  ["GiB", "gigabytes"],
  ["TB", "terabytes"],
  ["C", "celsius"],
  ["°C", "celsius"],
  ["F", "fahrenheit"],
  ["°F", "fahrenheit"],
  ["K", "kelvin"],
  ["Hz", "hertz"],
  ["MHz", "megahertz"],
  ["GHz", "gigahertz"],
  ["W", "watt"],
  ["mW", "milliwatt"],
  ["J", "joule"],
  ["mJ", "millijoule"],
  ["MJ", "megajoule"],
  ["s", "seconds"],
  ["sec", "seconds"],
  ["ms", "milliseconds"],
  ["ns", "nanoseconds"],
  ["us", "microseconds"],
  ["µs", "microseconds"], // the micro sign
  ["μs", "microseconds"], // the Greek letter
  ["GB/s", "gb/s"],
  ["MB/s", "mb/s"],
  ["%", "percent"],
  ["percent", "percent"],
]);

/**
 * "number of cached prompt tokens", "number of requests": what is counted, a few words after the
 * counting and with no other noun in between, as in "number of bytes received in requests".
 */
const NUMBER_OF =
  /\bnumber of (?:(?!(?:at|by|for|from|in|of|on|per|that|to|which|with)\b)[\w'-]+ ){0,3}(tokens|requests)\b(?:(?:\s+per\s+|\s*\/\s*)(s(?:ec(?:ond)?)?)\b)?/i;

/** "in seconds", "(ms)", in this order. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/(?:\bin\s+|\()seconds?(?:\b|\))/i, "seconds"],
  [/(?:\bin\s+|\()(?:milliseconds?|ms)(?:\b|\))/i, "milliseconds"],
  [/(?:\bin\s+|\()(?:microseconds?|[µμ]s)(?:\b|\))|\(us\)/i, "microseconds"],
  [/(?:\bin\s+|\()(?:nanoseconds?|ns)(?:\b|\))/i, "nanoseconds"],
  [/(?:\bin\s+|\()bytes?(?:\b|\))/i, "bytes"],
  [/(?:\bin\s+|\()GB\/s(?:\b|\))/i, "gb/s"],
  [/(?:\bin\s+|\()MB\/s(?:\b|\))/i, "mb/s"],
  [/(?:\bin\s+|\()tokens?\/s(?:ec(?:ond)?)?(?:\b|\))/i, "tokens/s"],
  [/(?:\bin\s+|\()requests?\/s(?:ec(?:ond)?)?(?:\b|\))/i, "requests/s"],
  [/\bin\s+tokens?\b/i, "tokens"],
];

/** Name endings that may have a `_total` after them. */
const COUNTED_SUFFIXES: readonly (readonly [string, string])[] = [
  ["_seconds", "seconds"],
  ["_ms", "milliseconds"],
  ["_us", "microseconds"],
  ["_ns", "nanoseconds"],
  ["_bytes", "bytes"],
  ["_bytes_sent", "bytes"],
  ["_bytes_received", "bytes"],
  ["_bytes_per_gpu", "bytes"],
  ["_tokens", "tokens"],
  ["_tokens_by_source", "tokens"],
  ["_tokens_cached", "tokens"],
  ["_tokens_cached_by_source", "tokens"],
  ["tokens_predicted", "tokens"],
  // vLLM counts the tokens that are looked up and found.
  ["prefix_cache_hits", "tokens"],
  ["prefix_cache_queries", "tokens"],
  ["_requests", "requests"],
  ["_errors", "errors"],
  ["_error_count", "errors"],
  ["_blocks", "blocks"],
];

/** Name endings; the longest match is used. */
const SUFFIXES: readonly (readonly [string, string])[] = ([
  ...COUNTED_SUFFIXES.flatMap(([ending, unit]) => [[ending, unit], [`${ending}_total`, unit]]),
  ["_milliseconds", "milliseconds"],
  ["_microseconds", "microseconds"],
  ["_nanoseconds", "nanoseconds"],
  ["_kilobytes", "kilobytes"],
  ["_megabytes", "megabytes"],
  ["_gigabytes", "gigabytes"],
  ["_total", "count"],
  ["_count", "count"],
  ["_token_count", "tokens"],
  ["requests_processing", "requests"],
  ["requests_deferred", "requests"],
  ["_reqs", "requests"],
  ["request_success", "requests"],
  ["_block_count", "blocks"],
  ["_gb_s", "gb/s"],
  ["_ratio", "ratio"],
  ["_percent", "percent"],
  ["_perc", "percent"],
  ["_celsius", "celsius"],
  ["_joules", "joule"],
  ["_watts", "watt"],
] as [string, string][]).sort(([a], [b]) => b.length - a.length);

/**
 * Returns the unit of a metric. It comes from a scale in its help text ("0-1"), else a unit there
 * ("in seconds", "(in MiB)"), else the ending of its name, else the noun that its help text
 * counts ("number of prompt tokens").
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(inferUnit("vllm:time_to_first_token_seconds", ""), "seconds");
 * assert.equal(inferUnit("vllm:kv_cache_usage_perc", "1 means 100 percent usage."), "ratio");
 * ```
 *
 * @param name as exported: a counter's without `_total`
 * @returns null if neither gives one
 */
export function inferUnit(name: string, description: string): string | null {
  const text = description.slice(0, MAX_DESCRIPTION);
  return unitOfScale(text) ?? unitOfText(text) ?? unitOfNameOrNoun(name.toLowerCase(), text);
}

function unitOfScale(text: string): string | null {
  if (RATIO_SCALE.some((pattern) => pattern.test(text))) return "ratio";
  return PERCENT_SCALE.some((pattern) => pattern.test(text)) ? "percent" : null;
}

function unitOfText(text: string): string | null {
  const tagged = TAG_UNITS.get(TAG.exec(text)?.[1] ?? "");
  return tagged ?? WORDS.find(([pattern]) => pattern.test(text))?.[1] ?? null;
}

/** A count is a weaker unit than the thing that is counted. */
function unitOfNameOrNoun(name: string, text: string): string | null {
  const unit = unitOfName(name);
  if (unit !== null && unit !== "count") return unit;
  const [, noun, second] = NUMBER_OF.exec(text) ?? [];
  if (noun === undefined) return unit;
  return `${noun.toLowerCase()}${second === undefined ? "" : "/s"}`;
}

function unitOfName(name: string): string | null {
  const suffix = SUFFIXES.find(([ending]) => name.endsWith(ending));
  return suffix?.[1] ?? (name.includes("num_requests_") ? "requests" : null);
}
