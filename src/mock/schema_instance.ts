/**
 * Values that fit a JSON Schema, by the mock's own code: a checker of replies must not share its reading
 * of schemas with the server that writes them.
 */

import { isFields } from "../client/endpoint/protocol/json_fields.ts";
import type { RandomStream } from "../core/statistics/random_stream.ts";
import { patternInstance } from "./pattern_instance.ts";
import { formattedText } from "./schema_formats.ts";

/** Depth from which only required parts are written, and alternatives that end soonest. */
const DEEP = 5;
/** Depth at which a schema that contains itself is given up. */
const DEEPEST = 24;
/** Share of the properties that may be absent and are written. */
const OPTIONAL_SHARE = 0.5;
/** Items of an array above its lower limit. */
const MAX_MORE_ITEMS = 2;
/** Number of values that are drawn until they differ, or have the right length. */
const DRAWS = 40;
const WORDS = ["alpha", "bravo", "delta", "echo", "golf", "hotel", "india", "kilo"];

type Schema = Readonly<Record<string, unknown>>;

/** Returns a value that fits a schema; undefined where none does. */
export function schemaInstance(schema: unknown, random: RandomStream): unknown {
  return new InstanceWriter(schema, random).value(schema, 0);
}

/** Writes a value of one document of schemas. */
class InstanceWriter {
  readonly #root: unknown;
  readonly #random: RandomStream;

  constructor(root: unknown, random: RandomStream) {
    this.#root = root;
    this.#random = random;
  }

  value(given: unknown, depth: number): unknown {
    if (given === false || depth > DEEPEST) return undefined;
    const schema = this.#whole(isFields(given) ? given : {}, depth);
    if (schema === undefined) return undefined;
    if ("const" in schema) return schema["const"];
    if (Array.isArray(schema["enum"])) return this.#oneOf(schema["enum"]);
    switch (this.#typeOf(schema, depth)) {
      case "object":
        return this.#object(schema, depth);
      case "array":
        return this.#array(schema, depth);
      case "number":
        return this.#number(schema, false);
      case "integer":
        return this.#number(schema, true);
      case "boolean":
        return this.#random() < 0.5;
      case "null":
        return null;
      default:
        return this.#string(schema);
    }
  }

  /** A schema with what it refers to, all that it requires, and one of its alternatives. */
  #whole(schema: Schema, depth: number, seen: readonly unknown[] = []): Schema | undefined {
    let { $ref, allOf, anyOf, oneOf, ...whole }: Schema = schema;
    const parts: unknown[] = Array.isArray(allOf) ? [...allOf] : [];
    if (typeof $ref === "string") {
      const target = this.#target($ref);
      if (target === undefined || seen.includes(target)) return undefined;
      parts.push(target);
      seen = [...seen, target];
    }
    for (const alternatives of [anyOf, oneOf]) {
      if (!Array.isArray(alternatives) || alternatives.length === 0) continue;
      const simple = alternatives.filter((one) => !JSON.stringify(one).includes('"$ref"'));
      parts.push(this.#oneOf(depth >= DEEP && simple.length > 0 ? simple : alternatives));
    }
    for (const part of parts) {
      if (part === false) return undefined;
      const added = isFields(part) ? this.#whole(part, depth, seen) : {};
      if (added === undefined) return undefined;
      whole = merged(whole, added);
    }
    return whole;
  }

  #target(reference: string): unknown {
    if (!reference.startsWith("#")) return undefined;
    let at: unknown = this.#root;
    for (const step of reference.slice(1).split("/").slice(1)) {
      const name = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
      at = isFields(at) || Array.isArray(at) ? (at as Schema)[name] : undefined;
    }
    return at;
  }

  #typeOf(schema: Schema, depth: number): unknown {
    const { type } = schema;
    if (Array.isArray(type)) {
      const simple = type.filter((name) => name !== "object" && name !== "array");
      return this.#oneOf(depth >= DEEP && simple.length > 0 ? simple : type);
    }
    if (type !== undefined) return type;
    const has = (...names: string[]) => names.some((name) => name in schema);
    if (has("properties", "required", "additionalProperties", "minProperties")) return "object";
    if (has("items", "prefixItems", "minItems", "contains")) return "array";
    if (has("minimum", "maximum", "multipleOf", "exclusiveMinimum")) return "number";
    return "string";
  }

  #object(schema: Schema, depth: number): unknown {
    const { patternProperties, additionalProperties } = schema;
    const properties = isFields(schema["properties"]) ? schema["properties"] : {};
    const required = new Set(namesOf(schema["required"]));
    const dependent = {
      ...fieldsOf(schema["dependencies"]),
      ...fieldsOf(schema["dependentRequired"]),
    };
    const value: Record<string, unknown> = {};
    const schemaOf = (name: string): unknown => {
      if (Object.hasOwn(properties, name)) return properties[name];
      const matching = Object.entries(fieldsOf(patternProperties))
        .find(([pattern]) => isMatch(pattern, name));
      return matching === undefined ? additionalProperties : matching[1];
    };
    const add = (name: string): boolean => {
      if (Object.hasOwn(value, name)) return true;
      const found = this.value(schemaOf(name), depth + 1);
      if (found === undefined) return false;
      value[name] = found;
      return namesOf(dependent[name]).every(add);
    };
    for (const name of Object.keys(properties)) {
      const isWanted = required.has(name) || (depth < DEEP && this.#random() < OPTIONAL_SHARE);
      if (isWanted && !add(name) && required.has(name)) return undefined;
    }
    for (const name of required) if (!add(name)) return undefined;
    const least = numberOf(schema["minProperties"]) ?? 0;
    const more = [...Object.keys(properties), ...WORDS, ...WORDS.map((word) => `${word}_2`)];
    for (const name of more) {
      if (Object.keys(value).length >= least) break;
      add(name);
    }
    return value;
  }

  #array(schema: Schema, depth: number): unknown {
    const { items, prefixItems } = schema;
    const places = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
    const rest = Array.isArray(items) ? schema["additionalItems"] : items;
    const least = Math.max(
      numberOf(schema["minItems"]) ?? 0,
      "contains" in schema ? numberOf(schema["minContains"]) ?? 1 : 0,
    );
    const most = Math.min(
      numberOf(schema["maxItems"]) ?? Infinity,
      depth >= DEEP ? least : Math.max(least + MAX_MORE_ITEMS, places.length),
      rest === false ? places.length : Infinity,
    );
    const count = least + Math.floor(this.#random() * (Math.max(most - least, 0) + 1));
    const found: unknown[] = [];
    for (let draw = 0; found.length < count && draw < count + DRAWS; draw++) {
      const place = found.length;
      const isContained = "contains" in schema && place < (numberOf(schema["minContains"]) ?? 1);
      const item = isContained && place >= places.length
        ? schema["contains"]
        : places[place] ?? rest;
      const value = this.value(item, depth + 1);
      const text = JSON.stringify(value);
      if (value === undefined) break;
      if (schema["uniqueItems"] === true && found.some((one) => JSON.stringify(one) === text)) {
        continue;
      }
      found.push(value);
    }
    return found.length < least ? undefined : found;
  }

  #number(schema: Schema, isInteger: boolean): number {
    const { exclusiveMinimum, exclusiveMaximum } = schema;
    const step = numberOf(schema["multipleOf"]) ?? (isInteger ? 1 : 0.5);
    const [above, below] = [numberOf(exclusiveMinimum), numberOf(exclusiveMaximum)];
    const low = Math.max(numberOf(schema["minimum"]) ?? -Infinity, above ?? -Infinity);
    const high = Math.min(numberOf(schema["maximum"]) ?? Infinity, below ?? Infinity);
    const isOpenLow = low === above || exclusiveMinimum === true;
    const isOpenHigh = high === below || exclusiveMaximum === true;
    const from = Number.isFinite(low) ? low : Math.min(0, high - 100 * step);
    let first = Math.ceil(from / step - 1e-9);
    if (isOpenLow && first * step <= low) first++;
    let last = Number.isFinite(high) ? Math.floor(high / step + 1e-9) : first + 100;
    if (isOpenHigh && last * step >= high) last--;
    if (last < first && !isInteger && schema["multipleOf"] === undefined) return (low + high) / 2;
    const multiple = first + Math.floor(this.#random() * (Math.min(last - first, 1000) + 1));
    return Number((multiple * step).toPrecision(12));
  }

  #string(schema: Schema): string | undefined {
    const least = numberOf(schema["minLength"]) ?? 0;
    const most = numberOf(schema["maxLength"]) ?? Infinity;
    const { pattern, format } = schema;
    const fits = (text: string) => [...text].length >= least && [...text].length <= most;
    if (typeof pattern === "string") {
      for (let draw = 0; draw < DRAWS; draw++) {
        const text = patternInstance(pattern, this.#random);
        if (text === undefined || fits(text)) return text;
      }
      return undefined;
    }
    const formatted = typeof format === "string" ? formattedText(format, this.#random) : undefined;
    if (formatted !== undefined) return formatted;
    let text = this.#oneOf(WORDS) as string;
    while (text.length < least) text += ` ${this.#oneOf(WORDS)}`;
    return text.slice(0, Math.min(most, Math.max(text.length, least)));
  }

  #oneOf(values: readonly unknown[]): unknown {
    return values[Math.floor(this.#random() * values.length)];
  }
}

/** Two schemas as one that requires both, keyword by keyword. */
function merged(one: Schema, other: Schema): Schema {
  const result: Record<string, unknown> = { ...one };
  for (const [keyword, value] of Object.entries(other)) {
    const known = result[keyword];
    if (known === undefined) result[keyword] = value;
    else if (keyword === "required") result[keyword] = [...namesOf(known), ...namesOf(value)];
    else if (keyword === "enum" && Array.isArray(known) && Array.isArray(value)) {
      const texts = new Set(value.map((one) => JSON.stringify(one)));
      result[keyword] = known.filter((one) => texts.has(JSON.stringify(one)));
    } else if (/^(min|exclusiveMin)/.test(keyword) && typeof known === "number") {
      result[keyword] = Math.max(known, Number(value));
    } else if (/^(max|exclusiveMax)/.test(keyword) && typeof known === "number") {
      result[keyword] = Math.min(known, Number(value));
    } else if (isFields(known) && isFields(value)) result[keyword] = merged(known, value);
    else if (keyword !== "additionalProperties" || known !== false) result[keyword] = value;
  }
  return result;
}

function isMatch(pattern: string, name: string): boolean {
  try {
    return new RegExp(pattern, "u").test(name);
  } catch {
    return false;
  }
}

function namesOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];
}

function fieldsOf(value: unknown): Schema {
  return isFields(value) ? value : {};
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}
