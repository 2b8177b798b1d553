import { MAX_EVENT_BYTES } from "../../sse/event_scanner.ts";
import { ByteAccumulator } from "./byte_accumulator.ts";

const LINE_FEED = 10;

/** Splits a body into lines, fed in pieces of any size. */
export class LineSplitter {
  readonly #onLine: (line: Uint8Array, isUnfinished: boolean) => void;
  readonly #maxLineBytes: number;
  readonly #partial = new ByteAccumulator();

  /**
   * @param onLine gets each line without its line feed, as a view that the next one invalidates;
   * the last one is unfinished if it has no line feed
   */
  constructor(
    onLine: (line: Uint8Array, isUnfinished: boolean) => void,
    maxLineBytes = MAX_EVENT_BYTES,
  ) {
    this.#onLine = onLine;
    this.#maxLineBytes = maxLineBytes;
  }

  /**
   * Reads the bytes from `start` to `end`.
   * @throws {RangeError} if a line is longer than allowed
   */
  push(bytes: Uint8Array, start: number, end: number): void {
    const piece = bytes.subarray(start, end);
    let position = 0;
    for (;;) {
      const lineEnd = piece.indexOf(LINE_FEED, position);
      if (lineEnd < 0) break;
      if (this.#partial.length === 0) {
        this.#onLine(piece.subarray(position, lineEnd), false);
      } else {
        this.#partial.append(piece, position, lineEnd);
        this.#onLine(this.#partial.view, false);
        this.#partial.clear();
      }
      position = lineEnd + 1;
    }
    this.#partial.append(piece, position, piece.length);
    if (this.#partial.length > this.#maxLineBytes) {
      throw new RangeError(`Line is longer than ${this.#maxLineBytes} bytes`);
    }
  }

  /** Ends the body. */
  end(): void {
    if (this.#partial.length > 0) this.#onLine(this.#partial.view, true);
    this.#partial.clear();
  }

  /** Forgets what was read. */
  reset(): void {
    this.#partial.clear();
  }
}
