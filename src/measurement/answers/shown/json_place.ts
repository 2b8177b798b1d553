const SPACE = /\s*/y;
const STRING = /"(?:[^"\\]|\\[\s\S])*"/y;
/** Tokens that decide where a value ends: strings, brackets and commas. */
const TOKEN = /"(?:[^"\\]|\\[\s\S])*"|[{}[\],]/g;

/**
 * Returns the character, from 0, at which the value begins that a JSON pointer names; the place of
 * the innermost value around it if the text has no such value.
 * @param text that is JSON
 */
export function jsonPlace(text: string, pointer: string): number {
  let at = afterSpace(text, 0);
  for (const part of pointer.split("/").slice(1)) {
    const member = memberPlace(text, at, part.replaceAll("~1", "/").replaceAll("~0", "~"));
    if (member === undefined) return at;
    at = member;
  }
  return at;
}

/** Where the value of a name or index of an object or array begins; of equal names, the last one. */
function memberPlace(text: string, start: number, name: string): number | undefined {
  const isObject = text[start] === "{";
  if (!isObject && text[start] !== "[") return undefined;
  let found: number | undefined;
  let at = afterSpace(text, start + 1);
  for (let index = 0; at < text.length && text[at] !== "}" && text[at] !== "]"; index++) {
    let own = String(index);
    if (isObject) {
      STRING.lastIndex = at;
      const key = STRING.exec(text)?.[0];
      if (key === undefined) break;
      own = JSON.parse(key);
      at = afterSpace(text, text.indexOf(":", at + key.length) + 1);
    }
    if (own === name) {
      found = at;
      if (!isObject) break;
    }
    const end = valueEnd(text, at);
    at = text[end] === "," ? afterSpace(text, end + 1) : end;
  }
  return found;
}

/** The comma or bracket behind the value that begins at a place. */
function valueEnd(text: string, start: number): number {
  TOKEN.lastIndex = start;
  let depth = 0;
  for (let token = TOKEN.exec(text); token !== null; token = TOKEN.exec(text)) {
    const [char] = token;
    if (depth === 0 && ",}]".includes(char)) return token.index;
    if (char === "{" || char === "[") depth++;
    else if (char === "}" || char === "]") depth--;
  }
  return text.length;
}

function afterSpace(text: string, at: number): number {
  SPACE.lastIndex = at;
  SPACE.test(text);
  return SPACE.lastIndex;
}
