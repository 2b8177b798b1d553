/** Fewer values than this are sorted by the runtime as fast. */
const MIN_RADIX = 20_000;
const DIGIT_BITS = 11;
const DIGITS = 1 << DIGIT_BITS;
/** By which whole numbers, and milliseconds of whole nanoseconds, become whole numbers of four bytes. */
const SCALES = [1, 1e6];

/**
 * Sorts numbers in ascending order, in place; none may be NaN. Many whole numbers, or many
 * milliseconds of whole nanoseconds, are sorted digit by digit, in a fifth of the time that
 * comparisons take.
 * @returns the same array
 */
export function sortNumbers(values: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  // Most metrics of a run say the same of each request.
  if (isAscending(values)) return values;
  if (values.length < MIN_RADIX) return values.sort();
  for (const scale of SCALES) {
    const whole = wholeOf(values, scale);
    if (whole === undefined) continue;
    const sorted = sortWhole(whole);
    for (let i = 0; i < sorted.length; i++) values[i] = (sorted[i] as number) / scale;
    return values;
  }
  return values.sort();
}

/** Sorts unsigned whole numbers digit by digit; the array given is used up. */
export function sortWhole(values: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const places = countDigits(values);
  let from = values;
  let to: Uint32Array<ArrayBuffer> | undefined;
  for (let shift = 0; shift < 32; shift += DIGIT_BITS) {
    const own = places.subarray(shift / DIGIT_BITS * DIGITS).subarray(0, DIGITS);
    if (!beginPlaces(own, values.length)) continue;
    to ??= new Uint32Array(values.length);
    placeByDigit(from, to, shift, own);
    [from, to] = [to, from];
  }
  return from;
}

function placeByDigit(
  from: Uint32Array,
  to: Uint32Array,
  shift: number,
  places: Uint32Array,
): void {
  for (let i = 0; i < from.length; i++) {
    const value = from[i] as number;
    const digit = (value >>> shift) & (DIGITS - 1);
    const place = places[digit] as number;
    to[place] = value;
    places[digit] = place + 1;
  }
}

/** How many values have each digit, for each place of a digit. */
function countDigits(values: Uint32Array): Uint32Array {
  const counts = new Uint32Array(3 * DIGITS);
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    const low = value & (DIGITS - 1);
    const middle = DIGITS + ((value >>> DIGIT_BITS) & (DIGITS - 1));
    const high = 2 * DIGITS + (value >>> 2 * DIGIT_BITS);
    counts[low] = (counts[low] as number) + 1;
    counts[middle] = (counts[middle] as number) + 1;
    counts[high] = (counts[high] as number) + 1;
  }
  return counts;
}

/**
 * Turns numbers of values with each digit into where those begin in order.
 * @returns whether there are several digits
 */
function beginPlaces(counts: Uint32Array, length: number): boolean {
  let place = 0;
  for (let digit = 0; digit < DIGITS; digit++) {
    const count = counts[digit] as number;
    if (count === length) return false;
    counts[digit] = place;
    place += count;
  }
  return true;
}

/** The values times a scale, if that leads back to each bit by bit. */
function wholeOf(
  values: Float64Array,
  scale: number,
): Uint32Array<ArrayBuffer> | undefined {
  const whole = new Uint32Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    const scaled = Math.round(value * scale);
    if (scaled >= 0 && scaled <= 0xffff_ffff && scaled / scale === value && !Object.is(value, -0)) {
      whole[i] = scaled;
    } else return undefined;
  }
  return whole;
}

/** Whether values are in order already, zeros of both signs included. */
function isAscending(values: Float64Array): boolean {
  for (let i = 1; i < values.length; i++) {
    if (!((values[i] as number) >= (values[i - 1] as number))) return false;
    if (values[i] === 0 && !Object.is(values[i], 0)) return false;
  }
  return true;
}
