import { isFields } from "../../../client/endpoint/protocol/json_fields.ts";
import { scriptPattern } from "../patterns/script_pattern.ts";
import { type Expected, EXPECTED_KINDS } from "./expected.ts";

type Fields = Readonly<Record<string, unknown>>;
type Kind = typeof EXPECTED_KINDS[number];

/** Longest pattern, in characters. */
const MAX_PATTERN = 10_000;

/** Settings that a kind has besides its value. */
const SETTINGS: Readonly<Partial<Record<Kind, string>>> = { regex: "flags", number: "tolerance" };

/** Keys of a tool call; `input` is Anthropic's name of its arguments. */
const CALL_KEYS: ReadonlySet<string> = new Set([
  ...["name", "arguments", "input"],
  // Not compared.
  ...["id", "call_id", "index", "status", "type", "description"],
]);

/** Checks the value of each kind. */
const READERS: Readonly<Record<Kind, (value: unknown, fields: Fields) => Expected>> = {
  exact: (value) => ({ exact: text(value, "exact") }),
  regex: (value, fields) => readRegex(text(value, "regex"), fields["flags"] ?? ""),
  number: (value, fields) => readNumber(value, fields["tolerance"] ?? 0),
  choice: (value) => readChoice(value),
  json: (value) => ({ json: value }),
  keywords: (value) => readKeywords(value),
  "tool_calls": (value) => readToolCalls(value),
};

/**
 * Reads the `expected` of a row.
 * @throws {RangeError} with the reason if it is not of a known kind
 */
export function readExpected(value: unknown): Expected {
  if (typeof value === "string") return READERS.exact(value, {});
  if (!isFields(value)) throw new RangeError(`Expected a text or an object, got ${shown(value)}`);
  const kinds = EXPECTED_KINDS.filter((kind) => kind in value);
  const [kind, second] = kinds;
  if (kind === undefined || second !== undefined) {
    throw new RangeError(
      `Expected one of ${EXPECTED_KINDS.join(", ")}, got ${Object.keys(value).join(", ") || "{}"}`,
    );
  }
  for (const name of Object.keys(value)) {
    if (name !== kind && name !== SETTINGS[kind]) {
      throw new RangeError(`Unknown key "${name}" with "${kind}"`);
    }
  }
  return READERS[kind](value[kind], value);
}

function text(value: unknown, name: string): string {
  if (typeof value === "string" && value.trim() !== "") return value;
  throw new RangeError(`${name} must be a text that is not empty, got ${shown(value)}`);
}

function readRegex(regex: string, flags: unknown): Expected {
  if (regex.length > MAX_PATTERN) {
    throw new RangeError(`regex must have at most ${MAX_PATTERN} characters`);
  }
  if (typeof flags !== "string" || !/^[ims]*$/.test(flags)) {
    throw new RangeError(`flags must be letters of "ims", got ${shown(flags)}`);
  }
  try {
    scriptPattern(regex);
  } catch (error) {
    const { cause } = error as SyntaxError;
    throw new RangeError(`regex is not valid: ${(cause as Error).message}`);
  }
  return { regex, ...(flags === "" ? {} : { flags }) };
}

function readNumber(number: unknown, tolerance: unknown): Expected {
  if (typeof number !== "number" || !Number.isFinite(number)) {
    throw new RangeError(`number must be a number, got ${shown(number)}`);
  }
  if (typeof tolerance !== "number" || !(tolerance >= 0) || tolerance === Infinity) {
    throw new RangeError(`tolerance must be a number from 0, got ${shown(tolerance)}`);
  }
  return { number, tolerance };
}

function readChoice(value: unknown): Expected {
  if (typeof value === "string" && /^\(?[a-z]\)?$/i.test(value.trim())) {
    return { choice: value.replace(/[^a-z]/gi, "").toUpperCase() };
  }
  throw new RangeError(`choice must be one letter, got ${shown(value)}`);
}

function readKeywords(value: unknown): Expected {
  if (!Array.isArray(value) || value.length === 0) {
    throw new RangeError(`keywords must be a list of texts, got ${shown(value)}`);
  }
  return {
    keywords: value.map((keyword) => {
      if (!Array.isArray(keyword)) return text(keyword, "keywords");
      if (keyword.length === 0) throw new RangeError("A list of keywords must not be empty");
      return keyword.map((one) => text(one, "keywords"));
    }),
  };
}

function readToolCalls(value: unknown): Expected {
  if (!Array.isArray(value)) {
    throw new RangeError(`tool_calls must be a list, got ${shown(value)}`);
  }
  return { "tool_calls": value.map(readToolCall) };
}

/** A call with name and arguments, or in a form of replies: `function`, arguments as text, `input`. */
function readToolCall(value: unknown): { readonly name: string; readonly arguments: unknown } {
  const call = isFields(value) && isFields(value["function"]) ? value["function"] : value;
  if (!isFields(call)) throw new RangeError(`A tool call must be an object, got ${shown(value)}`);
  const name = text(call["name"], "name of a tool call");
  let given = call["arguments"] ?? call["input"];
  const unknown = Object.keys(call).find((key) => !CALL_KEYS.has(key));
  if (given === undefined && unknown !== undefined) {
    throw new RangeError(`Unknown key "${unknown}" in the tool call ${name}; use "arguments"`);
  }
  given ??= {};
  if (given === "") given = {};
  if (typeof given === "string") {
    try {
      given = JSON.parse(given);
    } catch {
      throw new RangeError(`arguments of ${name} must be JSON`);
    }
  }
  if (!isFields(given)) {
    throw new RangeError(`arguments of ${name} must be an object, got ${shown(given)}`);
  }
  return { name, arguments: given };
}

/** The beginning of a value, for messages. */
function shown(value: unknown): string {
  const json = JSON.stringify(value) ?? "nothing";
  return json.length > 60 ? `${json.slice(0, 57)}...` : json;
}
