const DIGIT_BITS = 11;
const DIGITS = 1 << DIGIT_BITS;
/** Larger distances between keys are put in order by comparing. */
const MAX_SPAN = 2 ** 32;

/**
 * The places of keys in ascending order; equal ones keep theirs. Whole numbers that lie close
 * together are put in order digit by digit.
 */
export function radixOrder(keys: Float64Array): Uint32Array {
  const places = new Uint32Array(keys.length);
  let min = Infinity;
  let max = -Infinity;
  let areWhole = true;
  let areInOrder = true;
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as number;
    places[i] = i;
    if (key < max) areInOrder = false;
    if (key < min) min = key;
    if (key > max) max = key;
    if (Math.floor(key) !== key) areWhole = false;
  }
  if (areInOrder) return places;
  if (!areWhole || !(max - min < MAX_SPAN)) {
    return places.sort((a, b) => (keys[a] as number) - (keys[b] as number) || a - b);
  }
  const distances = new Uint32Array(keys.length);
  for (let i = 0; i < keys.length; i++) distances[i] = (keys[i] as number) - min;
  let from = places;
  let to = new Uint32Array(keys.length);
  const next = new Uint32Array(DIGITS);
  for (let shift = 0; 2 ** shift <= max - min; shift += DIGIT_BITS) {
    next.fill(0);
    for (let i = 0; i < distances.length; i++) {
      const digit = ((distances[i] as number) >>> shift) & (DIGITS - 1);
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
      const digit = ((distances[place] as number) >>> shift) & (DIGITS - 1);
      const at = next[digit] as number;
      to[at] = place;
      next[digit] = at + 1;
    }
    [from, to] = [to, from];
  }
  return from;
}
