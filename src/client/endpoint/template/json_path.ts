/** Finds the value at a path of a JSON value; undefined where there is none. */
export type JsonPath = (json: unknown) => unknown;

/** A name, `"a name"`, an index, or all entries of a list. */
type Step = string | number | typeof ALL;
const ALL = Symbol("all");
const STEP =
  /^(?:\.?([A-Za-z_][\w-]*)|\.?"((?:[^"\\]|\\.)+)"|\.?'([^']+)'|\[(-?\d{1,9})\]|\[\*?\])/;
/** A name in brackets, as JSONPath has it. */
const IN_BRACKETS = /^\[\s*(?:"((?:[^"\\]|\\.)+)"|'((?:[^'\\]|\\.)+)')\s*\]/;

/**
 * Reads a path such as `data[0].text`, `$.choices[0].delta.content` or `results[].text`: names,
 * indices (negative ones count from the end), names in brackets and quotes, and `[]` or `[*]` for
 * all entries of a list. These are paths of JMESPath and JSONPath; there are no filters and no
 * functions.
 * @throws {RangeError} if the text is not such a path
 */
export function jsonPath(text: string): JsonPath {
  const steps: Step[] = [];
  let rest = text.trim().replace(/^\$(?=[.[]|$)/, "");
  while (rest !== "") {
    const bracketed = IN_BRACKETS.exec(rest);
    if (bracketed !== null && steps.length < 64) {
      const [whole, double, single = ""] = bracketed;
      steps.push((double ?? single).replace(/\\(.)/g, "$1"));
      rest = rest.slice(whole.length);
      continue;
    }
    const match = STEP.exec(rest);
    if (match === null || (steps.length === 0 && rest.startsWith("..")) || steps.length >= 64) {
      throw new RangeError(
        `Expected a path of names and indices such as data[0].text, got "${text}"`,
      );
    }
    const [whole, name, quoted, other, index] = match;
    if (index !== undefined) steps.push(Number(index));
    else steps.push(name ?? quoted?.replace(/\\(.)/g, "$1") ?? other ?? ALL);
    rest = rest.slice(whole.length);
  }
  if (steps.length === 0) {
    throw new RangeError(`Expected a path such as data[0].text, got "${text}"`);
  }
  return (json) => valueAt(json, steps, 0);
}

function valueAt(json: unknown, steps: readonly Step[], at: number): unknown {
  let value = json;
  for (let index = at; index < steps.length; index++) {
    const step = steps[index] as Step;
    if (typeof step === "string") {
      const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
      if (!isObject || !Object.hasOwn(value as object, step)) return undefined;
      value = (value as Record<string, unknown>)[step];
    } else if (!Array.isArray(value)) {
      return undefined;
    } else if (typeof step === "number") {
      value = value.at(step);
    } else {
      const found = value.map((entry) => valueAt(entry, steps, index + 1))
        .filter((entry) => entry !== undefined && entry !== null);
      return found.length === 0 ? undefined : found;
    }
  }
  return value;
}
