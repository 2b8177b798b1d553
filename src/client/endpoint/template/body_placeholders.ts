/**
 * Bodies built from a template with `{{ placeholders }}`, as Jinja writes them. No code is run: a
 * placeholder is a name, optionally with an index and filters of a fixed list. Its value is always
 * escaped as JSON: as the inside of a string between quotes, and as a value elsewhere.
 */

import type { BodyFields } from "../protocol/body_format.ts";
import { isFields } from "../protocol/delta.ts";

/** Values by the names of placeholders. */
export type PlaceholderValues = Readonly<Record<string, unknown>>;

/** Makes the fields of a body. */
export type BodyPlaceholders = (values: PlaceholderValues) => BodyFields;

type Filter = (value: unknown, argument: unknown) => unknown;

const onTexts = (change: (text: string) => string): Filter => (value) =>
  typeof value === "string" ? change(value) : value;

const FILTERS: ReadonlyMap<string, Filter> = new Map<string, Filter>([
  ["tojson", (value) => value],
  ["safe", (value) => value],
  ["lower", onTexts((text) => text.toLowerCase())],
  ["upper", onTexts((text) => text.toUpperCase())],
  ["trim", onTexts((text) => text.trim())],
  ["string", (value) => typeof value === "string" ? value : JSON.stringify(value ?? null)],
  ["default", (value, argument) => value ?? argument ?? ""],
  ["first", (value) => Array.isArray(value) ? value[0] : value],
  ["join", (value, argument) => Array.isArray(value) ? value.join(String(argument ?? "")) : value],
]);

interface Placeholder {
  readonly name: string;
  readonly index: number | undefined;
  readonly filters: readonly (readonly [filter: Filter, argument: unknown])[];
  readonly isInString: boolean;
}

const EXPRESSION = /^\s*([A-Za-z_]\w*)\s*(?:\[\s*(\d+)\s*\])?((?:\s*\|[^|]*)*)\s*$/;
const FILTER = /^\s*(\w+)\s*(?:\(\s*(.*?)\s*\))?\s*$/s;

/**
 * Reads a template.
 * @param names the allowed names of placeholders
 * @throws {RangeError} if the template is not valid; the message is a sentence
 */
export function bodyPlaceholders(template: string, names: readonly string[]): BodyPlaceholders {
  const parts: (string | Placeholder)[] = [];
  let isInString = false;
  for (let at = 0; at < template.length;) {
    const open = template.slice(at).search(/\{[{%#]/);
    const literal = open < 0 ? template.slice(at) : template.slice(at, at + open);
    parts.push(literal);
    isInString = endsInString(literal, isInString);
    if (open < 0) break;
    const start = at + open;
    if (template[start + 1] !== "{") {
      throw new RangeError(
        `Only placeholders such as {{ text }} are filled in, got ${
          template.slice(start, start + 20)
        }`,
      );
    }
    const end = template.indexOf("}}", start + 2);
    if (end < 0) throw new RangeError(`The placeholder at character ${start + 1} has no end }}`);
    parts.push(placeholder(template.slice(start + 2, end), names, isInString));
    at = end + 2;
  }
  return (values) => {
    const text = parts.map((part) => typeof part === "string" ? part : filledIn(part, values))
      .join("");
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch (error) {
      throw new RangeError(`The rendered template is not valid JSON: ${(error as Error).message}`);
    }
    if (!isFields(json)) throw new RangeError("The rendered template is not a JSON object");
    return json;
  };
}

/** Whether a piece of JSON that begins inside or outside of a string ends inside of one. */
function endsInString(literal: string, isInside: boolean): boolean {
  let inside = isInside;
  for (let at = 0; at < literal.length; at++) {
    if (literal[at] === "\\" && inside) at++;
    else if (literal[at] === '"') inside = !inside;
  }
  return inside;
}

function placeholder(
  expression: string,
  names: readonly string[],
  isInString: boolean,
): Placeholder {
  const match = EXPRESSION.exec(expression.replace(/^-|-$/g, ""));
  const [, name = "", index, filters = ""] = match ?? [];
  if (match === null || !names.includes(name)) {
    const what = match === null ? expression.trim() : name;
    throw new RangeError(`There is no placeholder {{ ${what} }}: there are ${names.join(", ")}`);
  }
  return {
    name,
    index: index === undefined ? undefined : Number(index),
    filters: filters.split("|").slice(1).map(filterNamed),
    isInString,
  };
}

function filterNamed(text: string): readonly [Filter, unknown] {
  const [, name = "", argument = ""] = FILTER.exec(text) ?? [];
  const filter = FILTERS.get(name);
  if (filter === undefined) {
    throw new RangeError(
      `There is no filter "${text.trim()}": there are ${[...FILTERS.keys()].join(", ")}`,
    );
  }
  if (argument === "") return [filter, undefined];
  const quoted = /^'([^']*)'$/.exec(argument);
  if (quoted !== null) return [filter, quoted[1]];
  try {
    return [filter, JSON.parse(argument)];
  } catch {
    throw new RangeError(`Expected a number or a text in quotes, got ${argument}`);
  }
}

function filledIn({ name, index, filters, isInString }: Placeholder, values: PlaceholderValues) {
  let value = Object.hasOwn(values, name) ? values[name] : undefined;
  if (index !== undefined) value = Array.isArray(value) ? value[index] : undefined;
  for (const [filter, argument] of filters) value = filter(value, argument);
  if (!isInString) return JSON.stringify(value ?? null);
  if (value === undefined || value === null) return "";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return JSON.stringify(text).slice(1, -1);
}
