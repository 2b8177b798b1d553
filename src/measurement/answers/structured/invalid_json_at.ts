const SPACE = /[ \t\n\r]*/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
/** The part of a scalar that is right so far. */
const SCALAR_START =
  /-?(?:0|[1-9]\d*)(?:\.(?:\d+(?:[eE][+-]?)?)?|[eE][+-]?)?|-|t(?:ru?)?|f(?:als?|a)?|n(?:ul?)?/y;
// deno-lint-ignore no-control-regex
const STRING_PART = /(?:[^"\\\u0000-\u001f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*/y;
const ESCAPE_START = /\\(?:u[0-9a-fA-F]{0,3})?/y;

/** The kind of token that may come next. */
type Expected = "value" | "firstItem" | "firstKey" | "key" | "colon" | "after";

/**
 * Returns the first character, from 0, at which a text can no longer be JSON: the length of the text
 * if only its end is missing. Returns undefined for JSON.
 */
export function invalidJsonAt(text: string): number | undefined {
  const open: ("{" | "[")[] = [];
  let expected: Expected = "value";
  let at = 0;
  for (;;) {
    at = endOf(SPACE, text, at) ?? at;
    const char = text[at];
    if (expected === "after" && open.length === 0) return char === undefined ? undefined : at;
    if (char === undefined) return at;
    const holder = open.at(-1);
    if (isClosing(char, holder, expected)) {
      open.pop();
      expected = "after";
      at++;
    } else if (expected === "after") {
      if (char !== ",") return at;
      expected = holder === "{" ? "key" : "value";
      at++;
    } else if (expected === "colon") {
      if (char !== ":") return at;
      expected = "value";
      at++;
    } else if (expected === "key" || expected === "firstKey") {
      if (char !== '"') return at;
      const end = stringEnd(text, at);
      if (end.isBroken) return end.at;
      at = end.at;
      expected = "colon";
    } else if (char === "{" || char === "[") {
      open.push(char);
      expected = char === "{" ? "firstKey" : "firstItem";
      at++;
    } else {
      const end = char === '"' ? stringEnd(text, at) : scalarEnd(text, at);
      if (end.isBroken) return end.at;
      at = end.at;
      expected = "after";
    }
  }
}

/** Whether a character closes the innermost object or array. */
function isClosing(char: string, holder: "{" | "[" | undefined, expected: Expected): boolean {
  return holder === "{"
    ? char === "}" && (expected === "after" || expected === "firstKey")
    : holder === "[" && char === "]" && (expected === "after" || expected === "firstItem");
}

/** The end of a token, or the character at which it is broken. */
interface TokenEnd {
  readonly at: number;
  readonly isBroken: boolean;
}

function stringEnd(text: string, start: number): TokenEnd {
  const end = endOf(STRING_PART, text, start + 1) ?? start + 1;
  if (text[end] === '"') return { at: end + 1, isBroken: false };
  return { at: endOf(ESCAPE_START, text, end) ?? end, isBroken: true };
}

function scalarEnd(text: string, start: number): TokenEnd {
  const end = endOf(SCALAR, text, start);
  const broken = endOf(SCALAR_START, text, start) ?? start;
  // A number may go on behind what is a number already, as in `1.` and `1e`.
  return end === undefined || broken > end
    ? { at: broken, isBroken: true }
    : { at: end, isBroken: false };
}

/** End of what a pattern matches at a place; undefined if it does not match there. */
function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
