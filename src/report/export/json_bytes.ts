import { escapedControls } from "../../core/files/escaped_controls.ts";

const FIRST_ROOM = 64 * 1024;
const ZERO = 48;
const COMMA = 44;
const DOT = 46;
const QUOTE = 34;
const BACKSLASH = 92;
/** Maximum number of bytes of a UTF-16 code unit of text. */
const MAX_LETTER_BYTES = 3;
/** Digits of the longest number, its point, and a comma. */
const MAX_NUMBER_BYTES = 32;
/** Longer times are left to the engine. */
const MAX_FAST_NS = 1e15;
const MAX_FAST_MS = MAX_FAST_NS / 1e6;
const encoder = new TextEncoder();

/**
 * JSON text as bytes, written piece by piece into the same memory again and again: lines of requests
 * are mostly numbers and names that are known, and as texts they would be garbage several times over.
 */
export class JsonBytes {
  #bytes = new Uint8Array(FIRST_ROOM);
  #length = 0;

  /** Bytes written since the last {@linkcode clear}. */
  get length(): number {
    return this.#length;
  }

  /** Bytes written so far, valid until the next write. */
  get view(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Begins again. */
  clear(): void {
    this.#length = 0;
  }

  /** Writes bytes as they are. */
  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    const target = this.#bytes;
    let at = this.#length;
    for (let i = 0; i < bytes.length; i++) target[at++] = bytes[i] as number;
    this.#length = at;
  }

  /** Writes text that is JSON already. */
  text(text: string): void {
    this.#reserve(text.length * MAX_LETTER_BYTES);
    const bytes = this.#bytes;
    const start = this.#length;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code > 127) {
        const { written } = encoder.encodeInto(text.slice(i), bytes.subarray(start + i));
        this.#length = start + i + written;
        return;
      }
      bytes[start + i] = code;
    }
    this.#length = start + text.length;
  }

  /** Writes a JSON string. */
  string(text: string): void {
    this.#reserve(text.length + 2);
    const bytes = this.#bytes;
    let at = this.#length;
    bytes[at++] = QUOTE;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code < 32 || code > 126 || code === QUOTE || code === BACKSLASH) {
        this.text(escapedControls(JSON.stringify(text)));
        return;
      }
      bytes[at++] = code;
    }
    bytes[at++] = QUOTE;
    this.#length = at;
  }

  /** Writes a finite number, with the digits that the engine writes. */
  number(value: number): void {
    this.#reserve(MAX_NUMBER_BYTES);
    if (value >= 0 && value === (value | 0)) {
      this.#length = putWhole(this.#bytes, this.#length, value);
      return;
    }
    // Most others are milliseconds of whole nanoseconds.
    const ns = Math.round(value * 1e6);
    if (!(value > 0 && value < MAX_FAST_MS) || ns / 1e6 !== value) {
      this.text(String(value));
      return;
    }
    const whole = Math.floor(value);
    this.#length = putMilliseconds(this.#bytes, this.#length, whole, ns - whole * 1e6);
  }

  /** Writes a whole number below 2^31 with zeros before it. */
  padded(value: number, digits: number): void {
    this.#reserve(digits);
    let rest = value;
    for (let place = this.#length + digits - 1; place >= this.#length; place--) {
      const tenth = rest / 10 | 0;
      this.#bytes[place] = ZERO + rest - tenth * 10;
      rest = tenth;
    }
    this.#length += digits;
  }

  /**
   * Writes the gaps between times in nanoseconds as milliseconds, with commas between them: a record of
   * a long reply is mostly such numbers.
   * @param timesNs whole and ascending, as times of chunks are; others are written as well
   */
  gapsInMilliseconds(timesNs: Float64Array): void {
    this.#reserve(timesNs.length * MAX_NUMBER_BYTES);
    const bytes = this.#bytes;
    let at = this.#length;
    for (let index = 1; index < timesNs.length; index++) {
      const gapNs = (timesNs[index] as number) - (timesNs[index - 1] as number);
      const whole = gapNs / 1e6 | 0;
      const rest = gapNs - whole * 1e6;
      if (!(gapNs >= 0 && gapNs < MAX_FAST_NS) || rest !== (rest | 0)) {
        this.text(gapsByEngine(timesNs));
        return;
      }
      if (index > 1) bytes[at++] = COMMA;
      at = putMilliseconds(bytes, at, whole, rest);
    }
    this.#length = at;
  }

  #reserve(count: number): void {
    const wanted = this.#length + count;
    if (wanted <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(wanted, 2 * this.#bytes.length));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}

function gapsByEngine(timesNs: Float64Array): string {
  return Array.from(
    timesNs.subarray(1),
    (timeNs, index) => (timeNs - (timesNs[index] as number)) / 1e6,
  ).join(",");
}

/**
 * Puts milliseconds there, digit by digit in a half of the engine's time.
 * @returns the place behind them
 */
function putMilliseconds(
  bytes: Uint8Array,
  start: number,
  whole: number,
  millionths: number,
): number {
  const at = putWhole(bytes, start, whole);
  return millionths === 0 ? at : putFraction(bytes, at, millionths);
}

function putWhole(bytes: Uint8Array, start: number, value: number): number {
  let digits = 1;
  for (let limit = 10; limit <= value; limit *= 10) digits++;
  let rest = value | 0;
  for (let place = start + digits - 1; place >= start; place--) {
    const tenth = rest / 10 | 0;
    bytes[place] = ZERO + rest - tenth * 10;
    rest = tenth;
  }
  return start + digits;
}

/** A point and the millionths, without the zeros at their end. */
function putFraction(bytes: Uint8Array, start: number, millionths: number): number {
  bytes[start] = DOT;
  let rest = millionths | 0;
  let end = start + 1;
  for (let at = start + 6; at > start; at--) {
    const tenth = rest / 10 | 0;
    const digit = rest - tenth * 10;
    bytes[at] = ZERO + digit;
    if (digit !== 0 && end === start + 1) end = at + 1;
    rest = tenth;
  }
  return end;
}
