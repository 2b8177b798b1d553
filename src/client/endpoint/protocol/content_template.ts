/**
 * Recognizes the events of a stream that differ from an earlier one only in their content.
 *
 * Between the first token and the last, a server repeats the same JSON around each piece of text.
 * Once one such event was parsed, the bytes before and after its text are remembered; an event with
 * the very same bytes around a plain string needs no JSON parser. Anything else, an escape in the
 * text or another field, does not match and is parsed as usual, so the result never differs; only
 * the time does: about 0.1 us per event instead of 1.5 us.
 *
 * The next reply repeats all that but its own ID and time, if those do not affect the content: the
 * first matching event shows their values in this reply.
 */

const QUOTE = 34;
const BACKSLASH = 92;
const ZERO = 48;
const NINE = 57;
const encoder = new TextEncoder();

/** Learning is given up after this many templates in a row that matched nothing. */
const MAX_USELESS = 4;
const NOTHING = new Uint8Array(0);
const NO_WORDS = new DataView(NOTHING.buffer);
/** A field that identifies a reply: the value of a string, or a number. */
const NAMING = /("id":\s?")([^"\\]*)"|("created":\s?)([1-9]\d*)(?=[,}])/g;

/** Text that is the same in all replies, and which kind of value follows it. */
interface Part {
  readonly words: DataView;
  readonly isBeforeNumber: boolean;
}

/** Bytes around the content of the events of one stream. */
export class ContentTemplate {
  /** Buffer for the bytes before the content; the first `#prefixLength` bytes are used. */
  #prefix = NOTHING;
  #prefixWords: DataView = NO_WORDS;
  /** 0 while it is not known in this reply. */
  #prefixLength = 0;
  #suffixWords: DataView = NO_WORDS;
  /**
   * The prefix around the fields that identify the reply; empty if the prefix of the next reply
   * cannot be derived from it.
   */
  #parts: readonly Part[] = [];
  /** The bytes matched last and their view: a stream's reads share one buffer. */
  #bytes: Uint8Array = NOTHING;
  #words: DataView = NO_WORDS;
  #useless = 0;
  #matched = false;
  /** Where the content of the event that was matched last begins and ends. */
  contentStart = 0;
  contentEnd = 0;

  /** Whether there is something to match with. */
  get active(): boolean {
    return this.#prefixLength > 0 || this.#parts.length > 0;
  }

  /** Whether another event is worth learning from. */
  get wanted(): boolean {
    return this.#useless < MAX_USELESS;
  }

  /** Forgets what the last reply was called; another one of the same kind may come. */
  reset(): void {
    this.#prefixLength = 0;
    this.#useless = 0;
    this.#matched = false;
  }

  /**
   * Learns from the data of an event whose only contribution was `content`.
   * @param name the event's, empty for none
   * @param isSame parses a piece of data: whether its only contribution is the given text
   */
  learn(
    name: string,
    data: string,
    content: string,
    isSame: (data: string, content: string) => boolean,
  ): void {
    this.#useless = this.#matched ? 0 : this.#useless + 1;
    this.#matched = false;
    this.#prefixLength = 0;
    this.#parts = [];
    if (!this.wanted) return;
    const literal = JSON.stringify(content);
    const at = data.indexOf(literal);
    if (at < 0 || data.indexOf(literal, at + 1) >= 0) return;
    const before = data.slice(0, at + 1);
    const after = data.slice(at + literal.length - 1);
    // The literal could have been another field with the same value: a probe decides.
    const renamed = before.replace(
      NAMING,
      (_, id, _name, created) => id === undefined ? `${created}1` : `${id}probe"`,
    );
    const isNameless = renamed !== before && isSame(`${renamed}probe${after}`, "probe");
    if (!isNameless && !isSame(`${before}probe${after}`, "probe")) return;
    const opening = `${name === "" ? "" : `event: ${name}\n`}data: `;
    this.#setPrefix(encoder.encode(opening + before));
    this.#suffixWords = wordsOf(`${after}\n\n`);
    if (isNameless) this.#parts = partsOf(opening, before);
  }

  /**
   * Matches an event at `start`, its blank line included.
   * @returns how many bytes it has, 0 if it is not one of these; see `contentStart`, `contentEnd`
   */
  match(bytes: Uint8Array, start: number, end: number): number {
    if (bytes !== this.#bytes) {
      this.#bytes = bytes;
      this.#words = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    }
    if (this.#prefixLength === 0) this.#findPrefix(bytes, start, end);
    const prefixLength = this.#prefixLength;
    const suffixLength = this.#suffixWords.byteLength;
    const contentStart = start + prefixLength;
    if (prefixLength === 0 || contentStart + suffixLength > end) return 0;
    if (!sameBytes(this.#words, start, this.#prefixWords, prefixLength)) return 0;
    const position = stringEnd(bytes, contentStart, end);
    if (position < 0 || position + suffixLength > end) return 0;
    if (!sameBytes(this.#words, position, this.#suffixWords, suffixLength)) return 0;
    this.contentStart = contentStart;
    this.contentEnd = position;
    this.#matched = true;
    return position + suffixLength - start;
  }

  /** Takes the prefix out of an event that has the same one as those of the reply before, but for names. */
  #findPrefix(bytes: Uint8Array, start: number, end: number): void {
    const parts = this.#parts;
    const last = parts.length - 1;
    let position = start;
    for (let i = 0; i <= last; i++) {
      const { words, isBeforeNumber } = parts[i] as Part;
      const length = words.byteLength;
      if (position + length > end || !sameBytes(this.#words, position, words, length)) return;
      position += length;
      if (i === last) break;
      position = isBeforeNumber ? numberEnd(bytes, position, end) : stringEnd(bytes, position, end);
      if (position < 0) return;
    }
    if (position > start) this.#setPrefix(bytes.subarray(start, position));
  }

  #setPrefix(prefix: Uint8Array): void {
    if (prefix.length > this.#prefix.length) {
      this.#prefix = new Uint8Array(prefix.length + 64);
      this.#prefixWords = new DataView(this.#prefix.buffer);
    }
    this.#prefix.set(prefix);
    this.#prefixLength = prefix.length;
  }
}

/** A prefix without the names in it. */
function partsOf(opening: string, before: string): Part[] {
  const parts: Part[] = [];
  let from = 0;
  for (
    const { index, 1: id, 2: value = "", 3: created, 4: number = "" } of before.matchAll(NAMING)
  ) {
    const valueAt = index + (id ?? created ?? "").length;
    parts.push({
      words: wordsOf((from === 0 ? opening : "") + before.slice(from, valueAt)),
      isBeforeNumber: id === undefined,
    });
    from = valueAt + (id === undefined ? number : value).length;
  }
  return [...parts, { words: wordsOf(before.slice(from)), isBeforeNumber: false }];
}

function wordsOf(text: string): DataView {
  return new DataView(encoder.encode(text).buffer);
}

/**
 * Returns the end of an open string without escapes; -1 if the string does not end or has escapes.
 */
function stringEnd(bytes: Uint8Array, start: number, end: number): number {
  for (let position = start; position < end; position++) {
    const byte = bytes[position] as number;
    if (byte === QUOTE) return position;
    if (byte === BACKSLASH || byte < 32) return -1;
  }
  return -1;
}

/** Where a whole number ends; -1 if there is none. */
function numberEnd(bytes: Uint8Array, start: number, end: number): number {
  if (start < end && bytes[start] === ZERO) return -1;
  let position = start;
  while (position < end && isDigit(bytes[position] as number)) position++;
  return position === start ? -1 : position;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}

/**
 * Compares eight bytes at a time, which takes a tenth of the time of one at a time. As numbers,
 * eight bytes equal others only if they are those, but for zero, which no JSON has a byte of.
 */
function sameBytes(bytes: DataView, start: number, expected: DataView, length: number): boolean {
  const wordsEnd = length & ~7;
  for (let i = 0; i < wordsEnd; i += 8) {
    if (bytes.getFloat64(start + i, true) !== expected.getFloat64(i, true)) return false;
  }
  for (let i = wordsEnd; i < length; i++) {
    if (bytes.getUint8(start + i) !== expected.getUint8(i)) return false;
  }
  return true;
}
