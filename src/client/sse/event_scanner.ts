/**
 * The event-stream rules of WHATWG HTML section 9.2 on bytes, fed in pieces of any size.
 *
 * Nothing is decoded and nothing is allocated for a stream of single-line events: the sink gets
 * ranges of the bytes that were pushed. A line that spans two pushes is gathered in a buffer that is
 * reused, and made when there is the first; every byte is looked at once, so the cost stays linear
 * whatever the split.
 */

const LF = 10;
const CR = 13;
const COLON = 58;
const SPACE = 32;
const BYTE_ORDER_MARK = Uint8Array.of(0xef, 0xbb, 0xbf);
const NOTHING = new Uint8Array(0);
const MIN_BUFFER_BYTES = 1024;
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Default of {@linkcode EventScannerOptions.maxEventBytes}: 16 MiB. */
export const MAX_EVENT_BYTES = 16 * 1024 * 1024;

/** Receiver of an {@linkcode EventScanner}'s reports. Byte ranges are valid during the call only. */
export interface EventSink {
  /**
   * An event with data, as WHATWG would dispatch it.
   * @param name the `event` field, empty where none was given
   * @param unfinished the stream ended before the blank line that would have dispatched it
   */
  onEvent(
    name: string,
    bytes: Uint8Array,
    start: number,
    end: number,
    unfinished: boolean,
  ): void;
  /** A comment line, without its colon. */
  onComment(bytes: Uint8Array, start: number, end: number): void;
  /** A line whose field name the rules ignore, whole. */
  onIgnoredLine(bytes: Uint8Array, start: number, end: number): void;
  /** A blank line after an `event` field but no data: WHATWG drops such an event. */
  onEventWithoutData(name: string): void;
  /**
   * A shortcut: called where an event may begin, to consume a whole event, its blank line
   * included, that looks like earlier ones.
   * @returns how many bytes were consumed, 0 to have the scanner read them
   */
  consumeKnownEvent(bytes: Uint8Array, start: number, end: number): number;
}

/** Options of an {@linkcode EventScanner}. */
export interface EventScannerOptions {
  /**
   * Longest line and longest event accepted, in bytes.
   * @default MAX_EVENT_BYTES
   */
  readonly maxEventBytes?: number;
}

/** Splits an event stream into events, comments and ignored lines. */
export class EventScanner {
  readonly #sink: EventSink;
  readonly #maxEventBytes: number;
  /** Bytes of the byte order mark matched so far; 3 once the stream's start is behind us. */
  #markMatched = 0;
  /** The last push ended in CR: an LF right after it belongs to the same line end. */
  #skipLineFeed = false;
  #line = NOTHING;
  #lineLength = 0;
  #eventName = "";
  #hasData = false;
  /** Data of the current event lies in `#dataBytes` from `#dataStart` to `#dataEnd`. */
  #dataBytes: Uint8Array = this.#line;
  #dataStart = 0;
  #dataEnd = 0;
  #gathered = NOTHING;
  #idBuffer = "";

  constructor(sink: EventSink, options: EventScannerOptions = {}) {
    this.#sink = sink;
    this.#maxEventBytes = options.maxEventBytes ?? MAX_EVENT_BYTES;
  }

  /** The last `id` field, which every later event carries as its last event id. */
  get lastEventId(): string {
    return this.#idBuffer;
  }

  /** Forgets everything, to read a new stream from its start. */
  reset(): void {
    this.#markMatched = 0;
    this.#skipLineFeed = false;
    this.#lineLength = 0;
    this.#eventName = "";
    this.#hasData = false;
    this.#idBuffer = "";
  }

  /**
   * Reads the bytes from `start` to `end`.
   * @throws {RangeError} if a line or an event is longer than allowed
   */
  push(bytes: Uint8Array, start: number, end: number): void {
    let position = start;
    if (this.#markMatched < 3) position = this.#skipByteOrderMark(bytes, position, end);
    while (position < end) {
      if (this.#skipLineFeed) {
        this.#skipLineFeed = false;
        if (bytes[position] === LF) {
          position++;
          continue;
        }
      }
      if (this.#lineLength === 0 && !this.#hasData && this.#eventName === "") {
        const consumed = this.#sink.consumeKnownEvent(bytes, position, end);
        if (consumed > 0) {
          position += consumed;
          continue;
        }
      }
      let lineEnd = position;
      let byte = 0;
      while (lineEnd < end) {
        byte = bytes[lineEnd] as number;
        if (byte === LF || byte === CR) break;
        lineEnd++;
      }
      if (lineEnd === end) {
        this.#keepPartialLine(bytes, position, end);
        break;
      }
      if (this.#lineLength > 0) {
        this.#keepPartialLine(bytes, position, lineEnd);
        const length = this.#lineLength;
        this.#lineLength = 0;
        this.#readLine(this.#line, 0, length);
        // The next partial line overwrites the buffer, so data in it moves on now.
        if (this.#hasData && this.#dataBytes === this.#line) this.#gatherData();
      } else {
        if (lineEnd - position > this.#maxEventBytes) this.#refuse();
        this.#readLine(bytes, position, lineEnd);
      }
      position = lineEnd + 1;
      if (byte === CR) {
        if (position < end) {
          if (bytes[position] === LF) position++;
        } else {
          this.#skipLineFeed = true;
        }
      }
    }
    if (this.#hasData && this.#dataBytes === bytes) this.#gatherData();
  }

  /** Ends the stream: a last line without line end, and an event without blank line, still count. */
  end(): void {
    // A stream of one or two bytes of a byte order mark is a line of those bytes.
    if (this.#markMatched < 3) this.#endMark();
    if (this.#lineLength > 0) {
      const length = this.#lineLength;
      this.#lineLength = 0;
      this.#readLine(this.#line, 0, length);
    }
    this.#dispatch(true);
  }

  #skipByteOrderMark(bytes: Uint8Array, start: number, end: number): number {
    let position = start;
    while (this.#markMatched < 3 && position < end) {
      if (bytes[position] !== BYTE_ORDER_MARK[this.#markMatched]) {
        this.#endMark();
        return position;
      }
      this.#markMatched++;
      position++;
    }
    return position;
  }

  #endMark(): void {
    this.#keepPartialLine(BYTE_ORDER_MARK, 0, this.#markMatched);
    this.#markMatched = 3;
  }

  #keepPartialLine(bytes: Uint8Array, start: number, end: number): void {
    const length = this.#lineLength + end - start;
    if (length > this.#maxEventBytes) this.#refuse();
    if (length > this.#line.length) this.#line = grown(this.#line, this.#lineLength, length);
    this.#line.set(bytes.subarray(start, end), this.#lineLength);
    this.#lineLength = length;
  }

  #readLine(bytes: Uint8Array, start: number, end: number): void {
    if (start === end) return this.#dispatch(false);
    if (bytes[start] === COLON) return this.#sink.onComment(bytes, start + 1, end);
    // The most frequent field, recognised by its first letters without a search.
    if (
      end - start >= 4 && bytes[start] === 100 && bytes[start + 1] === 97 &&
      bytes[start + 2] === 116 &&
      bytes[start + 3] === 97
    ) {
      if (start + 4 === end) return this.#addData(bytes, end, end);
      if (bytes[start + 4] === COLON) {
        const from = start + 5 < end && bytes[start + 5] === SPACE ? start + 6 : start + 5;
        return this.#addData(bytes, from, end);
      }
    }
    this.#readOtherField(bytes, start, end);
  }

  #readOtherField(bytes: Uint8Array, start: number, end: number): void {
    let colon = start;
    while (colon < end && bytes[colon] !== COLON) colon++;
    const valueStart = colon + 1 < end && bytes[colon + 1] === SPACE ? colon + 2 : colon + 1;
    const field = colon - start <= 5 ? decoder.decode(bytes.subarray(start, colon)) : "";
    if (field === "event") {
      this.#eventName = decoder.decode(bytes.subarray(Math.min(valueStart, end), end));
    } else if (field === "id") {
      const value = bytes.subarray(Math.min(valueStart, end), end);
      if (!value.includes(0)) this.#idBuffer = decoder.decode(value);
    } else if (field !== "retry") {
      this.#sink.onIgnoredLine(bytes, start, end);
    }
  }

  #addData(bytes: Uint8Array, start: number, end: number): void {
    if (!this.#hasData) {
      this.#hasData = true;
      this.#dataBytes = bytes;
      this.#dataStart = start;
      this.#dataEnd = end;
      return;
    }
    if (this.#dataBytes !== this.#gathered) this.#gatherData();
    const length = this.#dataEnd + 1 + end - start;
    if (length > this.#maxEventBytes) this.#refuse();
    if (length > this.#gathered.length) {
      this.#gathered = grown(this.#gathered, this.#dataEnd, length);
      this.#dataBytes = this.#gathered;
    }
    this.#gathered[this.#dataEnd] = LF;
    this.#gathered.set(bytes.subarray(start, end), this.#dataEnd + 1);
    this.#dataEnd = length;
  }

  /** Copies the current event's data out of a buffer before the buffer changes. */
  #gatherData(): void {
    const length = this.#dataEnd - this.#dataStart;
    if (length > this.#gathered.length) this.#gathered = grown(this.#gathered, 0, length);
    this.#gathered.set(this.#dataBytes.subarray(this.#dataStart, this.#dataEnd), 0);
    this.#dataBytes = this.#gathered;
    this.#dataStart = 0;
    this.#dataEnd = length;
  }

  #dispatch(unfinished: boolean): void {
    const name = this.#eventName;
    this.#eventName = "";
    if (this.#hasData) {
      this.#hasData = false;
      this.#sink.onEvent(name, this.#dataBytes, this.#dataStart, this.#dataEnd, unfinished);
    } else if (name !== "") {
      this.#sink.onEventWithoutData(name);
    }
  }

  #refuse(): never {
    throw new RangeError(`Event or line is longer than ${this.#maxEventBytes} bytes`);
  }
}

function grown(buffer: Uint8Array, used: number, needed: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(Math.max(needed, buffer.length * 2, MIN_BUFFER_BYTES));
  larger.set(buffer.subarray(0, used));
  return larger;
}
