/**
 * Recognizes the events of a stream that differ from an earlier one in their content alone.
 *
 * Between the first token and the last, a server repeats the same JSON around each piece of text.
 * Once one such event was parsed, the bytes before and after its text are remembered; an event with
 * the very same bytes around a plain string needs no JSON parser. Anything else, an escape in the
 * text or another field, does not match and is parsed as usual, so the result never differs; only
 * the time does: about 0.1 us an event instead of 1.5 us.
 */

const QUOTE = 34;
const BACKSLASH = 92;
const encoder = new TextEncoder();

/** Learning is given up after this many templates in a row that matched nothing. */
const MAX_USELESS = 4;
const NOTHING = new Uint8Array(0);

/** Bytes around the content of the events of one stream. */
export class ContentTemplate {
  #prefix = NOTHING;
  #suffix = NOTHING;
  #prefixWords = new DataView(NOTHING.buffer);
  #suffixWords = new DataView(NOTHING.buffer);
  /** The bytes matched last and their view: a stream's reads share one buffer. */
  #bytes: Uint8Array = NOTHING;
  #words: DataView = new DataView(NOTHING.buffer);
  #useless = 0;
  #matched = false;
  /** Where the content of the event that was matched last begins and ends. */
  contentStart = 0;
  contentEnd = 0;

  /** Whether there is something to match with. */
  get active(): boolean {
    return this.#prefix.length > 0;
  }

  /** Whether another event is worth learning from. */
  get wanted(): boolean {
    return this.#useless < MAX_USELESS;
  }

  /** Forgets the template. */
  reset(): void {
    this.#prefix = NOTHING;
    this.#bytes = NOTHING;
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
    this.#prefix = NOTHING;
    if (!this.wanted) return;
    const literal = JSON.stringify(content);
    const at = data.indexOf(literal);
    if (at < 0 || data.indexOf(literal, at + 1) >= 0) return;
    const before = data.slice(0, at + 1);
    const after = data.slice(at + literal.length - 1);
    // The literal could have been another field with the same value: a probe decides.
    if (!isSame(`${before}probe${after}`, "probe")) return;
    this.#prefix = encoder.encode(`${name === "" ? "" : `event: ${name}\n`}data: ${before}`);
    this.#suffix = encoder.encode(`${after}\n\n`);
    this.#prefixWords = new DataView(this.#prefix.buffer);
    this.#suffixWords = new DataView(this.#suffix.buffer);
  }

  /**
   * Matches an event at `start`, its blank line included.
   * @returns how many bytes it has, 0 if it is not one of these; see `contentStart`, `contentEnd`
   */
  match(bytes: Uint8Array, start: number, end: number): number {
    const prefixLength = this.#prefix.length;
    const suffixLength = this.#suffix.length;
    const contentStart = start + prefixLength;
    if (contentStart + suffixLength > end) return 0;
    if (bytes !== this.#bytes) {
      this.#bytes = bytes;
      this.#words = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    }
    if (!sameBytes(this.#words, start, this.#prefixWords, prefixLength)) return 0;
    let position = contentStart;
    for (;; position++) {
      if (position === end) return 0;
      const byte = bytes[position] as number;
      if (byte === QUOTE) break;
      if (byte === BACKSLASH || byte < 32) return 0;
    }
    if (position + suffixLength > end) return 0;
    if (!sameBytes(this.#words, position, this.#suffixWords, suffixLength)) return 0;
    this.contentStart = contentStart;
    this.contentEnd = position;
    this.#matched = true;
    return position + suffixLength - start;
  }
}

/** Compares four bytes at a time, which takes a third of the time of one at a time. */
function sameBytes(bytes: DataView, start: number, expected: DataView, length: number): boolean {
  const wordsEnd = length & ~3;
  for (let i = 0; i < wordsEnd; i += 4) {
    if (bytes.getInt32(start + i) !== expected.getInt32(i)) return false;
  }
  for (let i = wordsEnd; i < length; i++) {
    if (bytes.getUint8(start + i) !== expected.getUint8(i)) return false;
  }
  return true;
}
