const DIGIT_BITS = 11;
const DIGITS = 1 << DIGIT_BITS;
/** Digits are taken from words of so many bits. */
const WORD_BITS = 22;
const WORD = 2 ** WORD_BITS;
/** Fewer values than this are put in order by comparing them. */
const MIN_RADIX = 20_000;

/**
 * The places of values in ascending order; those of NaN are left out, equal values keep their order.
 * Many whole numbers are put in order digit by digit.
 */
export function orderOf(values: Float64Array): Uint32Array<ArrayBuffer> {
  const places = new Uint32Array(values.length);
  let length = 0;
  let min = Infinity;
  let max = -Infinity;
  let areWhole = true;
  for (let place = 0; place < values.length; place++) {
    const value = values[place] as number;
    if (Number.isNaN(value)) continue;
    places[length++] = place;
    if (!Number.isSafeInteger(value)) areWhole = false;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  const order = places.subarray(0, length);
  if (length < MIN_RADIX || !areWhole || !Number.isSafeInteger(max - min)) {
    return order.sort((a, b) => (values[a] as number) - (values[b] as number) || a - b);
  }
  return byDigits(values, order, min, max);
}

function byDigits(
  values: Float64Array,
  places: Uint32Array<ArrayBuffer>,
  min: number,
  max: number,
): Uint32Array<ArrayBuffer> {
  let from = places;
  let to = new Uint32Array(places.length);
  const keys = new Uint32Array(values.length);
  for (let weight = 1; weight <= max - min; weight *= WORD) {
    for (let i = 0; i < places.length; i++) {
      const place = places[i] as number;
      keys[place] = Math.floor(((values[place] as number) - min) / weight) % WORD;
    }
    const most = Math.min(WORD, (max - min) / weight);
    for (let shift = 0; shift < WORD_BITS && 2 ** shift <= most; shift += DIGIT_BITS) {
      sortByDigit(keys, shift, from, to);
      [from, to] = [to, from];
    }
  }
  return from;
}

function sortByDigit(keys: Uint32Array, shift: number, from: Uint32Array, to: Uint32Array): void {
  const next = new Uint32Array(DIGITS);
  for (let i = 0; i < from.length; i++) {
    const digit = ((keys[from[i] as number] as number) >>> shift) & (DIGITS - 1);
    next[digit] = (next[digit] as number) + 1;
  }
  let start = 0;
  for (let digit = 0; digit < DIGITS; digit++) {
    const count = next[digit] as number;
    next[digit] = start;
    start += count;
  }
  for (let i = 0; i < from.length; i++) {
    const place = from[i] as number;
    const digit = ((keys[place] as number) >>> shift) & (DIGITS - 1);
    const at = next[digit] as number;
    to[at] = place;
    next[digit] = at + 1;
  }
}

/**
 * Orders the places of equal values, which {@linkcode orderOf} leaves as they came.
 * @param order is changed
 */
export function orderEqual(
  values: Float64Array,
  order: Uint32Array,
  compare: (a: number, b: number) => number,
): void {
  for (let start = 0; start < order.length;) {
    const value = values[order[start] as number];
    let end = start + 1;
    while (end < order.length && values[order[end] as number] === value) end++;
    if (end - start > 1) order.subarray(start, end).sort(compare);
    start = end;
  }
}
