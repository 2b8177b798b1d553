import { isFields } from "../../../client/endpoint/protocol/json_fields.ts";

/** Keyword by which the evaluation of a reference is counted. */
export const STEP_KEYWORD = "x-inferometer-step";

type Fields = Readonly<Record<string, unknown>>;

/** Keywords whose values are no schemas. */
const VALUES: ReadonlySet<string> = new Set([
  ...["const", "enum", "default", "example", "examples", "dependentRequired"],
]);
/** Keywords whose values are schemas by a name that the author chose. */
const NAMED: ReadonlySet<string> = new Set([
  ...["properties", "patternProperties", "$defs", "definitions"],
  ...["dependentSchemas", "dependencies"],
]);
/** Keywords that exclude the limits themselves. */
const EXCLUSIVE: Readonly<Record<string, string>> = {
  "minimum": "exclusiveMinimum",
  "maximum": "exclusiveMaximum",
};
const REFERENCES: readonly string[] = ["$ref", "$dynamicRef", "$recursiveRef"];

/**
 * Returns a schema whose references are counted when they are evaluated: without recursion, the time
 * of a check is limited by the sizes of schema and reply, and recursion needs a reference.
 *
 * The dialect is left out, since the caller has chosen it, and so is the identifier of the whole, by
 * which two schemas would be confused.
 */
export function tameSchema(schema: unknown): unknown {
  const counted = withSteps(schema);
  if (!isFields(counted)) return counted;
  const { "$schema": _dialect, "$id": _id, id, ...rest } = counted;
  return typeof id === "string" || id === undefined ? rest : { id, ...rest };
}

function withSteps(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withSteps);
  if (!isFields(schema)) return schema;
  const entries = Object.entries(schema).flatMap(([name, value]): [string, unknown][] => {
    if (VALUES.has(name)) return [[name, value]];
    // In draft 04 and OpenAPI 3.0, these keywords are booleans next to the limit.
    const exclusive = EXCLUSIVE[name];
    if (exclusive !== undefined && schema[exclusive] === true) return [[exclusive, value]];
    if (typeof value === "boolean" && Object.values(EXCLUSIVE).includes(name)) return [];
    // OpenAPI's keyword is one only where a type is given.
    if (name === "nullable" && schema["type"] === undefined) return [];
    if (NAMED.has(name) && isFields(value)) {
      const named = Object.entries(value).map(([key, one]) => [key, withSteps(one)]);
      return [[name, Object.fromEntries(named)]];
    }
    return [[name, withSteps(value)]];
  });
  const refers = REFERENCES.some((name) => typeof schema[name] === "string");
  return Object.fromEntries(refers ? [[STEP_KEYWORD, true], ...entries] : entries);
}

/** Whether any part of a schema has a keyword with such a value. */
export function hasKeyword(
  schema: unknown,
  found: (name: string, value: unknown) => boolean,
): boolean {
  if (Array.isArray(schema)) return schema.some((one) => hasKeyword(one, found));
  if (!isFields(schema)) return false;
  return Object.entries(schema).some(([name, value]) =>
    NAMED.has(name) && isFields(value)
      ? Object.values(value).some((one) => hasKeyword(one, found))
      : found(name, value) || (!VALUES.has(name) && hasKeyword(value, found))
  );
}
