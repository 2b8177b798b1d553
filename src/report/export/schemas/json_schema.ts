/** A JSON Schema of draft 2020-12, or a part of one. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The dialect that the schemas are written in. */
export const DIALECT = "https://json-schema.org/draft/2020-12/schema";

/** An object that has these properties and no others. */
export function closedObject(
  properties: Readonly<Record<string, JsonSchema>>,
  optional: readonly string[] = [],
): JsonSchema {
  return {
    "type": "object",
    "properties": properties,
    "required": Object.keys(properties).filter((name) => !optional.includes(name)),
    "additionalProperties": false,
  };
}

/**
 * Returns the schema of a JSON file of inferometer that names the version of its layout and its
 * writer.
 */
export function versionedFile(
  name: string,
  description: string,
  properties: Readonly<Record<string, JsonSchema>>,
  optional: readonly string[] = [],
): JsonSchema {
  return {
    "$schema": DIALECT,
    "$id": `urn:inferometer:${name}`,
    "title": name,
    "description": description,
    ...closedObject({
      "schema_version": { "description": "Version of the layout", "const": "1.0" },
      "product": text("The program that wrote it, with its version"),
      ...properties,
    }, optional),
  };
}

/** A list. */
export function listOf(items: JsonSchema, description: string): JsonSchema {
  return { "description": description, "type": "array", "items": items };
}

/** A number. */
export function number(description: string): JsonSchema {
  return { "description": description, "type": "number" };
}

/** A number, or null. */
export function numberOrNull(description: string): JsonSchema {
  return { "description": description, "type": ["number", "null"] };
}

/** A text, or null. */
export function textOrNull(description: string): JsonSchema {
  return { "description": description, "type": ["string", "null"] };
}

/** A whole number that is not negative. */
export function count(description: string): JsonSchema {
  return { "description": description, "type": "integer", "minimum": 0 };
}

/** A lower and an upper bound, in this order. */
export function bounds(description: string): JsonSchema {
  return {
    "description": `${description}: lower and upper bound, certain; null for none`,
    "type": "array",
    "items": { "type": ["number", "null"] },
    "minItems": 2,
    "maxItems": 2,
  };
}

/** A text. */
export function text(description: string): JsonSchema {
  return { "description": description, "type": "string" };
}

/** True or false. */
export function flag(description: string): JsonSchema {
  return { "description": description, "type": "boolean" };
}

/** A time in nanoseconds since 1970, written digit by digit: more than a double can hold. */
export function epochNs(description: string): JsonSchema {
  return count(`${description}; nanoseconds since 1970 (UTC)`);
}

/** A length of time in nanoseconds. */
export function spanNs(description: string): JsonSchema {
  return count(`${description}; nanoseconds`);
}
