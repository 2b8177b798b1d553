import { LINE_FEED, MINUS, POINT } from "./characters.ts";

/** A decimal number as the format's pages and OpenMetrics allow it: no hexadecimal, no `_`. */
const DECIMAL = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;
const INFINITY = /^[+-]?inf(?:inity)?$/i;
const NOT_A_NUMBER = /^[+-]?nan$/i;
const DIGITS = /^[0-9]+$/;
const MAX_INT64 = 2n ** 63n - 1n;

/**
 * The number a text spells, or `undefined` if it spells none. All spellings of NaN and the
 * infinities are read, whatever their case; a number too large for a double is an infinity.
 */
export function parseFloatText(text: string): number | undefined {
  if (DECIMAL.test(text)) return Number(text);
  if (INFINITY.test(text)) return text.charCodeAt(0) === MINUS ? -Infinity : Infinity;
  if (NOT_A_NUMBER.test(text)) return NaN;
  return undefined;
}

/** Whether a text is a decimal number: none of the words, and of any size. */
export function isDecimalText(text: string): boolean {
  return DECIMAL.test(text);
}

/** Whether a text is a whole number without a sign that fits 63 bits. */
export function isWholeText(text: string): boolean {
  if (!DIGITS.test(text)) return false;
  if (text.length < 19) return true;
  const digits = text.replace(/^0*/, "");
  return digits.length < 20 && BigInt(digits === "" ? "0" : digits) <= MAX_INT64;
}

/** Digits that a double holds exactly, so that one multiplication or division rounds rightly. */
const EXACT_DIGITS = 15;
/** Powers of ten that are exact as doubles. */
const EXACT_POWERS = Array.from({ length: 23 }, (_, power) => 10 ** power);

let plainNumberEnd = -1;

/**
 * Reads the decimal number that starts at `position` and is followed by a line feed: what nearly
 * every line of a page ends with. {@linkcode endOfPlainNumber} is the line feed's position, or -1
 * if there is anything else; the caller then looks closer.
 *
 * Up to 15 digits and small powers of ten are exact in doubles, so the value is put together
 * without cutting a string out; this is a third of the cost of a known line.
 * @param text must have a line feed at or after `position`
 */
export function readPlainNumber(text: string, position: number): number {
  let at = position;
  let code = text.charCodeAt(at);
  const negative = code === MINUS;
  if (negative) code = text.charCodeAt(++at);
  let mantissa = 0;
  let start = at;
  while (code >= 48 && code <= 57) {
    mantissa = mantissa * 10 + (code - 48);
    code = text.charCodeAt(++at);
  }
  let digits = at - start;
  let power = 0;
  if (code === POINT) {
    start = at + 1;
    code = text.charCodeAt(++at);
    while (code >= 48 && code <= 57) {
      mantissa = mantissa * 10 + (code - 48);
      code = text.charCodeAt(++at);
    }
    power = start - at;
    digits -= power;
  }
  plainNumberEnd = -1;
  if (digits === 0) return 0;
  if (code === 101 || code === 69) {
    code = text.charCodeAt(++at);
    const shrinks = code === MINUS;
    if (shrinks || code === 43) code = text.charCodeAt(++at);
    start = at;
    let exponent = 0;
    while (code >= 48 && code <= 57) {
      exponent = exponent * 10 + (code - 48);
      code = text.charCodeAt(++at);
    }
    if (at === start) return 0;
    power += shrinks ? -exponent : exponent;
  }
  if (code !== LINE_FEED) return 0;
  plainNumberEnd = at;
  if (digits > EXACT_DIGITS || power > 22 || power < -22) return Number(text.slice(position, at));
  const magnitude = power < 0
    ? mantissa / (EXACT_POWERS[-power] as number)
    : mantissa * (EXACT_POWERS[power] as number);
  return negative ? -magnitude : magnitude;
}

/** End of the number just read, -1 if the line holds anything but a plain number. */
export function endOfPlainNumber(): number {
  return plainNumberEnd;
}
