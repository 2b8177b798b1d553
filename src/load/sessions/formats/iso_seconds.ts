import type { TextReader } from "../model/field_choice.ts";

const ZERO = 48;
const DAY_S = 86_400;
/** Days before a month of a year that begins in March. */
const DAYS_BEFORE = [0, 31, 61, 92, 122, 153, 184, 214, 245, 275, 306, 337];
/** Days from March 1 of the year 0 to 1970. */
const DAYS_TO_1970 = 719_468;

/** Reads a time as seconds of the epoch. */
export const SECONDS: TextReader = { of: isoSeconds, ofBytes: plainSeconds };

/** Seconds of the epoch of an ISO 8601 time, to the microsecond; UTC if it names no zone. */
export function isoSeconds(time: string): number | undefined {
  const match = /^(.*?T?\d\d:\d\d:\d\d)(?:[.,](\d+))?\s*(Z|[+-]\d\d:?\d\d)?$/i.exec(time.trim());
  if (match === null) return undefined;
  const [, whole = "", fraction = "", zone = "Z"] = match;
  const ms = Date.parse(`${whole.replace(" ", "T")}${zone}`);
  const microseconds = ms * 1000 + Number(fraction.slice(0, 6).padEnd(6, "0"));
  return Number.isNaN(ms) ? undefined : microseconds / 1e6;
}

/** Seconds of a time like 2026-09-21T14:13:20.123Z, as files have millions of them; else undefined. */
function plainSeconds(bytes: Uint8Array, start: number, end: number): number | undefined {
  const isPlain = end - start >= 20 && bytes[start + 4] === 45 && bytes[start + 7] === 45 &&
    bytes[start + 10] === 84 && bytes[start + 13] === 58 && bytes[start + 16] === 58 &&
    bytes[end - 1] === 90;
  if (!isPlain) return undefined;
  const year = 100 * pair(bytes, start) + pair(bytes, start + 2);
  const month = pair(bytes, start + 5);
  const day = pair(bytes, start + 8);
  const hour = pair(bytes, start + 11);
  const minute = pair(bytes, start + 14);
  const second = pair(bytes, start + 17);
  const isValid = year >= 0 && month >= 1 && month <= 12 && day >= 1 && day <= 31 &&
    hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0 && second < 60;
  if (!isValid) return undefined;
  let microseconds = 0;
  if (end - start > 20) {
    if (bytes[start + 19] !== 46 || end - start === 21) return undefined;
    let unit = 100_000;
    for (let at = start + 20; at < end - 1; at++) {
      const digit = (bytes[at] as number) - ZERO;
      if (!(digit >= 0 && digit <= 9)) return undefined;
      microseconds += digit * unit;
      unit = Math.floor(unit / 10);
    }
  }
  const seconds = DAY_S * daysOf(year, month, day) + 3600 * hour + 60 * minute + second;
  return (seconds * 1e6 + microseconds) / 1e6;
}

/** Two digits as a number; far below 0 if one is another character. */
function pair(bytes: Uint8Array, at: number): number {
  const tens = (bytes[at] as number) - ZERO;
  const ones = (bytes[at + 1] as number) - ZERO;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? 10 * tens + ones : -1e6;
}

/** Days since 1970 in the calendar of ISO 8601. */
function daysOf(year: number, month: number, day: number): number {
  // In a year that begins in March the leap day comes last.
  const from = month > 2 ? year : year - 1;
  const months = (month + 9) % 12;
  const leaps = Math.floor(from / 4) - Math.floor(from / 100) + Math.floor(from / 400);
  return 365 * from + leaps + (DAYS_BEFORE[months] as number) + day - 1 - DAYS_TO_1970;
}
