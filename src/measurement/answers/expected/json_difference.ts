/** JSON pointer of the first place at which two JSON values differ; undefined if they are equal. */
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
    const pointer = `${place}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
    const [one, other] = [expected, found].map((value) =>
      Object.hasOwn(value, key) ? (value as Record<string | number, unknown>)[key] : MISSING
    );
    const difference = one === MISSING || other === MISSING
      ? pointer
      : jsonDifference(one, other, pointer);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

const MISSING = Symbol("missing");

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
