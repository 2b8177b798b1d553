const QUOTE = 34;
const PLUS = 43;
const COMMA = 44;
const MINUS = 45;
const POINT = 46;
const ZERO = 48;
const ONE = 49;
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
/** 1 for each byte that is part of a string as it is. */
const IS_PLAIN = Uint8Array.from(
  { length: 256 },
  (_, byte) => byte < 32 || byte === QUOTE || byte === BACKSLASH ? 0 : 1,
);
/** Four bytes in one number that all have one value. */
const [LOWS, BLANKS, QUOTES, BACKSLASHES] = [0x01010101, 0x20202020, 0x22222222, 0x5c5c5c5c];
/** The highest bit of each of four bytes. */
const HIGHS = 0x80808080;

/**
 * Finds where values of JSON end in the bytes of lines, and checks their syntax on the way. A value that is
 * not valid, does not end in its line or is nested too deeply has no end, which is -1.
 */
export class JsonScanner {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly #words: Int32Array;

  /** @param bytes a multiple of four, with a line end behind each value */
  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.bytes = bytes;
    this.#words = new Int32Array(bytes.buffer);
  }

  /** Returns the place behind a value. */
  valueEnd(start: number, level = 0): number {
    switch (this.bytes[start]) {
      case QUOTE:
        return this.stringEnd(start);
      case OPEN_BRACE:
        return level > MOST_LEVELS ? -1 : this.#objectEnd(start, level + 1);
      case OPEN_BRACKET:
        return level > MOST_LEVELS ? -1 : this.#listEnd(start, level + 1);
      default:
        return this.scalarEnd(start);
    }
  }

  /** Returns the first place that is not blank. A line end is not blank. */
  blanksEnd(start: number): number {
    const { bytes } = this;
    let at = start;
    for (let byte = bytes[at] as number; byte <= 32; byte = bytes[++at] as number) {
      if (byte !== 32 && byte !== 9 && byte !== 13) break;
    }
    return at;
  }

  /** Returns the place behind a string, which begins with a quotation mark. */
  stringEnd(start: number): number {
    const { bytes } = this;
    let at = start + 1;
    for (;;) {
      const byte = bytes[at] as number;
      if (IS_PLAIN[byte] === 1) {
        at++;
        if ((at & 3) === 0) at = this.#plainEnd(at);
      } else if (byte === QUOTE) return at + 1;
      else if (byte !== BACKSLASH) return -1;
      else if (IS_ESCAPED[bytes[at + 1] as number] === 1) at += 2;
      else if (isUnicodeEscape(bytes, at)) at += 6;
      else return -1;
    }
  }

  /** Returns the place of the quotation mark behind a name, which begins here; -1 if it has escapes. */
  nameEnd(start: number): number {
    const { bytes } = this;
    let at = start;
    while (IS_PLAIN[bytes[at] as number] === 1) {
      at++;
      if ((at & 3) === 0) at = this.#plainEnd(at);
    }
    return bytes[at] === QUOTE ? at : -1;
  }

  /** Returns the place of the first four bytes of which one may be special in a string. */
  #plainEnd(start: number): number {
    const words = this.#words;
    let at = start >> 2;
    for (;; at++) {
      const four = words[at] as number;
      // Sets the highest bit of bytes below 32, and of those equal to one of the two characters.
      const below = (four - BLANKS) | ((four ^ QUOTES) - LOWS) | ((four ^ BACKSLASHES) - LOWS);
      if ((below & ~four & HIGHS) !== 0) return at << 2;
    }
  }

  /** Returns the place behind a number or a word. */
  scalarEnd(start: number): number {
    const { bytes } = this;
    const word = WORDS[bytes[start] as number];
    if (word === undefined) return numberEnd(bytes, start);
    for (let i = 1; i < word.length; i++) if (bytes[start + i] !== word[i]) return -1;
    return start + word.length;
  }

  #objectEnd(start: number, level: number): number {
    const { bytes } = this;
    let at = this.blanksEnd(start + 1);
    if (bytes[at] === CLOSE_BRACE) return at + 1;
    for (;;) {
      if (bytes[at] !== QUOTE) return -1;
      at = this.stringEnd(at);
      if (at < 0) return -1;
      at = this.blanksEnd(at);
      if (bytes[at] !== COLON) return -1;
      at = this.valueEnd(this.blanksEnd(at + 1), level);
      if (at < 0) return -1;
      at = this.blanksEnd(at);
      const byte = bytes[at++];
      if (byte === CLOSE_BRACE) return at;
      if (byte !== COMMA) return -1;
      at = this.blanksEnd(at);
    }
  }

  #listEnd(start: number, level: number): number {
    const { bytes } = this;
    let at = this.blanksEnd(start + 1);
    if (bytes[at] === CLOSE_BRACKET) return at + 1;
    for (;;) {
      at = wholeNumbersEnd(bytes, at);
      at = this.valueEnd(at, level);
      if (at < 0) return -1;
      at = this.blanksEnd(at);
      const byte = bytes[at++];
      if (byte === CLOSE_BRACKET) return at;
      if (byte !== COMMA) return -1;
      at = this.blanksEnd(at);
    }
  }
}

function wordsByLetter(words: readonly string[]): (Uint8Array | undefined)[] {
  const encoder = new TextEncoder();
  const byLetter = new Array<Uint8Array | undefined>(256).fill(undefined);
  for (const word of words) byLetter[word.charCodeAt(0)] = encoder.encode(word);
  return byLetter;
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

function numberEnd(bytes: Uint8Array, start: number): number {
  let at = bytes[start] === MINUS ? start + 1 : start;
  if (bytes[at] === ZERO) at++;
  else if ((at = digitsEnd(bytes, at)) < 0) return -1;
  if (bytes[at] === POINT && (at = digitsEnd(bytes, at + 1)) < 0) return -1;
  if (((bytes[at] as number) | 32) !== 101) return at;
  const sign = bytes[at + 1];
  return digitsEnd(bytes, sign === MINUS || sign === PLUS ? at + 2 : at + 1);
}

function digitsEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  for (let byte = bytes[at] as number; byte >= ZERO && byte <= NINE;) byte = bytes[++at] as number;
  return at === start ? -1 : at;
}

/** Returns the place of the first element that may not be a whole number followed by another element. */
function wholeNumbersEnd(bytes: Uint8Array, start: number): number {
  let element = start;
  let at = start;
  for (;;) {
    let byte = bytes[at] as number;
    if (byte < ONE || byte > NINE) return element;
    do byte = bytes[++at] as number; while (byte >= ZERO && byte <= NINE);
    if (byte !== COMMA) return element;
    if (bytes[++at] === 32) at++;
    element = at;
  }
}
