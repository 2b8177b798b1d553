import { isFields } from "../../../client/endpoint/protocol/json_fields.ts";

/**
 * JSON pointer of the first place at which two JSON values differ, with `*` for a name that only the
 * second one has; undefined if they are equal.
 */
export function jsonDifference(expected: unknown, found: unknown, place = ""): string | undefined {
  if (Object.is(expected, found) || expected === found) return undefined;
  if (Array.isArray(expected) && Array.isArray(found)) {
    return expected.length === found.length
      ? firstDifference(expected.keys(), expected, found, place)
      : place;
  }
  if (!isFields(expected) || !isFields(found)) return place;
  const keys = new Set([...Object.keys(expected), ...Object.keys(found)]);
  return firstDifference(keys, expected, found, place);
}

function firstDifference(
  keys: Iterable<string | number>,
  expected: object,
  found: object,
  place: string,
): string | undefined {
  for (const key of keys) {
    if (!Object.hasOwn(expected, key)) return `${place}/*`;
    const pointer = `${place}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
    if (!Object.hasOwn(found, key)) return pointer;
    const [one, other] = [expected, found].map((value) =>
      (value as Readonly<Record<string | number, unknown>>)[key]
    );
    const difference = jsonDifference(one, other, pointer);
    if (difference !== undefined) return difference;
  }
  return undefined;
}
