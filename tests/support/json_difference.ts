/** A place in which two JSON values differ. */
export interface JsonDifference {
  /** Keys and indices from the root, joined by `/`. */
  readonly path: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

/** Stands for a key or an entry that is not there. */
export const MISSING = Symbol("missing");

const RELATIVE_TOLERANCE = 1e-9;

/**
 * Everything in which a JSON value differs from another. Numbers are the same within 1e-9 of their
 * size; where both were written as whole numbers too large for doubles, only digit for digit.
 */
export function* jsonDifferences(
  expected: unknown,
  actual: unknown,
  path = "",
): Generator<JsonDifference> {
  if (Array.isArray(expected) && Array.isArray(actual)) {
    for (let index = 0; index < Math.max(expected.length, actual.length); index++) {
      const at = (list: unknown[]) => index < list.length ? list[index] : MISSING;
      yield* jsonDifferences(at(expected), at(actual), `${path}/${index}`);
    }
  } else if (isObject(expected) && isObject(actual)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
      const at = (object: Record<string, unknown>) => key in object ? object[key] : MISSING;
      yield* jsonDifferences(at(expected), at(actual), `${path}/${key}`);
    }
  } else if (!isSame(expected, actual)) {
    yield { path, expected, actual };
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isSame(expected: unknown, actual: unknown): boolean {
  if (Object.is(expected, actual)) return true;
  if (typeof expected === "bigint" && typeof actual === "bigint") return expected === actual;
  if (!isNumber(expected) || !isNumber(actual)) return false;
  const [a, b] = [Number(expected), Number(actual)];
  return Math.abs(a - b) <= RELATIVE_TOLERANCE * Math.max(Math.abs(a), Math.abs(b));
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

/** Parses JSON; whole numbers that a double may not hold become big integers. */
export function parseExactJson(text: string): unknown {
  const revive = (_key: string, value: unknown, context?: { source?: string }): unknown =>
    typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value) &&
      /^-?\d+$/.test(context?.source ?? "")
      ? BigInt(context?.source as string)
      : value;
  return JSON.parse(text, revive as (key: string, value: unknown) => unknown);
}
