import { losesDigits } from "../../../client/endpoint/protocol/loses_digits.ts";
import { REQUIREMENT_FIELDS } from "./requirement_fields.ts";

/** Fields of a record whose value goes into a body as it is. */
const SENT_FIELDS: readonly string[] = [
  ...["body", "payload", "payloads", "messages", "extra"],
  ...Object.keys(REQUIREMENT_FIELDS),
];

/** Digits, or an exponent, that a number of the machine may not hold. */
const LONG_NUMBER = /\d{16}|\d[eE]\+?\d{3}/;

/** Makes a value that is written as its text; the compiler's library does not know it. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

/**
 * Returns a record whose bodies, and additions to bodies, keep the numbers that a double cannot
 * represent, such as a seed of 64 bits; the turns of the record likewise. All other fields stay
 * unchanged.
 * @param record parsed from `text`
 */
export function withExactNumbers<T>(record: T, text: string): T {
  return LONG_NUMBER.test(text) ? grafted(record, JSON.parse(text, exactly)) as T : record;
}

/** @param context source text of a number, which newer runtimes pass to the reviver */
function exactly(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  return typeof value === "number" && source !== undefined &&
      (!Number.isFinite(value) || losesDigits(value, source))
    ? rawJSON(source)
    : value;
}

function grafted(record: unknown, exact: unknown): unknown {
  if (!isObject(record) || !isObject(exact)) return record;
  const fields: Record<string, unknown> = { ...record };
  for (const name of SENT_FIELDS) if (name in exact) fields[name] = exact[name];
  const { turns } = fields;
  const exactTurns = exact["turns"];
  if (Array.isArray(turns) && Array.isArray(exactTurns)) {
    fields["turns"] = turns.map((turn, index) => grafted(turn, exactTurns[index]));
  }
  return fields;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
