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
  let from = values;
  let to: Uint32Array<ArrayBuffer> | undefined;
  for (let shift = 0; shift < 32; shift += DIGIT_BITS) {
    const places = placesOf(from, shift);
    if (places === undefined) continue;
    to ??= new Uint32Array(values.length);
    for (let i = 0; i < from.length; i++) {
      const value = from[i] as number;
      const digit = (value >>> shift) & (DIGITS - 1);
      to[places[digit] as number] = value;
      places[digit] = (places[digit] as number) + 1;
    }
    [from, to] = [to, from];
  }
  return from;
}

/** Where the values with each digit begin in order; undefined if all have the same. */
function placesOf(values: Uint32Array, shift: number): Uint32Array | undefined {
  const counts = new Uint32Array(DIGITS);
  for (let i = 0; i < values.length; i++) {
    const digit = ((values[i] as number) >>> shift) & (DIGITS - 1);
    counts[digit] = (counts[digit] as number) + 1;
  }
  let place = 0;
  for (let digit = 0; digit < DIGITS; digit++) {
    const count = counts[digit] as number;
    if (count === values.length) return undefined;
    counts[digit] = place;
    place += count;
  }
  return counts;
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
