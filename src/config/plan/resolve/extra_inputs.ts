import {
  type BodySettings,
  deniesStreaming,
  type EndpointType,
} from "../../../client/endpoint/protocol/endpoint_type.ts";
import { losesDigits } from "../../../client/endpoint/protocol/loses_digits.ts";
import { promptFrame } from "../../../client/endpoint/protocol/prompt_frame.ts";
import { splitPairs } from "../../../core/secrets/redacted_option.ts";
import { endpointType } from "../../../client/endpoint/endpoint_types.ts";
import { UsageError } from "../../options/usage_error.ts";
import type { DatasetPlan } from "../run_plan.ts";

/**
 * Reads `--extra-inputs`: JSON objects, or `key:value` with commas between several.
 *
 * A value is what it looks like: `true`, `false`, `null`, a number, a JSON list or object, else a
 * string. A comma separates pairs only where another `key:` follows it. A key without a value
 * removes the field from bodies. Later entries replace earlier ones.
 * @throws {UsageError} if an entry is neither, or a number in it would lose digits
 */
export function parseExtraInputs(entries: readonly string[]): ExtraInputs {
  const inputs = new Map<string, unknown>();
  for (const entry of entries) {
    const text = entry.trim();
    if (text.startsWith("{")) {
      for (const [key, value] of Object.entries(parseObject(text))) inputs.set(key, value);
    } else for (const pair of splitPairs(text)) addPair(pair, inputs);
  }
  const all = [...inputs];
  return {
    fields: Object.fromEntries(all.filter(([, value]) => value !== undefined)),
    omitted: all.filter(([, value]) => value === undefined).map(([key]) => key),
  };
}

/** Fields that `--extra-inputs` adds to bodies, and names of fields that it removes. */
export interface ExtraInputs {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly omitted: readonly string[];
}

/**
 * Checks that extra inputs leave what the run itself relies on: synthetic prompts, and streams.
 * @throws {UsageError} if they replace one of them
 */
export function checkExtraInputs(
  type: EndpointType,
  settings: BodySettings,
  dataset: DatasetPlan,
): void {
  const { extraInputs, streaming } = settings;
  if (streaming && deniesStreaming(extraInputs)) {
    throw new UsageError(
      "--extra-inputs",
      "stream must be true with --streaming; omit one of them",
    );
  }
  const { omittedInputs: omitted = [] } = type;
  const isNeeded = (name: string): boolean =>
    name === type.conversation?.messagesField || (streaming && name === "stream");
  const needed = omitted.find(isNeeded);
  if (needed !== undefined) {
    throw new UsageError("--omit-inputs", `${needed} cannot be removed: the run depends on it`);
  }
  if (dataset.source !== "synthetic" || carriesPrompt(type, settings)) return;
  if (omitted.length > 0 && carriesPrompt(endpointType(type.name), settings)) {
    throw new UsageError("--omit-inputs", `${omitted.join(", ")}: bodies then have no prompt`);
  }
  const culprit = Object.entries(extraInputs).find(([name, value]) =>
    !carriesPrompt(type, { ...settings, extraInputs: { [name]: value } })
  );
  throw new UsageError(
    "--extra-inputs",
    culprit === undefined
      ? "The template must have {{ text }} or {{ texts }} once: synthetic prompts stand there"
      : `${culprit[0]} replaces the synthetic prompts: give prompts of your own with --input-file`,
  );
}

/** Whether bodies hold what is synthetic in them: the text; the image or recording without one. */
function carriesPrompt(type: EndpointType, settings: BodySettings): boolean {
  if (type.tokenizesInput) return promptFrame(type, settings, undefined) !== undefined;
  const media = [`data:${type.requiredMedia}/x;base64,${MARK}`];
  const content = { texts: [], images: media, audios: media, outputTokens: undefined, extra: {} };
  return JSON.stringify(type.buildBody(content, settings)).includes(MARK);
}

/** Stands for the bytes of an image or a recording. */
const MARK = "inferometer0media";

function parseObject(text: string): object {
  try {
    return JSON.parse(text, numbersOf("{}"));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    // The runtime's message quotes the text, which may hold a key.
    const [position = ""] = / at position \d+/.exec((error as Error).message) ?? [];
    throw new UsageError("--extra-inputs", `Not valid JSON${position}`);
  }
}

function addPair(pair: string, inputs: Map<string, unknown>): void {
  const colon = pair.indexOf(":");
  if (colon < 1) {
    throw new UsageError(
      "--extra-inputs",
      `Expected key:value or a JSON object, got ${pair.length} characters without a key`,
    );
  }
  const key = pair.slice(0, colon).trim();
  const value = pair.slice(colon + 1).trim();
  inputs.set(key, value === "" ? undefined : valueOf(value, key));
}

/**
 * Refuses whole numbers that cannot be sent exactly as written.
 * @param key of the whole text, for a number without a key of its own
 */
function numbersOf(key: string): (name: string, value: unknown) => unknown {
  // Newer runtimes tell a reviver besides how a number was written.
  return (name: string, value: unknown, context?: { readonly source?: string }): unknown => {
    if (typeof value === "number" && losesDigits(value, context?.source ?? "")) {
      throw new UsageError(
        "--extra-inputs",
        `${name || key}: Whole numbers beyond ${Number.MAX_SAFE_INTEGER} would lose digits here: ` +
          "rows of --input-file keep them",
      );
    }
    return value;
  };
}

function valueOf(text: string, key: string): unknown {
  const lower = text.toLowerCase();
  if (lower === "true") return true;
  if (lower === "false") return false;
  if (lower === "null" || lower === "none") return null;
  if (/^[[{"]/.test(text) || /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) {
    try {
      return JSON.parse(text, numbersOf(key));
    } catch (error) {
      if (error instanceof UsageError) throw error;
      return /^[[{"]/.test(text) ? text : Number(text);
    }
  }
  return text;
}
