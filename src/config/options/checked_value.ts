import { flagOf, type NumberFacts, type OptionSpec } from "./option.ts";
import { similarChoices } from "./similar_choices.ts";
import { UsageError } from "./usage_error.ts";

/**
 * The value of an option as the program uses it: choices are spelt as the table spells them.
 * @throws {UsageError} if it is not of the option's kind, out of its range, or none of its choices; or if
 *   it is known and refused
 */
export function checkedValue(spec: OptionSpec, value: unknown): unknown {
  if (spec.refused !== undefined && value !== false) {
    throw new UsageError(flagOf(spec.name), spec.refused);
  }
  switch (spec.kind) {
    case "flag":
      return typeof value === "boolean" ? value : fail(spec, "true or false", value);
    case "text":
      if (typeof value !== "string") return fail(spec, "a text", value);
      if (value.trim() === "") return fail(spec, "more than an empty text", value);
      return spec.choices === undefined ? value : checkedChoice(spec, spec.choices, value);
    case "texts":
      return checkedTexts(spec, value);
    default:
      return checkedNumber(spec, value);
  }
}

/** Letter case does not matter, nor whether `-` or `_` joins words. */
function checkedChoice(spec: OptionSpec, choices: readonly string[], word: string): string {
  const normal = word.toLowerCase().replaceAll("_", "-");
  const among = spec.kind === "texts" ? "of" : "one of";
  const [, why] = Object.entries(spec.refusedValues ?? {})
    .find(([name]) => normal === name || normal.startsWith(`${name}-`)) ?? [];
  if (why !== undefined) throw new UsageError(flagOf(spec.name), `${normal}: ${why}`);
  const meant = spec.synonyms?.[normal] ?? normal;
  const choice = choices.find((choice) => choice === meant);
  if (choice !== undefined) return choice;
  const guesses = spec.secret ? [] : similarChoices(normal, choices, spec.synonyms);
  return fail(
    spec,
    `${among} ${choices.join(", ")}`,
    word,
    guesses.length === 0
      ? ""
      : ` (Did you mean ${guesses.join(", ").replace(/, (?=[^,]*$)/, " or ")}?)`,
  );
}

/** Each choice once, however they were separated. */
function checkedTexts(spec: OptionSpec, value: unknown): string[] {
  if (spec.single && typeof value === "string") return [value];
  if (!Array.isArray(value)) return fail(spec, "a list of texts", value);
  const texts = value.map((text) => typeof text === "string" ? text : fail(spec, "texts", text));
  const { choices } = spec;
  if (texts.some((text) => text.trim() === "")) return fail(spec, "more than empty texts", value);
  if (choices === undefined) return texts;
  const words = texts.flatMap((text) => text.split(/[\s,]+/)).filter((word) => word !== "");
  return [...new Set(words.map((word) => checkedChoice(spec, choices, word)))];
}

function checkedNumber(spec: OptionSpec & NumberFacts, value: unknown): number {
  const { min, max, exclusive, integer, unlimited } = spec;
  if (typeof value !== "number" || Number.isNaN(value)) return fail(spec, "a number", value);
  if (unlimited && value === Infinity) return value;
  if (value > max) return fail(spec, `at most ${max}`, value);
  if (integer && !Number.isInteger(value)) return fail(spec, "a whole number", value);
  if (exclusive && value <= min) return fail(spec, `greater than ${min}`, value);
  if (value < min) return fail(spec, `at least ${min}`, value);
  return value;
}

function fail({ name, secret }: OptionSpec, wanted: string, value: unknown, more = ""): never {
  const shown = typeof value === "number" ? String(value) : JSON.stringify(value);
  throw new UsageError(flagOf(name), `Must be ${wanted}${secret ? "" : `: got ${shown}`}${more}`);
}
