import { splitPairs } from "../secrets/redacted_option.ts";
import { UsageError } from "../options/usage_error.ts";

/**
 * Reads `--extra-inputs`: JSON objects, or `key:value` with commas between several.
 *
 * A value is what it looks like: `true`, `false`, `null`, a number, a JSON list or object, else a
 * string. A comma separates pairs only where another `key:` follows it.
 * @throws {UsageError} if an entry is neither
 */
export function parseExtraInputs(entries: readonly string[]): Record<string, unknown> {
  const inputs: Record<string, unknown> = {};
  for (const entry of entries) {
    const text = entry.trim();
    if (text.startsWith("{")) Object.assign(inputs, parseObject(text));
    else for (const pair of splitPairs(text)) addPair(pair, inputs);
  }
  return inputs;
}

function parseObject(text: string): object {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The runtime's message quotes the text, which may hold a key.
    const [position = ""] = / at position \d+/.exec((error as Error).message) ?? [];
    throw new UsageError("--extra-inputs", `Not valid JSON${position}`);
  }
}

function addPair(pair: string, inputs: Record<string, unknown>): void {
  const colon = pair.indexOf(":");
  if (colon < 1) {
    throw new UsageError(
      "--extra-inputs",
      `Expected key:value or a JSON object, got ${pair.length} characters without a key`,
    );
  }
  inputs[pair.slice(0, colon).trim()] = valueOf(pair.slice(colon + 1).trim());
}

function valueOf(text: string): unknown {
  const lower = text.toLowerCase();
  if (lower === "true") return true;
  if (lower === "false") return false;
  if (lower === "null" || lower === "none") return null;
  if (/^[[{"]/.test(text) || /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) {
    try {
      return JSON.parse(text);
    } catch {
      return /^[[{"]/.test(text) ? text : Number(text);
    }
  }
  return text;
}
