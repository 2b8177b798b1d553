/** Finds where values of JSON end in the bytes of a line, and checks their syntax on the way. */

const QUOTE = 34;
const COMMA = 44;
const MINUS = 45;
const POINT = 46;
const ZERO = 48;
const NINE = 57;
const COLON = 58;
const OPEN_BRACKET = 91;
const BACKSLASH = 92;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

/** Objects and lists within each other that are followed. */
const MOST_LEVELS = 100;

/** The words of JSON by their first letters. */
const WORDS: readonly (Uint8Array | undefined)[] = wordsByLetter(["true", "false", "null"]);
/** 1 for each letter that may follow a backslash, except u. */
const IS_ESCAPED = Uint8Array.from(
  { length: 256 },
  (_, byte) => '"\\/bfnrt'.includes(String.fromCharCode(byte)) ? 1 : 0,
);

function wordsByLetter(words: readonly string[]): (Uint8Array | undefined)[] {
  const encoder = new TextEncoder();
  const byLetter = new Array<Uint8Array | undefined>(256).fill(undefined);
  for (const word of words) byLetter[word.charCodeAt(0)] = encoder.encode(word);
  return byLetter;
}

/**
 * Returns the place behind a value; -1 if it is not valid, does not end in its line, or is nested too
 * deeply.
 * @param bytes with a line end behind the value
 */
export function valueEnd(bytes: Uint8Array, start: number, level = 0): number {
  switch (bytes[start]) {
    case QUOTE:
      return stringEnd(bytes, start);
    case OPEN_BRACE:
      return level > MOST_LEVELS ? -1 : objectEnd(bytes, start, level + 1);
    case OPEN_BRACKET:
      return level > MOST_LEVELS ? -1 : listEnd(bytes, start, level + 1);
    default:
      return scalarEnd(bytes, start);
  }
}

/** Returns the first place that is not blank. A line end is not blank. */
export function blanksEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  for (let byte = bytes[at] as number; byte <= 32; byte = bytes[++at] as number) {
    if (byte !== 32 && byte !== 9 && byte !== 13) break;
  }
  return at;
}

/** Returns the place behind a string, which begins with a quotation mark; -1 if it is not valid. */
export function stringEnd(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  for (;;) {
    const byte = bytes[at] as number;
    if (byte > BACKSLASH) at++;
    else if (byte === QUOTE) return at + 1;
    else if (byte < 32) return -1;
    else if (byte !== BACKSLASH) at++;
    else if (IS_ESCAPED[bytes[at + 1] as number] === 1) at += 2;
    else if (isUnicodeEscape(bytes, at)) at += 6;
    else return -1;
  }
}

function isUnicodeEscape(bytes: Uint8Array, start: number): boolean {
  if (bytes[start + 1] !== 117) return false;
  for (let at = start + 2; at < start + 6; at++) {
    const byte = bytes[at] as number;
    // A line end is no digit: the search stays within the line.
    const letter = byte | 32;
    if (!(byte >= ZERO && byte <= NINE) && !(letter >= 97 && letter <= 102)) return false;
  }
  return true;
}

/** Returns the place behind a number or a word; -1 if it is neither. */
export function scalarEnd(bytes: Uint8Array, start: number): number {
  const word = WORDS[bytes[start] as number];
  if (word === undefined) return numberEnd(bytes, start);
  for (let i = 1; i < word.length; i++) if (bytes[start + i] !== word[i]) return -1;
  return start + word.length;
}

function numberEnd(bytes: Uint8Array, start: number): number {
  let at = bytes[start] === MINUS ? start + 1 : start;
  if (bytes[at] === ZERO) at++;
  else if ((at = digitsEnd(bytes, at)) < 0) return -1;
  if (bytes[at] === POINT && (at = digitsEnd(bytes, at + 1)) < 0) return -1;
  if (((bytes[at] as number) | 32) !== 101) return at;
  const sign = bytes[at + 1];
  return digitsEnd(bytes, sign === MINUS || sign === 43 ? at + 2 : at + 1);
}

function digitsEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  for (let byte = bytes[at] as number; byte >= ZERO && byte <= NINE;) byte = bytes[++at] as number;
  return at === start ? -1 : at;
}

function objectEnd(bytes: Uint8Array, start: number, level: number): number {
  let at = blanksEnd(bytes, start + 1);
  if (bytes[at] === CLOSE_BRACE) return at + 1;
  for (;;) {
    if (bytes[at] !== QUOTE) return -1;
    at = stringEnd(bytes, at);
    if (at < 0) return -1;
    at = blanksEnd(bytes, at);
    if (bytes[at] !== COLON) return -1;
    at = valueEnd(bytes, blanksEnd(bytes, at + 1), level);
    if (at < 0) return -1;
    at = blanksEnd(bytes, at);
    const byte = bytes[at++];
    if (byte === CLOSE_BRACE) return at;
    if (byte !== COMMA) return -1;
    at = blanksEnd(bytes, at);
  }
}

function listEnd(bytes: Uint8Array, start: number, level: number): number {
  let at = blanksEnd(bytes, start + 1);
  if (bytes[at] === CLOSE_BRACKET) return at + 1;
  for (;;) {
    at = valueEnd(bytes, at, level);
    if (at < 0) return -1;
    at = blanksEnd(bytes, at);
    const byte = bytes[at++];
    if (byte === CLOSE_BRACKET) return at;
    if (byte !== COMMA) return -1;
    at = blanksEnd(bytes, at);
  }
}
