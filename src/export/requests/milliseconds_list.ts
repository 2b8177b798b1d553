const ZERO = 48;
const COMMA = 44;
const DOT = 46;
/** Digits of the longest number, its point, and a comma. */
const MAX_NUMBER_BYTES = 24;
/** Longer times are left to the engine. */
const MAX_FAST_NS = 1e15;
const decoder = new TextDecoder();
let buffer = new Uint8Array(128 * MAX_NUMBER_BYTES);

/**
 * The gaps between times in nanoseconds as milliseconds, with commas between them: the digits that
 * the engine would write, in half of the time. A record of a long reply is mostly such numbers.
 * @param timesNs whole and ascending, as times of chunks are; others are written as well
 */
export function gapsInMilliseconds(timesNs: Float64Array): string {
  if (buffer.length < timesNs.length * MAX_NUMBER_BYTES) {
    buffer = new Uint8Array(2 * timesNs.length * MAX_NUMBER_BYTES);
  }
  const bytes = buffer;
  let at = 0;
  for (let index = 1; index < timesNs.length; index++) {
    const gapNs = (timesNs[index] as number) - (timesNs[index - 1] as number);
    const whole = gapNs / 1e6 | 0;
    const rest = gapNs - whole * 1e6;
    if (!(gapNs >= 0 && gapNs < MAX_FAST_NS) || rest !== (rest | 0)) return gapsByEngine(timesNs);
    if (index > 1) bytes[at++] = COMMA;
    at = putWhole(bytes, at, whole);
    if (rest !== 0) at = putFraction(bytes, at, rest);
  }
  return decoder.decode(bytes.subarray(0, at));
}

function gapsByEngine(timesNs: Float64Array): string {
  return Array.from(
    timesNs.subarray(1),
    (timeNs, index) => (timeNs - (timesNs[index] as number)) / 1e6,
  ).join(",");
}

function putWhole(bytes: Uint8Array, start: number, value: number): number {
  let at = start;
  let digits = 1;
  for (let limit = 10; limit <= value; limit *= 10) digits++;
  let rest = value;
  for (let place = start + digits - 1; place >= start; place--) {
    const tenth = rest / 10 | 0;
    bytes[place] = ZERO + rest - tenth * 10;
    rest = tenth;
    at++;
  }
  return at;
}

/** A point and the millionths, without the zeros at their end. */
function putFraction(bytes: Uint8Array, start: number, millionths: number): number {
  bytes[start] = DOT;
  let at = start + 6;
  let rest = millionths | 0;
  let end = start + 1;
  for (; at > start; at--) {
    const tenth = rest / 10 | 0;
    const digit = rest - tenth * 10;
    bytes[at] = ZERO + digit;
    if (digit !== 0 && end === start + 1) end = at + 1;
    rest = tenth;
  }
  return end;
}
