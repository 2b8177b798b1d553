/** A line of a file. */
export interface FileLine {
  readonly text: string;
  /** Counted from 1. */
  readonly number: number;
  /** Whether it ends the file without a line feed: it may be cut. */
  readonly isCut: boolean;
}

/** A text that is longer than the engine takes. */
export class LongTextError extends Error {
  override readonly name = "LongTextError";
}

const LINE_FEED = 10;
/** Longer texts are more than the engine takes. */
const MAX_TEXT_BYTES = 2 ** 29 - 24;

/**
 * The lines of a file, one after another: no more of it than a line is held at a time.
 * @throws {LongTextError}
 */
export async function* linesOf(file: AsyncIterable<Uint8Array>): AsyncGenerator<FileLine> {
  const line = new TextParts();
  let number = 1;
  for await (const bytes of file) {
    let start = 0;
    for (let end; (end = bytes.indexOf(LINE_FEED, start)) >= 0; start = end + 1) {
      line.add(bytes.subarray(start, end));
      yield { text: line.take(), number: number++, isCut: false };
    }
    line.add(bytes.subarray(start));
  }
  if (line.length > 0) yield { text: line.take(), number, isCut: true };
}

/**
 * The whole text of a file.
 * @throws {LongTextError}
 */
export async function textOf(file: AsyncIterable<Uint8Array>): Promise<string> {
  const text = new TextParts();
  for await (const bytes of file) text.add(bytes);
  return text.take();
}

/** A text that comes in pieces, which may cut characters. */
class TextParts {
  #decoder = new TextDecoder();
  #parts: string[] = [];
  /** Bytes so far. */
  length = 0;

  add(bytes: Uint8Array): void {
    this.length += bytes.length;
    if (this.length > MAX_TEXT_BYTES) throw new LongTextError("A line is too long");
    this.#parts.push(this.#decoder.decode(bytes, { stream: true }));
  }

  /** The text, which is forgotten then. */
  take(): string {
    const text = this.#parts.join("") + this.#decoder.decode();
    this.#parts = [];
    this.length = 0;
    return text;
  }
}
